package cluster

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine/embedded"
	"github.com/dfe-engine/dfe/lang/lex"
)

// sequential answers for select_sequential_consistency: each replicated table that the query may read has all that
// reached a quorum.
func (c *client) sequential(ctx context.Context) error {
	if c.Session() != "" {
		return unsupported("select_sequential_consistency in a session")
	}
	return c.sequentialIn(ctx, c.text, c.database(), map[ast.Name]bool{})
}

func (c *client) sequentialIn(ctx context.Context, t *text, database string, seen map[ast.Name]bool) error {
	m := c.member
	var names []ast.Name
	for _, n := range t.mayRead(database) {
		if !seen[n] {
			seen[n], names = true, append(names, n)
		}
	}
	// One question for them all: most of what may be a table is a column.
	there, err := m.objects(ctx, names)
	if err != nil {
		return err
	}
	for _, o := range there {
		r, replicated, err := m.tables.of(ctx, o.uuid)
		if err != nil {
			return err
		}
		if replicated && r != nil {
			if err := r.sequential(ctx); err != nil {
				return err
			}
			continue
		}
		if o.query == "" {
			continue
		}
		inner, err := readText(o.query)
		if err != nil {
			return err
		}
		if err := c.sequentialIn(ctx, inner, o.name.Database, seen); err != nil {
			return err
		}
	}
	return nil
}

// mayRead are the names in a query that may be tables: all that are qualified, and others where a table can stand.
func (t *text) mayRead(database string) []ast.Name {
	var names []ast.Name
	for i := 0; i < t.len(); i++ {
		if t.name(i) == "" || t.kind(i-1) == lex.Dot {
			continue
		}
		n, next := t.full(i)
		qualified := next > i+1
		if n.Database == "" {
			n.Database = database
		}
		if !qualified && t.word(i-1) != "FROM" && t.word(i-1) != "JOIN" && t.word(i-1) != "IN" && t.kind(i-1) != lex.Comma || n.Database == "system" {
			continue
		}
		names = append(names, n)
	}
	return names
}

// object is a table or view of the engine's.
type object struct {
	name  ast.Name
	uuid  string
	query string // of a view
}

// objects are those of these names that there are.
func (m *member) objects(ctx context.Context, names []ast.Name) ([]object, error) {
	if len(names) == 0 {
		return nil, nil
	}
	var databases, tables []string
	for _, n := range names {
		databases, tables = append(databases, quoted(n.Database)), append(tables, quoted(n.Name))
	}
	list, err := m.table(ctx, "SELECT database, name, toString(uuid), as_select FROM system.tables WHERE database IN ("+strings.Join(databases, ", ")+") AND name IN ("+strings.Join(tables, ", ")+")")
	if err != nil {
		return nil, err
	}
	var found []object
	for _, r := range list {
		if n := (ast.Name{Database: r[0], Name: r[1]}); slices.Contains(names, n) {
			found = append(found, object{n, r[2], r[3]})
		}
	}
	return found, nil
}

// sequential is what a sequential read of this table demands.
func (r *replica) sequential(ctx context.Context) error {
	s := r.member.session
	if alive, _, _ := s.state(); !alive {
		return keeperError(errors.New("Session expired"))
	}
	if !r.member.Cloud {
		return r.inQuorum()
	}
	return r.catchUp(ctx)
}

// catchUp waits until all that the log holds now is here.
func (r *replica) catchUp(ctx context.Context) error {
	names, err := r.member.session.list(path.Join(r.Path, "log"))
	if err != nil {
		return err
	}
	r.kick()
	for _, name := range names {
		if err := r.await(ctx, sequence(name)); err != nil {
			return err
		}
	}
	return nil
}

// inQuorum reports, as error 289, that this replica lacks the newest block that reached its quorum.
func (r *replica) inQuorum() error {
	data, ok, err := r.member.session.get(path.Join(r.Path, "quorum", "last_part"))
	if err != nil || !ok {
		return err
	}
	n, err := strconv.Atoi(string(data))
	if err != nil {
		return fmt.Errorf("last_part of %s: %w", r.Path, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.state.has(n) {
		return embedded.NewException(289, "REPLICA_IS_NOT_IN_QUORUM", fmt.Sprintf("Replica doesn't have part %s which was successfully written to quorum of other replicas. Send query to another replica or disable 'select_sequential_consistency' setting", r.entry(n)))
	}
	return nil
}

// syncReplica is SYSTEM SYNC REPLICA.
func (c *client) syncReplica(ctx context.Context) error {
	n, _ := c.text.full(3)
	r, replicated, err := c.member.tables.find(ctx, c.in(n))
	switch {
	case err != nil:
		return err
	case !replicated || r == nil:
		return embedded.NewException(36, "BAD_ARGUMENTS", fmt.Sprintf("Table %s is not replicated", n))
	}
	ctx, end := c.syncing(ctx, "the log of the table "+n.SQL())
	defer end()
	if err := r.catchUp(ctx); err != nil {
		return err
	}
	return c.Done()
}

// syncing bounds a wait for a log as a server does, by receive_timeout, and by the absence of ZooKeeper.
func (c *client) syncing(ctx context.Context, what string) (context.Context, func()) {
	seconds := 300
	if text, ok := c.Setting("receive_timeout"); ok {
		if n, err := strconv.Atoi(text); err == nil {
			seconds = n
		}
	}
	return c.member.session.bounded(ctx, time.Duration(seconds)*time.Second, embedded.NewException(159, "TIMEOUT_EXCEEDED",
		fmt.Sprintf("%s has not been carried out here within %d seconds (receive_timeout)", what, seconds)))
}
