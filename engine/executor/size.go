package executor

import (
	"context"
	"fmt"

	"github.com/ClickHouse/clickhouse-go/v2"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/lang/lex"
)

const (
	// serverLimit is ClickHouse's default max_query_size. A CREATE over it fails with 62, an ALTER that leads to a
	// definition over it with 229.
	serverLimit = 262_144
	// headroom goes on top of the size sent.
	headroom = 4 << 10
	// growth is how much longer the server's multi-line form may be than the text it prints: 1.07 was measured for
	// columns, and the indentation of tuples in tuples costs more. Below serverLimit/growth nobody is asked.
	growth = 4
	// escaping is how much longer a text may become as a string literal.
	escaping = 2

	// serverElements and serverExpandedElements are ClickHouse's defaults of max_ast_elements and
	// max_expanded_ast_elements. Over the first a statement fails with 168, before its size matters: 5,000 columns with a
	// comment and a codec are 248,889 bytes.
	serverElements         = 50_000
	serverExpandedElements = 500_000
	// elementsOfToken is how many elements of the server's tree one token makes at most: a + b is three tokens, and a
	// function, its list and two identifiers.
	elementsOfToken = 2

	selectFormattedLength = `SELECT length(formatQuery(?))`
)

// querySize returns the max_query_size a statement needs, or 0 where the server's default does.
//
// The server checks two texts: the statement, and the definition that results from it, in its own multi-line form.
// For an ALTER the result is at most the live definition and the statement together.
func (x *Executor) querySize(ctx context.Context, s Statement, live *catalog.Object) (int, error) {
	statement, definition := len(s.SQL), ""
	if live != nil {
		definition = live.Text
	}
	if growth*(statement+len(definition)) <= serverLimit {
		return 0, nil
	}
	if statement > x.Ceiling {
		return 0, &TooLargeError{s.Object(), statement + headroom, x.Ceiling}
	}
	size := statement
	if definition == "" {
		formatted, err := x.formattedLength(ctx, s.SQL)
		if err != nil {
			return 0, err
		}
		size = max(size, formatted)
	} else {
		formatted, err := x.formattedLength(ctx, definition)
		if err != nil {
			return 0, err
		}
		size = max(size, formatted+statement)
	}
	if size <= serverLimit {
		return 0, nil
	}
	size += headroom
	if size > x.Ceiling {
		return 0, &TooLargeError{s.Object(), size, x.Ceiling}
	}
	return size, nil
}

// astElements is a bound on the elements of a statement's tree. The definition an ALTER leads to is not counted by the
// server (measured).
func astElements(sql string) int {
	if elementsOfToken*len(sql) <= serverElements {
		return 0
	}
	tokens, _ := lex.All(nil, sql)
	return elementsOfToken * len(tokens)
}

func (x *Executor) formattedLength(ctx context.Context, text string) (int, error) {
	var length uint64
	// The question holds the text as a literal, escaped, and is itself subject to max_query_size.
	ctx = clickhouse.Context(ctx, clickhouse.WithSettings(clickhouse.Settings{"max_query_size": escaping*len(text) + headroom}))
	err := x.conn.Select(ctx, selectFormattedLength, []any{text}, func(scan func(...any) error) error { return scan(&length) })
	if err != nil {
		return 0, &catalog.ReadError{What: fmt.Sprintf("the length of a definition of %d bytes", len(text)), Err: err}
	}
	return int(length), nil
}
