package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strconv"
	"time"

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
	node, err := r.order(d, data)
	if err != nil {
		return err
	}
	r.kick()
	// (ClickHouse's replication_wait_for_inactive_replica_timeout)
	ctx, end := m.session.bounded(ctx, 2*time.Minute, embedded.NewException(341, "UNFINISHED", "The statement is in the table's log, and what is before it has not reached this replica within 120 seconds: it will be carried out after that"))
	defer end()
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

// order puts a statement into the table's log. As a server does, TRUNCATE forgets what was inserted: an equal block after it
// is a new one.
func (r *replica) order(d *definition, data []byte) (node string, err error) {
	s := r.member.session
	for {
		var ops []any
		if d.verb == "TRUNCATE" {
			known, err := s.list(path.Join(r.Path, "blocks"))
			if err != nil {
				return "", err
			}
			for _, hash := range known {
				ops = append(ops, &zk.DeleteRequest{Path: path.Join(r.Path, "blocks", hash), Version: -1})
			}
		}
		answers, err := s.multi(append(ops, newNode(path.Join(r.Path, "log", "log-"), data, zk.FlagSequence))...)
		if errors.Is(err, zk.ErrNoNode) && len(ops) > 0 {
			continue // another TRUNCATE was first
		}
		if err != nil {
			return "", err
		}
		return answers[len(answers)-1].String, nil
	}
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
	failed, err := r.carryOut(ctx, n, e)
	if err != nil {
		return false, err
	}
	if failed != nil && settled {
		return false, fmt.Errorf("entry %d of %s: %w", n, r.Path, failed)
	}
	if !settled {
		// Where another member took this one for lost, its verdict holds: the entry is taken again by that.
		if _, err := s.create(path.Join(r.entry(n), "verdict"), []byte(writeVerdict(failed)), 0); err != nil {
			return false, fmt.Errorf("the verdict about %s: %w", r.entry(n), err)
		}
	}
	return true, r.moveTo(n)
}

// carryOut runs a statement of the log on the engine, unless a killed process of this member had the engine take it as a
// mutation or a patch, which survive. Other statements do no harm when they are done twice. err is what is no fault of the
// statement.
func (r *replica) carryOut(ctx context.Context, n int, e tableEntry) (failed, err error) {
	t, err := readText(e.SQL)
	if err != nil {
		return err, nil
	}
	name, err := r.name(ctx)
	if err != nil {
		return nil, err
	}
	d := readDefinition(t)
	newest, undone, err := r.mutations(ctx, name)
	if d.verb == "UPDATE" {
		newest, undone, err = r.patches(ctx, name)
	}
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	before := r.state.Doing
	r.mu.Unlock()
	if before != nil && before.Entry == n && newest > before.Newest {
		if undone > 0 {
			return nil, fmt.Errorf("entry %d of %s: the engine is at it: %w", n, r.Path, embedded.ErrTryAgain)
		}
		return nil, nil
	}
	r.mu.Lock()
	r.state.Doing = &changing{n, newest}
	err = r.save()
	r.mu.Unlock()
	if err != nil {
		return nil, err
	}
	// The name may be another by now.
	at := d.after - 1
	if t.name(at) == d.names[0].Name && d.names[0].Database != "" {
		at -= 2
	}
	o := embedded.Order{Text: t.apply([]edit{t.replace(at, d.after, name.SQL())}), Database: e.Database, Settings: e.Settings}
	return blame(ctx, r.member.logged(ctx, t, o, func() error {
		_, err := r.member.server.Do(ctx, o)
		return err
	}))
}

// mutations are the number of the newest mutation that the table's log led to, and how many are not done.
func (r *replica) mutations(ctx context.Context, n ast.Name) (newest uint64, undone int, err error) {
	return r.newest(ctx, "SELECT toString(max(toUInt64OrZero(extract(mutation_id, '[0-9]+')))), toString(countIf(NOT is_done)) FROM system.mutations WHERE database = "+
		quoted(n.Database)+" AND table = "+quoted(n.Name)+" AND match(command, '^\\\\(?(UPDATE|DELETE) ')")
}

// patches are the version of the newest lightweight UPDATE, which is in patch parts. They are listed, also where a merge has
// applied them, for longer than a member takes to start (ClickHouse's old_parts_lifetime, 480 s).
func (r *replica) patches(ctx context.Context, n ast.Name) (newest uint64, undone int, err error) {
	return r.newest(ctx, "SELECT toString(max(data_version)), '0' FROM system.parts WHERE database = "+quoted(n.Database)+" AND table = "+quoted(n.Name)+" AND startsWith(name, 'patch-')")
}

func (r *replica) newest(ctx context.Context, query string) (newest uint64, undone int, err error) {
	list, err := r.member.table(ctx, query)
	if err != nil || len(list) == 0 {
		return 0, 0, err
	}
	newest, err = strconv.ParseUint(list[0][0], 10, 64)
	if err != nil {
		return 0, 0, err
	}
	undone, err = strconv.Atoi(list[0][1])
	return newest, undone, err
}
