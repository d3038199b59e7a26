package books_test

import (
	"testing"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine/internal/books"
	"github.com/dfe-engine/dfe/lang/ddl"
)

func TestATableOfBooksKeepsEveryRowAndEveryColumnOfIt(t *testing.T) {
	columns := []books.Column{{Name: "a", Types: []string{"String"}}, {Name: "at", Types: []string{"DateTime", "DateTime64"}}, {Name: "later", Types: []string{"UInt8"}, Optional: true}}
	for text, want := range map[string]string{
		"(a String, at DateTime64(3, 'UTC')) ENGINE = MergeTree ORDER BY a":                                          "",
		"(a LowCardinality(String), at DateTime, x Int8) ENGINE = ReplicatedMergeTree('/p', '{replica}') ORDER BY a": "",
		"(a String DEFAULT 'x', at DateTime, later UInt8) ENGINE = SharedMergeTree ORDER BY a":                       "",
		"(a String) ENGINE = MergeTree ORDER BY a":                                                                   "it has no column at",
		"(a UInt8, at DateTime) ENGINE = MergeTree ORDER BY a":                                                       "its column a is of type UInt8, and has to be of String",
		"(a Nullable(String), at DateTime) ENGINE = MergeTree ORDER BY tuple()":                                      "its column a is of type Nullable(String), and has to be of String",
		"(a String, at Date) ENGINE = MergeTree ORDER BY a":                                                          "its column at is of type Date, and has to be of DateTime or DateTime64",
		"(a String, at DateTime, later String) ENGINE = MergeTree ORDER BY a":                                        "its column later is of type String, and has to be of UInt8",
		"(a String ALIAS 'x', at DateTime) ENGINE = MergeTree ORDER BY at":                                           "its column a is ALIAS, and rows have to be stored with it",
		"(a String EPHEMERAL, at DateTime) ENGINE = MergeTree ORDER BY at":                                           "its column a is EPHEMERAL, and rows have to be stored with it",
		"(a String MATERIALIZED 'x', at DateTime) ENGINE = MergeTree ORDER BY at":                                    "its column a is MATERIALIZED, and rows have to be stored with it",
		"(a String, at DateTime) ENGINE = ReplacingMergeTree ORDER BY a":                                             "its engine is ReplacingMergeTree, which does not keep every row as MergeTree does",
		"(a String, at DateTime) ENGINE = ReplicatedReplacingMergeTree ORDER BY a":                                   "its engine is ReplicatedReplacingMergeTree, which does not keep every row as MergeTree does",
		"(a String, at DateTime) ENGINE = Null":                                                                      "its engine is Null, which does not keep every row as MergeTree does",
	} {
		o, err := ddl.ParseStatement("CREATE TABLE d.t " + text)
		if err != nil {
			t.Fatal(text, err)
		}
		if got := books.Fault(o.(*ast.Table), columns); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
