package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/dfe-engine/dfe/ast"
)

// tables are the replicated tables of a member, by UUID.
type tables struct {
	member *member
	ctx    context.Context // of the member's run; set by run

	// defining is held by who registers or reconciles.
	defining sync.Mutex
	// mu is of the maps, and never held while the engine is asked: an engine that opens takes it, and orders wait for that.
	mu      sync.Mutex
	known   map[string]replication // whatever is shown as replicated
	byID    map[string]*replica    // what has rows to replicate
	closing sync.WaitGroup
}

func newTables(m *member) *tables {
	return &tables{member: m, known: map[string]replication{}, byID: map[string]*replica{}}
}

func (t *tables) file() string { return filepath.Join(t.member.stageDir(), "replicated.json") }

// register notes that tables are replicated, before they are made: a process that is killed in between leaves a note
// about a table that is not there, which harms nobody.
func (t *tables) register(ctx context.Context, list []replication) error {
	if len(list) == 0 {
		return nil
	}
	t.defining.Lock()
	defer t.defining.Unlock()
	t.mu.Lock()
	for _, r := range list {
		t.known[r.UUID] = r
	}
	t.mu.Unlock()
	if err := show(ctx, t.member.server.Do, list...); err != nil {
		return err
	}
	return t.keep()
}

// registered is all that is shown as replicated.
func (t *tables) registered() []replication {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Collect(maps.Values(t.known))
}

// keep writes down what is registered, for the next start.
func (t *tables) keep() error { return writeJSON(t.file(), t.registered()) }

const noUUID = "00000000-0000-0000-0000-000000000000"

// show has tables shown as what they are.
func show(ctx context.Context, run runner, list ...replication) error {
	if len(list) == 0 {
		return nil
	}
	rows := make([]string, len(list))
	for i, r := range list {
		rows[i] = fmt.Sprintf("(%s, %s, %s)", quoted(r.UUID), quoted(r.Arguments), quoted(cmp.Or(r.Shown, noUUID)))
	}
	_, err := run.own(ctx, "INSERT INTO "+stageDatabase+".replicated VALUES "+strings.Join(rows, ", "))
	return err
}

// show does it for all.
func (t *tables) show(ctx context.Context, run runner) error {
	return show(ctx, run, t.registered()...)
}

// load reads what was registered.
func (t *tables) load() error {
	var list []replication
	if err := readJSON(t.file(), &list); err != nil {
		return err
	}
	for _, r := range list {
		t.known[r.UUID] = r
	}
	return nil
}

// run replicates rows until ctx ends.
func (t *tables) run(ctx context.Context) {
	t.mu.Lock()
	t.ctx = ctx
	for _, r := range t.byID {
		t.start(r)
	}
	t.mu.Unlock()
	<-ctx.Done()
	t.closing.Wait()
}

// start begins to follow a table's log. The caller holds the lock.
func (t *tables) start(r *replica) {
	ctx, cancel := context.WithCancel(t.ctx)
	r.cancel, r.done = cancel, make(chan struct{})
	t.closing.Go(func() {
		defer close(r.done)
		r.follow(ctx)
	})
}

// ofUsers spares the engine the definitions of its own hundred tables.
const ofUsers = "database NOT IN ('system', 'information_schema', 'INFORMATION_SCHEMA', '" + stageDatabase + "')"

// reconcile follows the tables that are there and leaves those that are gone.
func (t *tables) reconcile(ctx context.Context) error {
	// The lock comes before the question: what another statement makes meanwhile is not taken for gone.
	t.defining.Lock()
	defer t.defining.Unlock()
	there, err := t.member.column(ctx, "SELECT toString(uuid) FROM system.tables WHERE "+ofUsers+" AND (engine_full LIKE '%"+marker+"%' OR engine = 'MaterializedView')")
	if err != nil {
		return err
	}
	known := slices.DeleteFunc(t.registered(), func(r replication) bool { return r.Path == "" })
	var failed error
	// Those that are gone come first: a new table may have the path of one.
	for _, of := range known {
		if !slices.Contains(there, of.UUID) {
			failed = errors.Join(failed, t.remove(of))
		}
	}
	if failed != nil {
		return failed
	}
	for _, of := range known {
		if !slices.Contains(there, of.UUID) || t.byUUID(of.UUID) != nil {
			continue
		}
		opened, err := t.member.openReplica(of)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		t.add(opened)
	}
	return errors.Join(failed, t.keep())
}

// add begins to follow a table's log, once the member runs.
func (t *tables) add(r *replica) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.byID[r.UUID] = r
	if t.ctx != nil {
		t.start(r)
	}
}

// remove forgets a table that is gone, here and in ZooKeeper. Until ZooKeeper knows, the table's state is kept, and whoever
// reconciles next tries again, in another process too. A table without a state is one that has not been made yet.
func (t *tables) remove(of replication) error {
	t.mu.Lock()
	r := t.byID[of.UUID]
	delete(t.byID, of.UUID)
	t.mu.Unlock()
	if r == nil {
		r = &replica{replication: of, member: t.member}
		if _, err := os.Stat(r.file()); errors.Is(err, os.ErrNotExist) {
			return nil
		}
	}
	if r.cancel != nil {
		r.cancel()
		<-r.done
	}
	if err := r.leave(); err != nil {
		return err
	}
	t.mu.Lock()
	delete(t.known, of.UUID)
	t.mu.Unlock()
	return nil
}

func (t *tables) byUUID(id string) *replica {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byID[id]
}

// find is the replicated table of a name.
func (t *tables) find(ctx context.Context, n ast.Name) (r *replica, replicated bool, err error) {
	ids, err := t.member.column(ctx, "SELECT toString(uuid) FROM system.tables WHERE database = "+quoted(n.Database)+" AND name = "+quoted(n.Name))
	if err != nil || len(ids) == 0 {
		return nil, false, err
	}
	r, known := t.look(ids[0])
	if r == nil && known.Path != "" {
		// It is being made, or ZooKeeper went away while it was.
		if err := t.reconcile(ctx); err != nil {
			return nil, false, err
		}
		r, known = t.look(ids[0])
	}
	return r, known.Arguments != "", nil
}

// look is what is known about a table: its replica, nil without rows to replicate, and how it is shown.
func (t *tables) look(id string) (*replica, replication) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byID[id], t.known[id]
}

func (t *tables) all() []*replica {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Collect(maps.Values(t.byID))
}

// serveBlock gives another member the rows of a block.
func (t *tables) serveBlock(w http.ResponseWriter, r *http.Request) error {
	id, block := r.PathValue("table"), r.PathValue("id")
	if strings.ContainsAny(id+block, "/\\.") {
		return errors.New("no such block")
	}
	data, err := os.ReadFile(t.member.blockFile(id, block))
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// blockFile is where a block of a table is kept. A service of Cloud has one storage for all its members.
func (m *member) blockFile(table, block string) string {
	if m.Cloud {
		return filepath.Join(m.Shared, table, block)
	}
	return filepath.Join(m.stageDir(), "blocks", table, block)
}

// rows are those of system.replicas.
func (t *tables) rows(ctx context.Context) ([]row, error) {
	if t.member.Cloud {
		return nil, nil
	}
	named, err := t.member.table(ctx, "SELECT toString(uuid), database, name, engine FROM system.tables WHERE "+ofUsers+" AND engine LIKE '%MergeTree'")
	if err != nil {
		return nil, err
	}
	var list []row
	for _, n := range named {
		r := t.byUUID(n[0])
		if r == nil {
			continue
		}
		own := row{"database": n[1], "table": n[2], "uuid": n[0], "engine": "Replicated" + n[3], "is_leader": 1, "can_become_leader": 1,
			"zookeeper_name": "default", "zookeeper_path": r.Path, "replica_name": r.Replica, "replica_path": path.Join(r.Path, "replicas", r.Replica)}
		if err := r.describe(own); err != nil {
			own["is_readonly"], own["is_session_expired"], own["zookeeper_exception"] = 1, 1, err.Error()
		}
		list = append(list, own)
	}
	return list, nil
}
