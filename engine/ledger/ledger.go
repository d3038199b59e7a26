package ledger

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/internal/books"
)

// Ledger is the live table with the columns it has.
type Ledger struct {
	conn    *catalog.Conn
	columns []column
	// Pause waits between two attempts, or returns the context's error. Nil: the real clock.
	Pause func(context.Context, time.Duration) error
}

// ShapeError is a live object under the ledger's name that is no ledger. It is never dropped or rebuilt by a pass.
type ShapeError struct{ Reason string }

// ErrorCode is the error as one word.
func (e *ShapeError) ErrorCode() string { return "ledger_shape" }

func (e *ShapeError) Error() string {
	return fmt.Sprintf("%s is not the ledger of any release: %s; rename it out of the way and run again", Table(), e.Reason)
}

// Open returns the ledger that a live object is, nil for nil: there is none yet. A nil ledger has no rows.
func Open(conn *catalog.Conn, o *catalog.Object) (*Ledger, error) {
	if o == nil {
		return nil, nil
	}
	if o.Unreadable != nil {
		return nil, &ShapeError{"its definition cannot be read: " + o.Unreadable.Error()}
	}
	table, ok := o.Tree.(*ast.Table)
	if !ok {
		return nil, &ShapeError{"it is a " + string(o.Kind)}
	}
	l := &Ledger{conn: conn}
	var needed []books.Column
	for _, c := range columns() {
		needed = append(needed, books.Column{Name: c.name, Types: c.types, Optional: !c.required})
		if table.Column(c.name) != nil {
			l.columns = append(l.columns, c)
		}
	}
	if fault := books.Fault(table, needed); fault != "" {
		return nil, &ShapeError{fault}
	}
	return l, nil
}

// quorumWait is how long a majority may take to have a row. A row is written once, under a lease that goes on being
// renewed meanwhile.
const quorumWait = 10 * time.Second

// writeSettings make a row acknowledged only once a majority of the replicas has it. A service is its own quorum:
// insert_quorum does not apply to its engines.
func writeSettings(platform string) map[string]any {
	s := map[string]any{"async_insert": 0}
	if platform != cloud {
		s["insert_quorum"], s["insert_quorum_parallel"], s["insert_quorum_timeout"] = "auto", 0, quorumWait.Milliseconds()
	}
	return s
}

// cloud is the platform's word in a record.
const cloud = "cloud"

// readSettings make a member that lacks what a majority has fail the read, or fetch it first.
func readSettings() clickhouse.Settings {
	return clickhouse.Settings{"select_sequential_consistency": 1, "max_parallel_replicas": 1}
}

// Append writes rows of one pass as one block: all of them or none.
func (l *Ledger) Append(ctx context.Context, records ...*Record) error {
	var names []string
	rows := make([][]any, len(records))
	for _, c := range l.columns {
		if c.write == nil {
			continue
		}
		names = append(names, c.name)
		for i, r := range records {
			value, err := c.write(r)
			if err != nil {
				return fmt.Errorf("ledger: %s of %s: %w", c.name, r.Name, err)
			}
			rows[i] = append(rows[i], value)
		}
	}
	into := Table().SQL() + " (" + strings.Join(names, ", ") + ")"
	first := records[0]
	id := fmt.Sprintf("dfe-ledger-%s-%d", first.Pass, first.Sequence)
	err := l.patiently(ctx, notNow, func() error { return l.conn.Insert(ctx, into, id, writeSettings(first.Platform), rows) })
	if err != nil {
		what := fmt.Sprintf("the row of %s %s", first.Kind, first.Name)
		if len(records) > 1 {
			what = fmt.Sprintf("%d rows, the first of %s %s", len(records), first.Kind, first.Name)
		}
		e, answered := catalog.Exception(err)
		switch {
		case answered && e.Code == unknownStatus:
			return fmt.Errorf("ledger: it is not known whether this was written, %s: the server answers %s", what, catalog.ServerMessage(e))
		case answered:
			return fmt.Errorf("ledger: not written, %s: the server answers %s", what, catalog.ServerMessage(e))
		}
		return fmt.Errorf("ledger: it is not known whether this was written, %s: %w", what, err)
	}
	return nil
}

// Newest returns the newest row of each object, in one query.
func (l *Ledger) Newest(ctx context.Context) (map[Key]*Record, error) { return l.newest(ctx, "") }

// Names are those that a reader of the ledger asks about: each of Exact, and every one that begins with one of Prefixes.
// The zero value is every name.
type Names struct{ Exact, Prefixes []string }

// longestList is how many names a query lists at most; beyond it the answer has every name of the scope. A query has to
// stay below the server's max_query_size.
const longestList = 1000

// condition is what the names are in a query, "" for every name.
func (n Names) condition() string {
	if len(n.Exact) > longestList {
		return ""
	}
	var either []string
	if len(n.Exact) > 0 {
		quoted := make([]string, len(n.Exact))
		for i, name := range n.Exact {
			quoted[i] = ast.QuoteString(name)
		}
		either = append(either, "name IN ("+strings.Join(quoted, ", ")+")")
	}
	for _, prefix := range n.Prefixes {
		either = append(either, "startsWith(name, "+ast.QuoteString(prefix)+")")
	}
	if len(either) == 0 {
		return ""
	}
	return " AND (" + strings.Join(either, " OR ") + ")"
}

// NewestIn returns the newest row of each object of a scope that has one of the names; of many names it returns every
// object of the scope.
func (l *Ledger) NewestIn(ctx context.Context, scope Scope, names Names) (map[Key]*Record, error) {
	return l.newest(ctx, " WHERE scope = "+ast.QuoteString(string(scope))+names.condition())
}

// Done returns the newest row of each object for which a statement was sent.
func (l *Ledger) Done(ctx context.Context) (map[Key]*Record, error) {
	if l == nil || !slices.ContainsFunc(l.columns, func(c column) bool { return c.name == "statement" }) {
		return map[Key]*Record{}, nil
	}
	return l.newest(ctx, " WHERE statement != ''")
}

// newest returns the newest row of each object among those that a condition leaves.
func (l *Ledger) newest(ctx context.Context, where string) (map[Key]*Record, error) {
	if l == nil {
		return map[Key]*Record{}, nil
	}
	var names []string
	for _, c := range l.columns {
		names = append(names, c.selected())
	}
	// A holder that was cut off may write down what it did after the next one has begun: the later lease is the newer.
	order := "recorded_at DESC, sequence DESC"
	if slices.Contains(names, "epoch") {
		order = "epoch DESC, " + order
	}
	query := "SELECT " + strings.Join(names, ", ") + " FROM " + Table().SQL() + where + " ORDER BY " + order + " LIMIT 1 BY scope, kind, name"
	ctx = clickhouse.Context(ctx, clickhouse.WithSettings(readSettings()))
	found := map[Key]*Record{}
	read := func(scan func(...any) error) error {
		var (
			r     raw
			into  []any
			after []func(*Record) error
		)
		for _, c := range l.columns {
			target, finish := c.read(&r)
			into = append(into, target)
			if finish != nil {
				after = append(after, finish)
			}
		}
		if err := scan(into...); err != nil {
			return err
		}
		record := r.Record
		for _, finish := range after {
			if err := finish(&record); err != nil {
				return err
			}
		}
		found[record.Key] = &record
		return nil
	}
	err := l.patiently(ctx, notRead, func() error { return l.conn.Select(ctx, query, nil, read) })
	if err != nil {
		return nil, &catalog.ReadError{What: "the ledger", Err: err}
	}
	return found, nil
}
