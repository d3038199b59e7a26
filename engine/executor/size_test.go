package executor_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/dfe-engine/dfe/engine/executor"
)

// wide is a CREATE TABLE of about the given number of bytes, the database left open.
func wide(bytes int) string {
	var b strings.Builder
	b.WriteString("CREATE TABLE %s.t (k UInt64")
	for i := 0; b.Len() < bytes; i++ {
		fmt.Fprintf(&b, ", column_with_a_long_name_%05d UInt64 COMMENT 'what this column of the wide table holds'", i)
	}
	b.WriteString(") ENGINE = MergeTree ORDER BY k")
	return b.String()
}

// maxQuerySizes returns what each statement asked for, 0 where it left the server's default.
func (b *bench) maxQuerySizes(t *testing.T) []int {
	t.Helper()
	var sizes []int
	for _, values := range b.statements() {
		size := 0
		if v := values.Get("max_query_size"); v != "" {
			var err error
			if size, err = strconv.Atoi(v); err != nil {
				t.Fatal(err)
			}
		}
		sizes = append(sizes, size)
	}
	return sizes
}

const alterWide = "ALTER TABLE %s.t ADD COLUMN added UInt8"

func TestAWideTableIsCreatedAndLaterAltered(t *testing.T) {
	b := setUp(t, executor.Options{})
	for _, statement := range []string{wide(700_000), alterWide} {
		want := "`k` UInt64"
		if statement == alterWide {
			want = "`added` UInt8"
		}
		if _, err := b.x.Apply(t.Context(), b.statement(t, statement, want)); err != nil {
			t.Fatal(err)
		}
	}
	for i, size := range b.maxQuerySizes(t) {
		if size < 700_000 {
			t.Errorf("statement %d was sent with max_query_size = %d", i+1, size)
		}
	}
}

func TestATableJustUnderTheServersLimitTakesItsFirstAlter(t *testing.T) {
	b := setUp(t, executor.Options{})
	b.exec(t, fmt.Sprintf(wide(247_000), b.db))
	if _, err := b.x.Apply(t.Context(), b.statement(t, alterWide, "`added` UInt8")); err != nil {
		t.Fatal(err)
	}
	if sizes := b.maxQuerySizes(t); sizes[0] <= 262_144 {
		t.Errorf("the ALTER was sent with max_query_size = %d", sizes[0])
	}
}

func TestASmallStatementLeavesTheServersLimitAlone(t *testing.T) {
	b := setUp(t, executor.Options{})
	if _, err := b.x.Apply(t.Context(), b.statement(t, wide(60_000), "`k` UInt64")); err != nil {
		t.Fatal(err)
	}
	if sizes := b.maxQuerySizes(t); sizes[0] != 0 {
		t.Errorf("it was sent with max_query_size = %d", sizes[0])
	}
	if b.statements()[0].Has("max_ast_elements") {
		t.Error("it was sent with max_ast_elements")
	}
}

// The server counts the elements of the tree before the bytes of the text.
func TestATableOfThousandsOfColumnsWithCodecsIsCreated(t *testing.T) {
	for _, columns := range []int{5_000, 6_000} {
		b := setUp(t, executor.Options{})
		var text strings.Builder
		text.WriteString("CREATE TABLE %s.t (k UInt64")
		for i := range columns {
			fmt.Fprintf(&text, ", c%d UInt64 COMMENT 'x' CODEC(Delta(8), ZSTD(3))", i)
		}
		text.WriteString(") ENGINE = MergeTree ORDER BY k")
		for _, statement := range []string{text.String(), alterWide} {
			want := "`k` UInt64"
			if statement == alterWide {
				want = "`added` UInt8"
			}
			if _, err := b.x.Apply(t.Context(), b.statement(t, statement, want)); err != nil {
				t.Fatal(err)
			}
		}
		if b.statements()[1].Has("max_ast_elements") {
			t.Error("the ALTER was sent with max_ast_elements")
		}
	}
}

func TestNothingIsSentOverTheCeiling(t *testing.T) {
	b := setUp(t, executor.Options{Ceiling: 300_000})
	create := b.statement(t, wide(310_000), "`k` UInt64")
	b.exec(t, fmt.Sprintf(wide(250_000), b.db))
	alter := b.statement(t, "ALTER TABLE %s.t MODIFY COMMENT '"+strings.Repeat("y", 60_000)+"'", "yyy")
	b.exec(t, "RENAME TABLE "+b.db+".t TO "+b.db+".kept")
	_, err := b.x.Apply(t.Context(), create)
	b.exec(t, "RENAME TABLE "+b.db+".kept TO "+b.db+".t")
	_, alterErr := b.x.Apply(t.Context(), alter)
	for _, err := range []error{err, alterErr} {
		var large *executor.TooLargeError
		if !errors.As(err, &large) || large.Ceiling != 300_000 || large.Size <= 300_000 {
			t.Errorf("error %v, want a *TooLargeError", err)
		}
	}
	if n := len(b.statements()); n != 0 {
		t.Errorf("%d statements were sent", n)
	}
}
