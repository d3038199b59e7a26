package ledger

import (
	"context"
	"fmt"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
)

// Ledger is the live table with the columns it has.
type Ledger struct {
	conn    *catalog.Conn
	columns []column
}

// ShapeError is a live object under the ledger's name that is no ledger. It is never dropped or rebuilt by a pass.
type ShapeError struct{ Reason string }

func (e *ShapeError) Error() string {
	return fmt.Sprintf("%s is not the ledger of any release: %s; rename it out of the way and run again", Table(), e.Reason)
}

// Open returns the ledger in a catalogue, or nil where there is none yet. A nil ledger has no rows.
func Open(conn *catalog.Conn, live *catalog.Catalog) (*Ledger, error) {
	return OpenObject(conn, live.Find(ast.KindTable, Table()))
}

// OpenObject returns the ledger that a live object is, nil for nil.
func OpenObject(conn *catalog.Conn, o *catalog.Object) (*Ledger, error) {
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
	for _, c := range columns() {
		switch {
		case table.Column(c.name) != nil:
			l.columns = append(l.columns, c)
		case c.required:
			return nil, &ShapeError{"it has no column " + c.name}
		}
	}
	return l, nil
}

// writeSettings make a row acknowledged only once a majority of the replicas has it.
func writeSettings() map[string]any {
	return map[string]any{
		"async_insert": 0, "insert_quorum": "auto", "insert_quorum_parallel": 0, "insert_quorum_timeout": 10_000,
	}
}

// Append writes one row.
func (l *Ledger) Append(ctx context.Context, r *Record) error {
	var (
		names  []string
		values []any
	)
	for _, c := range l.columns {
		if c.write == nil {
			continue
		}
		value, err := c.write(r)
		if err != nil {
			return fmt.Errorf("ledger: %s of %s: %w", c.name, r.Name, err)
		}
		names, values = append(names, c.name), append(values, value)
	}
	into := Table().SQL() + " (" + strings.Join(names, ", ") + ")"
	id := fmt.Sprintf("dfe-ledger-%s-%d", r.Pass, r.Sequence)
	if err := l.conn.Insert(ctx, into, id, writeSettings(), [][]any{values}); err != nil {
		if e, answered := catalog.Exception(err); answered {
			return fmt.Errorf("ledger: the row of %s %s was not written: the server answers %s", r.Kind, r.Name, catalog.ServerMessage(e))
		}
		return fmt.Errorf("ledger: it is not known whether the row of %s %s was written: %w", r.Kind, r.Name, err)
	}
	return nil
}

// Newest returns the newest row of each object, in one query.
func (l *Ledger) Newest(ctx context.Context) (map[Key]*Record, error) {
	if l == nil {
		return map[Key]*Record{}, nil
	}
	var names []string
	for _, c := range l.columns {
		names = append(names, c.selected())
	}
	query := "SELECT " + strings.Join(names, ", ") + " FROM " + Table().SQL() +
		" ORDER BY recorded_at DESC, sequence DESC LIMIT 1 BY scope, kind, name"
	ctx = clickhouse.Context(ctx, clickhouse.WithSettings(clickhouse.Settings{"select_sequential_consistency": 1}))
	found := map[Key]*Record{}
	err := l.conn.Select(ctx, query, nil, func(scan func(...any) error) error {
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
	})
	if err != nil {
		return nil, &catalog.ReadError{What: "the ledger", Err: err}
	}
	return found, nil
}
