package ledger

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/dfe-engine/dfe/ast"
)

// raw is a row on its way in: what the driver fills before it becomes a [Record].
type raw struct {
	Record
	scope, kind, outcome string
	decisions            string
	elapsed              uint64
}

// column is one column of the table: how it is written, nil for one the server fills, and how it is read.
type column struct {
	name     string
	types    []string // those that serve, by ClickHouse's names without arguments
	required bool
	sql      string // what is selected, where that is not the name
	write    func(*Record) (any, error)
	read     func(*raw) (target any, finish func(*Record) error)
}

func (c column) selected() string {
	if c.sql != "" {
		return c.sql
	}
	return c.name
}

// plain is a column that is a field of the record as it is.
func plain[T any](name string, field func(*Record) *T) column {
	return column{
		name:  name,
		types: []string{typeOf(*new(T))},
		write: func(r *Record) (any, error) { return *field(r), nil },
		read:  func(r *raw) (any, func(*Record) error) { return field(&r.Record), nil },
	}
}

// typeOf is ClickHouse's type of a field.
func typeOf(field any) string {
	switch field.(type) {
	case uint32:
		return "UInt32"
	case uint64:
		return "UInt64"
	case int32:
		return "Int32"
	case []string:
		return "Array"
	}
	return "String"
}

// moments are the types of a time.
func moments() []string { return []string{"DateTime", "DateTime64"} }

// list is a column of an array that is never NULL.
func list(name string, field func(*Record) *[]string) column {
	c := plain(name, field)
	c.write = func(r *Record) (any, error) { return append([]string{}, *field(r)...), nil }
	return c
}

// moment is a column of a time; the zero time is the table's zero, 1970.
func moment(name string, field func(*Record) *time.Time) column {
	return column{
		name:  name,
		types: moments(),
		write: func(r *Record) (any, error) {
			if t := *field(r); !t.IsZero() {
				return t.UTC(), nil
			}
			return time.Unix(0, 0).UTC(), nil
		},
		read: func(r *raw) (any, func(*Record) error) {
			return field(&r.Record), func(r *Record) error {
				if t := field(r); t.Unix() == 0 {
					*t = time.Time{}
				}
				return nil
			}
		},
	}
}

func required(c column) column { c.required = true; return c }

const zeroUUID = "00000000-0000-0000-0000-000000000000"

// columns lists the columns of the ledger this release knows.
func columns() []column {
	text := func(name string, field func(*Record) *string) column { return plain(name, field) }
	return []column{
		required(column{
			name:  "scope",
			types: []string{"String"},
			write: func(r *Record) (any, error) { return string(r.Scope), nil },
			read: func(r *raw) (any, func(*Record) error) {
				return &r.scope, func(into *Record) error { into.Scope = Scope(r.scope); return nil }
			},
		}),
		required(column{
			name:  "kind",
			types: []string{"String"},
			write: func(r *Record) (any, error) { return string(r.Kind), nil },
			read: func(r *raw) (any, func(*Record) error) {
				return &r.kind, func(into *Record) error { into.Kind = ast.Kind(r.kind); return nil }
			},
		}),
		required(text("name", func(r *Record) *string { return &r.Name })),
		required(column{
			name:  "recorded_at",
			types: moments(),
			read:  func(r *raw) (any, func(*Record) error) { return &r.RecordedAt, nil },
		}),
		required(text("pass_id", func(r *Record) *string { return &r.Pass })),
		required(plain("sequence", func(r *Record) *uint32 { return &r.Sequence })),
		plain("epoch", func(r *Record) *uint64 { return &r.Epoch }),
		required(text("schema_release", func(r *Record) *string { return &r.SchemaRelease })),
		required(text("engine_release", func(r *Record) *string { return &r.EngineRelease })),
		text("platform", func(r *Record) *string { return &r.Platform }),
		required(text("action", func(r *Record) *string { return &r.Action })),
		column{
			name:  "outcome",
			types: []string{"String"},
			write: func(r *Record) (any, error) { return string(r.Outcome), nil },
			read: func(r *raw) (any, func(*Record) error) {
				return &r.outcome, func(into *Record) error { into.Outcome = Outcome(r.outcome); return nil }
			},
		},
		required(text("checksum", func(r *Record) *string { return &r.Checksum })),
		text("live_checksum", func(r *Record) *string { return &r.LiveChecksum }),
		text("statement", func(r *Record) *string { return &r.Statement }),
		list("query_ids", func(r *Record) *[]string { return &r.QueryIDs }),
		list("rules", func(r *Record) *[]string { return &r.Rules }),
		decisionsColumn(),
		plain("refused", func(r *Record) *uint32 { return &r.Refused }),
		plain("reported", func(r *Record) *uint32 { return &r.Reported }),
		column{
			name:  "value_hashes",
			types: []string{"Map"},
			write: func(r *Record) (any, error) {
				if r.ValueHashes == nil {
					return map[string]string{}, nil
				}
				return r.ValueHashes, nil
			},
			read: func(r *raw) (any, func(*Record) error) { return &r.ValueHashes, nil },
		},
		text("member", func(r *Record) *string { return &r.Member }),
		column{
			name: "uuid", sql: "toString(uuid)", types: []string{"UUID"},
			write: func(r *Record) (any, error) {
				if r.UUID == "" {
					return zeroUUID, nil
				}
				return r.UUID, nil
			},
			read: func(r *raw) (any, func(*Record) error) {
				return &r.UUID, func(into *Record) error {
					if into.UUID == zeroUUID {
						into.UUID = ""
					}
					return nil
				}
			},
		},
		moment("metadata_modification_time", func(r *Record) *time.Time { return &r.Modified }),
		moment("read_at", func(r *Record) *time.Time { return &r.ReadAt }),
		column{
			name:  "elapsed_ms",
			types: []string{"UInt64"},
			write: func(r *Record) (any, error) { return uint64(r.Elapsed.Milliseconds()), nil },
			read: func(r *raw) (any, func(*Record) error) {
				return &r.elapsed, func(into *Record) error {
					into.Elapsed = time.Duration(r.elapsed) * time.Millisecond
					return nil
				}
			},
		},
		plain("error_code", func(r *Record) *int32 { return &r.ErrorCode }),
		text("error", func(r *Record) *string { return &r.Error }),
	}
}

// decisionsColumn keeps a document. One that a newer release wrote in another shape is no fault of the row.
func decisionsColumn() column {
	return column{
		name:  "decisions",
		types: []string{"String"},
		write: func(r *Record) (any, error) {
			d := r.Decisions
			d.Version = 1
			text, err := json.Marshal(d)
			return string(text), err
		},
		read: func(r *raw) (any, func(*Record) error) {
			return &r.decisions, func(into *Record) error {
				var d Decisions
				if json.Unmarshal([]byte(r.decisions), &d) == nil {
					into.Decisions = d
				}
				return nil
			}
		},
	}
}

// ColumnNames lists the columns this release writes or reads, for the test that the core release declares them all.
func ColumnNames() []string {
	var names []string
	for _, c := range columns() {
		names = append(names, c.name)
	}
	slices.Sort(names)
	return names
}
