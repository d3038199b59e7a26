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
	left    map[string]replication // what is gone and still in ZooKeeper
	closing sync.WaitGroup
}

func newTables(m *member) *tables {
	return &tables{member: m, known: map[string]replication{}, byID: map[string]*replica{}, left: map[string]replication{}}
}

// note is the file that says how a table is shown. Each has its own: a definition costs the same however many there are.
func (t *tables) note(id string) string {
	return filepath.Join(t.member.stageDir(), "replicated", id+".json")
}

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
	for _, r := range list {
		if err := writeJSON(t.note(r.UUID), r); err != nil {
			return err
		}
	}
	return show(ctx, t.member.server.Do, list...)
}

// unregister forgets how something that is gone was shown.
func (t *tables) unregister(id string) error {
	t.mu.Lock()
	delete(t.known, id)
	delete(t.left, id)
	t.mu.Unlock()
	if err := os.Remove(t.note(id)); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// registered is all that is shown as replicated.
func (t *tables) registered() []replication {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Collect(maps.Values(t.known))
}

const noUUID = "00000000-0000-0000-0000-000000000000"

// show has tables shown as what they are.
func show(ctx context.Context, run runner, list ...replication) error {
	if len(list) == 0 {
		return nil
	}
	rows := make([]string, len(list))
	for i, r := range list {
		opened, closed := "("+r.Arguments+", ", "("+r.Arguments+")"
		if r.Arguments == "-" { // a view, whose inner table has them
			opened, closed = "(", ""
		}
		rows[i] = fmt.Sprintf("(%s, %s, %s, %s, %s)", quoted(r.UUID), quoted(r.Arguments), quoted(opened), quoted(closed), quoted(cmp.Or(r.Shown, noUUID)))
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
	if err := os.MkdirAll(filepath.Dir(t.note("")), 0o700); err != nil {
		return err
	}
	files, err := filepath.Glob(t.note("*"))
	if err != nil {
		return err
	}
	for _, file := range files {
		var r replication
		if err := readJSON(file, &r); err != nil {
			return err
		}
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

// ended reports that the member takes in no more rows.
func (t *tables) ended() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ctx != nil && t.ctx.Err() != nil
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
	ids, err := t.member.column(ctx, "SELECT toString(uuid) FROM system.tables WHERE "+ofUsers)
	if err != nil {
		return err
	}
	return t.follow(slices.DeleteFunc(t.registered(), func(r replication) bool { return r.Path == "" }), ids)
}

// reconcileThese does it for tables that a definition has made or dropped, and for those that could not be left before.
func (t *tables) reconcileThese(ctx context.Context, ids []string) error {
	t.defining.Lock()
	defer t.defining.Unlock()
	var of []replication
	t.mu.Lock()
	for _, id := range ids {
		if r, ok := t.known[id]; ok {
			of = append(of, r)
		}
	}
	for _, r := range t.left {
		of = append(of, r)
	}
	t.mu.Unlock()
	if len(of) == 0 {
		return nil
	}
	asked := make([]string, len(of))
	for i, r := range of {
		asked[i] = quoted(r.UUID)
	}
	there, err := t.member.column(ctx, "SELECT toString(uuid) FROM system.tables WHERE "+ofUsers+" AND uuid IN ("+strings.Join(asked, ", ")+")")
	if err != nil {
		return err
	}
	if err := t.follow(of, there); err != nil {
		return err
	}
	// The statement is over: what it was to make and did not, nobody makes.
	var failed error
	for _, r := range of {
		if !slices.Contains(there, r.UUID) {
			failed = errors.Join(failed, t.unregister(r.UUID))
		}
	}
	return failed
}

// follow follows those of some tables that are there, and leaves the others.
func (t *tables) follow(of []replication, there []string) error {
	is := make(map[string]bool, len(there))
	for _, id := range there {
		is[id] = true
	}
	var failed error
	// Those that are gone come first: a new table may have the path of one.
	for _, r := range of {
		if !is[r.UUID] {
			failed = errors.Join(failed, t.remove(r))
		}
	}
	if failed != nil {
		return failed
	}
	for _, r := range of {
		if !is[r.UUID] || r.Path == "" || t.byUUID(r.UUID) != nil {
			continue
		}
		opened, err := t.member.openReplica(r)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		t.add(opened)
	}
	return failed
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
		t.mu.Lock()
		t.left[of.UUID] = of
		t.mu.Unlock()
		return err
	}
	return t.unregister(of.UUID)
}

func (t *tables) byUUID(id string) *replica {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byID[id]
}

// find is the replicated table of a name.
func (t *tables) find(ctx context.Context, n ast.Name) (r *replica, replicated bool, err error) {
	id, err := known(&t.member.facts, "uuid "+n.SQL(), func() (string, bool, error) {
		ids, err := t.member.column(ctx, "SELECT toString(uuid) FROM system.tables WHERE database = "+quoted(n.Database)+" AND name = "+quoted(n.Name))
		if err != nil || len(ids) == 0 {
			return "", false, err
		}
		return ids[0], true, nil
	})
	if err != nil || id == "" {
		return nil, false, err
	}
	return t.of(ctx, id)
}

// named are the tables that a definition is about, the inner ones of views among them.
func (t *tables) named(ctx context.Context, d *definition, database string) ([]string, error) {
	names := slices.Clone(d.names)
	for i := range names {
		names[i].Database = cmp.Or(names[i].Database, database)
	}
	list, err := t.member.objects(ctx, names)
	var ids []string
	var inner []ast.Name
	for _, o := range list {
		ids = append(ids, o.uuid)
		if o.query != "" {
			inner = append(inner, ast.Name{Database: o.name.Database, Name: ".inner_id." + o.uuid})
		}
	}
	if err != nil || len(inner) == 0 {
		return ids, err
	}
	list, err = t.member.objects(ctx, inner)
	for _, o := range list {
		ids = append(ids, o.uuid)
	}
	return ids, err
}

// of is the replicated table of a UUID that the engine has.
func (t *tables) of(ctx context.Context, id string) (r *replica, replicated bool, err error) {
	r, known := t.look(id)
	if r == nil && known.Path != "" {
		// It is being made, or ZooKeeper went away while it was.
		if err := t.reconcile(ctx); err != nil {
			return nil, false, err
		}
		r, known = t.look(id)
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
