package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"

	"github.com/go-zookeeper/zk"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine/embedded"
)

// changeRows sends a statement that changes rows of a replicated table (DELETE, UPDATE, TRUNCATE, DROP PARTITION and the
// like) through the table's log, and waits until this member has carried it out.
func (c *client) changeRows(ctx context.Context, d *definition, n ast.Name) error {
	m := c.member
	r, _, err := m.tables.find(ctx, n)
	if err != nil {
		return err
	}
	if r == nil {
		return unsupported(d.verb + " of a materialized view")
	}
	if alive, _, _ := m.session.state(); !alive {
		return embedded.NewException(242, "TABLE_IS_READ_ONLY", "Table is in readonly mode (replica path: "+r.own()+")")
	}
	o := c.order(d)
	// A member that takes it in carries it out to its end.
	o.Settings["mutations_sync"], o.Settings["lightweight_deletes_sync"], o.Settings["alter_sync"] = "2", "2", "2"
	data, err := json.Marshal(tableEntry{SQL: d.bare(), Database: n.Database, Settings: o.Settings, Source: r.Replica})
	if err != nil {
		return err
	}
	node, err := m.session.create(path.Join(r.Path, "log", "log-"), data, zk.FlagSequence)
	if err != nil {
		return err
	}
	r.kick()
	if err := r.await(ctx, sequence(path.Base(node))); err != nil {
		return err
	}
	verdict, ok, err := m.session.get(path.Join(node, "verdict"))
	if err != nil {
		return err
	}
	if ok && string(verdict) != "ok" {
		return parseVerdict(string(verdict))
	}
	return c.Done()
}

// takeStatement carries out a statement of the log. Where it was carried out first it may fail; then nobody does it.
func (r *replica) takeStatement(ctx context.Context, n int, e tableEntry) (bool, error) {
	s := r.member.session
	verdict, settled, err := s.get(path.Join(r.entry(n), "verdict"))
	if err != nil {
		return false, err
	}
	if settled && string(verdict) != "ok" {
		return true, r.moveTo(n)
	}
	if !settled && e.Source != r.Replica {
		there, err := s.exists(path.Join(r.Path, "replicas", e.Source, "is_active"))
		if err != nil || there {
			return false, err
		}
	}
	failed := func() error {
		t, err := readText(e.SQL)
		if err != nil {
			return err
		}
		name, err := r.name(ctx)
		if err != nil {
			return err
		}
		// The name may be another by now.
		d := readDefinition(t)
		at := d.after - 1
		if t.name(at) == d.names[0].Name && d.names[0].Database != "" {
			at -= 2
		}
		sql := t.apply([]edit{t.replace(at, d.after, name.SQL())})
		_, err = r.member.server.Do(ctx, embedded.Order{Text: sql, Database: e.Database, Settings: e.Settings})
		return err
	}()
	if failed != nil && ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	if failed != nil && settled {
		return false, fmt.Errorf("entry %d of %s: %w", n, r.Path, failed)
	}
	if !settled {
		verdict := "ok"
		if failed != nil {
			verdict = writeVerdict(failed)
		}
		if _, err := s.create(path.Join(r.entry(n), "verdict"), []byte(verdict), 0); err != nil && !errors.Is(err, zk.ErrNodeExists) {
			return false, err
		}
	}
	return true, r.moveTo(n)
}
