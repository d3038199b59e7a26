package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine/embedded"
	"github.com/dfe-engine/dfe/engine/internal/jvm"
)

// replica is a replicated table on this member. The engine has it as a plain table; its rows are blocks that members
// fetch from each other, in the order of a log in ZooKeeper. The nodes under its path:
//
//	log/log-N            an entry: a block of rows, or a statement that changes rows
//	log/log-N/verdict    of a statement: what became of it where it was carried out first
//	blocks/HASH          a block that was inserted, for an equal one to be left out
//	quorum/status        the block that waits for its quorum, and who has it
//	quorum/last_part     the entry of the newest block that reached its quorum
//	quorum/parallel/ID   of inserts with insert_quorum_parallel
//	replicas/R           a member's; is_active is ephemeral, log_pointer is how far it is
type replica struct {
	replication
	member *member
	cancel context.CancelFunc
	done   chan struct{}

	// The worker's own: the log_pointer in ZooKeeper as far as this process knows, and the session in which this member
	// has said that it is active.
	published int
	session   int64

	mu     sync.Mutex
	state  replicaState
	moved  chan struct{} // closed and replaced when the state changes
	kicked chan struct{} // wakes the worker
}

// replicaState is what this member has taken in: every entry before Pointer, and those in Ahead.
type replicaState struct {
	Pointer int   `json:"pointer"`
	Ahead   []int `json:"ahead,omitempty"`
	// Doing is a statement that is being carried out.
	Doing *changing `json:"doing,omitempty"`
}

// changing is a statement of the table's log, and the newest change of rows that the engine had before it.
type changing struct {
	Entry  int    `json:"entry"`
	Newest uint64 `json:"newest"`
}

func (s replicaState) has(n int) bool { return n < s.Pointer || slices.Contains(s.Ahead, n) }

// tableEntry is the data of log/log-N.
type tableEntry struct {
	// Block is the id of a block of rows; empty for a statement.
	Block   string   `json:"block,omitempty"`
	Columns []string `json:"columns,omitempty"`
	Hash    string   `json:"hash,omitempty"`
	Quorum  int      `json:"quorum,omitempty"`
	// Parallel says that the quorum does not hold others up, and the rows are seen before it is reached.
	Parallel bool   `json:"parallel,omitempty"`
	Source   string `json:"source"` // the replica that has it

	SQL      string            `json:"sql,omitempty"`
	Database string            `json:"database,omitempty"`
	Settings map[string]string `json:"settings,omitempty"`
}

// quorumStatus is the data of quorum/status and quorum/parallel/ID.
type quorumStatus struct {
	Block    string   `json:"block"`
	Entry    int      `json:"entry"` // -1 while it is not known
	Required int      `json:"required"`
	Replicas []string `json:"replicas"`
}

func (q quorumStatus) String() string {
	return fmt.Sprintf("part_name: %s, required_number_of_replicas: %d, actual_number_of_replicas: %d, replicas: %s", q.Block, q.Required, len(q.Replicas), strings.Join(q.Replicas, ", "))
}

func (m *member) openReplica(known replication) (*replica, error) {
	r := &replica{replication: known, member: m, published: -1, moved: make(chan struct{}), kicked: make(chan struct{}, 1)}
	text, err := os.ReadFile(r.file())
	switch {
	case errors.Is(err, os.ErrNotExist):
		if m.session == nil {
			return nil, errNoKeeper()
		}
		if err := r.enroll(); err != nil {
			return nil, err
		}
		return r, r.save()
	case err != nil:
		return nil, err
	}
	return r, json.Unmarshal(text, &r.state)
}

// blocks is what the members call the table when they ask each other for its blocks. Where each has made it by itself they
// have nothing in common but its path.
func (r *replica) blocks() string {
	if strings.Contains(r.Path, r.UUID) {
		return r.UUID
	}
	return jvm.Digest([]byte(r.Path))
}

func (r *replica) file() string { return filepath.Join(r.member.stageDir(), "table-"+r.UUID+".json") }

func (r *replica) save() error { return writeJSON(r.file(), r.state) }

func (r *replica) own() string { return path.Join(r.Path, "replicas", r.Replica) }

// enroll makes this member's table a replica.
func (r *replica) enroll() error {
	s := r.member.session
	for _, p := range []string{"log", "blocks", "quorum", "quorum/parallel", "replicas", path.Join("replicas", r.Replica)} {
		if err := s.ensure(path.Join(r.Path, p)); err != nil {
			return err
		}
	}
	if err := s.put(r.own()+"/log_pointer", []byte("0")); err != nil {
		return err
	}
	return r.activate()
}

// activate says that this replica is there, once in each session.
func (r *replica) activate() error {
	s := r.member.session
	_, number, _ := s.state()
	if number == r.session {
		return nil
	}
	if err := s.claim(r.own()+"/is_active", []byte(r.member.Name)); err != nil {
		return err
	}
	r.session = number
	return nil
}

// leave takes the replica from ZooKeeper, and the table with its last replica. The state goes last: it says to whoever comes
// after a killed process that there is something to do.
func (r *replica) leave() error {
	if err := r.member.session.leave(r.Path, r.Replica); err != nil {
		return err
	}
	return errors.Join(os.RemoveAll(filepath.Join(r.member.stageDir(), "blocks", r.blocks())), os.Remove(r.file()))
}

// leave takes a replica from a table or database in ZooKeeper, and all of that with its last one.
func (s *session) leave(of, replica string) error {
	if err := s.removeTree(path.Join(of, "replicas", replica)); err != nil {
		return err
	}
	left, err := s.list(path.Join(of, "replicas"))
	if err == nil && len(left) == 0 {
		err = s.removeTree(of)
	}
	return err
}

// describe fills in a row of system.replicas.
func (r *replica) describe(own row) error {
	s := r.member.session
	if alive, _, _ := s.state(); !alive {
		return errors.New("Session expired")
	}
	names, err := s.list(path.Join(r.Path, "log"))
	if err != nil {
		return err
	}
	replicas, err := s.list(path.Join(r.Path, "replicas"))
	if err != nil {
		return err
	}
	active := map[string]int{}
	there := 0
	for _, name := range replicas {
		is, err := s.exists(path.Join(r.Path, "replicas", name, "is_active"))
		if err != nil {
			return err
		}
		active[name] = flag(is)
		there += flag(is)
	}
	r.mu.Lock()
	state := r.state
	r.mu.Unlock()
	waiting := 0
	newest := 0
	for _, name := range names {
		newest = max(newest, sequence(name))
		if !state.has(sequence(name)) {
			waiting++
		}
	}
	own["total_replicas"], own["active_replicas"], own["replica_is_active"] = len(replicas), there, active
	own["queue_size"], own["inserts_in_queue"], own["log_max_index"], own["log_pointer"] = waiting, waiting, newest, state.Pointer
	return nil
}

// follow takes in the log until ctx ends.
func (r *replica) follow(ctx context.Context) {
	r.member.session.follow(ctx, r.member.log.With("table", r.Path), "following a table's log", r.kicked, r.advance)
}

// kick makes the worker look at once.
func (r *replica) kick() {
	select {
	case r.kicked <- struct{}{}:
	default:
	}
}

// advance takes in what is new. A block that cannot be had yet does not hold up the blocks after it. A statement is carried
// out when everything before it is there, and nothing that comes after it goes before it: rows that it is not about would be
// changed.
func (r *replica) advance(ctx context.Context) (<-chan zk.Event, error) {
	if err := r.activate(); err != nil {
		return nil, err
	}
	names, changed, err := r.member.session.watch(path.Join(r.Path, "log"))
	if err != nil {
		return nil, err
	}
	behind := false
	for _, name := range names {
		n := sequence(name)
		r.mu.Lock()
		has := r.state.has(n)
		r.mu.Unlock()
		if has {
			continue
		}
		taken, orders, err := r.take(ctx, n, behind)
		if err != nil {
			return nil, err
		}
		behind = behind || !taken
		if orders && !taken {
			break
		}
	}
	if err := r.publish(); err != nil {
		return nil, err
	}
	if behind {
		// Something is to come: a quorum, or the return of the one member that has a block.
		time.AfterFunc(20*time.Millisecond, r.kick)
	}
	return changed, nil
}

func (r *replica) entry(n int) string { return path.Join(r.Path, "log", fmt.Sprintf("log-%010d", n)) }

// take takes in one entry, if it can be had now. orders says that it is a statement.
func (r *replica) take(ctx context.Context, n int, behind bool) (taken, orders bool, err error) {
	data, ok, err := r.member.session.get(r.entry(n))
	if err != nil {
		return false, false, err
	}
	if !ok {
		return true, false, r.moveTo(n)
	}
	var e tableEntry
	if err := json.Unmarshal(data, &e); err != nil {
		return false, false, fmt.Errorf("%s: %w", r.entry(n), err)
	}
	switch {
	case e.Block != "":
		taken, err = r.takeBlock(ctx, n, e)
	case !behind:
		taken, err = r.takeStatement(ctx, n, e)
	}
	return taken, e.Block == "", err
}

// takeBlock stores the rows of an entry, if they can be had and are to be seen.
func (r *replica) takeBlock(ctx context.Context, n int, e tableEntry) (bool, error) {
	block, ok := r.fetch(ctx, e)
	if !ok {
		return false, nil
	}
	if e.Quorum > 1 {
		pending, err := r.vouch(n, e)
		if err != nil || pending && !e.Parallel {
			return false, err
		}
	}
	if err := r.store(ctx, e, block); err != nil {
		return false, err
	}
	return true, r.moveTo(n)
}

// fetch gets a block: what this member has, or another gives. ok is false where nobody who has it answers.
func (r *replica) fetch(ctx context.Context, e tableEntry) (data []byte, ok bool) {
	m := r.member
	file := m.blockFile(r.blocks(), e.Block)
	if data, err := os.ReadFile(file); err == nil {
		return data, true
	}
	for _, p := range m.Peers {
		if p.Name == m.Name {
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
		data, err := call(ctx, m.client, http.MethodGet, m.control(p, "/block/"+r.blocks()+"/"+e.Block), nil)
		cancel()
		if err == nil && m.keepBlock(r.blocks(), e.Block, data) == nil {
			return data, true
		}
	}
	return nil, false
}

// keepBlock stores a block where other members and a later process find it.
func (m *member) keepBlock(table, block string, data []byte) error {
	file := m.blockFile(table, block)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	next := file + ".new-" + m.Name
	if err := os.WriteFile(next, data, 0o600); err != nil {
		return err
	}
	return os.Rename(next, file)
}

// vouch says that this replica has a block whose quorum is wanted, and reports whether that is still to be reached.
func (r *replica) vouch(n int, e tableEntry) (pending bool, err error) {
	s := r.member.session
	node := path.Join(r.Path, "quorum", "status")
	if e.Parallel {
		node = path.Join(r.Path, "quorum", "parallel", e.Block)
	}
	for {
		data, version, ok, err := s.versioned(node)
		if err != nil || !ok {
			return false, err
		}
		var status quorumStatus
		if err := json.Unmarshal(data, &status); err != nil {
			return false, fmt.Errorf("%s: %w", node, err)
		}
		if status.Block != e.Block {
			return false, nil // this one's is reached
		}
		if !slices.Contains(status.Replicas, r.Replica) {
			status.Replicas = append(status.Replicas, r.Replica)
		} else if len(status.Replicas) < status.Required {
			return true, nil
		}
		status.Entry = n
		if len(status.Replicas) < status.Required {
			data, err := json.Marshal(status)
			if err != nil {
				return false, err
			}
			err = s.set(node, data, version)
			if errors.Is(err, zk.ErrBadVersion) || errors.Is(err, zk.ErrNoNode) {
				continue
			}
			return true, err
		}
		ops := []any{&zk.DeleteRequest{Path: node, Version: version}}
		if !e.Parallel {
			last := path.Join(r.Path, "quorum", "last_part")
			found, err := s.exists(last)
			if err != nil {
				return false, err
			}
			if found {
				ops = append(ops, &zk.SetDataRequest{Path: last, Data: fmt.Append(nil, n), Version: -1})
			} else {
				ops = append(ops, newNode(last, fmt.Append(nil, n), 0))
			}
		}
		_, err = s.multi(ops...)
		if errors.Is(err, zk.ErrBadVersion) || errors.Is(err, zk.ErrNoNode) || errors.Is(err, zk.ErrNodeExists) {
			continue
		}
		return false, err
	}
}

// store gives the engine a block. The engine takes the same block once (see marker), so that a process that was killed
// before it could say so does it again without harm.
func (r *replica) store(ctx context.Context, e tableEntry, block []byte) error {
	n, err := r.name(ctx)
	if err != nil {
		return err
	}
	settings := ownSettings()
	for name, value := range map[string]string{
		"insert_allow_materialized_columns": "1", "insert_deduplication_token": e.Block, "insert_deduplicate": "1",
		// A process that was killed may have stored the block and not what the views make of it.
		"deduplicate_blocks_in_dependent_materialized_views": "1",
		"max_partitions_per_insert_block":                    "0", "max_insert_block_size": "1000000000", "min_insert_block_size_rows": "0", "min_insert_block_size_bytes": "0",
		"input_format_parallel_parsing": "0", "input_format_skip_unknown_fields": "1",
	} {
		settings[name] = value
	}
	err = r.insert(ctx, n, e.Columns, block, settings)
	if code, _ := embedded.Code(err); code != 16 || !r.caughtUp(n.Database) {
		return err
	}
	// A column of the block is gone from the definition, and not one that is still to come.
	list, err := r.member.column(ctx, "SELECT name FROM system.columns WHERE database = "+quoted(n.Database)+" AND table = "+quoted(n.Name))
	if err != nil {
		return err
	}
	left := slices.DeleteFunc(slices.Clone(e.Columns), func(c string) bool { return !slices.Contains(list, c) })
	return r.insert(ctx, n, left, block, settings)
}

func (r *replica) insert(ctx context.Context, n ast.Name, columns []string, block []byte, settings map[string]string) error {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = ast.QuoteIdent(c)
	}
	_, err := r.member.server.Do(ctx, embedded.Order{
		Text: "INSERT INTO " + n.SQL() + " (" + strings.Join(names, ", ") + ") ", Settings: settings, Data: strings.NewReader(string(block)), DataFormat: "Native",
	})
	return err
}

// caughtUp reports whether this member has carried out all of a database's log.
func (r *replica) caughtUp(database string) bool {
	db := r.member.dbs.find(database)
	if db == nil {
		return true
	}
	names, err := r.member.session.list(path.Join(db.Path, "log"))
	if err != nil {
		return false
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	return len(names) == 0 || sequence(names[len(names)-1]) < db.Pointer
}

// name is what the table is called now.
func (r *replica) name(ctx context.Context) (ast.Name, error) {
	return known(&r.member.facts, "name "+r.UUID, func() (ast.Name, bool, error) {
		list, err := r.member.table(ctx, "SELECT database, name FROM system.tables WHERE "+ofUsers+" AND uuid = "+quoted(r.UUID))
		if err != nil {
			return ast.Name{}, false, err
		}
		if len(list) == 0 {
			return ast.Name{}, false, embedded.NewException(60, "UNKNOWN_TABLE", "The table "+r.UUID+" is gone")
		}
		return ast.Name{Database: list[0][0], Name: list[0][1]}, true, nil
	})
}

// moveTo notes that an entry is taken in.
func (r *replica) moveTo(n int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.Doing = nil
	r.state.Ahead = append(r.state.Ahead, n)
	for at := slices.Index(r.state.Ahead, r.state.Pointer); at >= 0; at = slices.Index(r.state.Ahead, r.state.Pointer) {
		r.state.Ahead = slices.Delete(r.state.Ahead, at, at+1)
		r.state.Pointer++
	}
	close(r.moved)
	r.moved = make(chan struct{})
	return r.save()
}

// publish says in ZooKeeper how far this member is, unless it has.
func (r *replica) publish() error {
	r.mu.Lock()
	pointer := r.state.Pointer
	r.mu.Unlock()
	if r.published == pointer {
		return nil
	}
	err := r.member.session.put(r.own()+"/log_pointer", fmt.Append(nil, pointer))
	if err == nil {
		r.published = pointer
	}
	return err
}

// await waits until an entry is taken in here.
func (r *replica) await(ctx context.Context, n int) error {
	for {
		r.mu.Lock()
		has, moved := r.state.has(n), r.moved
		r.mu.Unlock()
		if has {
			return nil
		}
		select {
		case <-moved:
		case <-r.done:
			if r.member.tables.ended() {
				return errStopped
			}
			return embedded.NewException(60, "UNKNOWN_TABLE", "The table was dropped meanwhile")
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
