package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dfe-engine/dfe/engine/embedded"
)

// database is a Replicated database on this member. Its definition lives in a log in ZooKeeper, which every member
// carries out in order. The nodes under its path:
//
//	log/query-N                  an entry: the statement and its surroundings
//	log/query-N/verdict          what became of it where it was carried out first: "ok", or code and text
//	log/query-N/active/SHARD|R   ephemeral: the member is at it
//	log/query-N/finished/SHARD|R the member has done it
//	replicas/SHARD|R             a member; log_ptr under it is how far it is, active is ephemeral
//
// As on a server, the member that was asked carries an entry out first, and the others do only what worked there. Where
// that member is lost before it could say, the next one takes its place.
type database struct {
	Name       string `json:"name"`
	UUID       string `json:"uuid"`
	EngineFull string `json:"engine_full"`
	Path       string `json:"path"`
	// Pointer is the number of the next entry to carry out here.
	Pointer int `json:"pointer"`
	// Doing is the entry that is being carried out and how its objects looked before, for a member that is killed there.
	Doing  *doing `json:"doing,omitempty"`
	member *member
	cancel context.CancelFunc
	done   chan struct{}

	gone      atomic.Bool // the engine has dropped it, and ZooKeeper may not know
	published int         // the log_ptr in ZooKeeper, as far as this process knows; the worker's own
	session   int64       // in which this member has said that it is active; the worker's own

	mu      sync.Mutex
	listed  []row                // its rows of system.clusters, as ZooKeeper last gave them
	results map[int]chan<- error // of entries that clients of this member wait for
	moved   chan struct{}        // closed and replaced when Pointer moves
}

type doing struct {
	Entry int    `json:"entry"`
	Print string `json:"print"`
}

// logEntry is the data of log/query-N.
type logEntry struct {
	Query     string            `json:"query"`
	Database  string            `json:"database"`
	Settings  map[string]string `json:"settings"`
	Initiator string            `json:"initiator"`
}

type databases struct {
	member *member
	ctx    context.Context // of the member's run; set by run

	// defining is held by who makes or drops a database.
	defining sync.Mutex
	// mu is of the map, and never held while the engine is asked.
	mu     sync.Mutex
	byUUID map[string]*database
}

func newDatabases(m *member) *databases {
	return &databases{member: m, byUUID: map[string]*database{}}
}

func (d *databases) find(name string) *database {
	for _, db := range d.all() {
		if db.Name == name && !db.gone.Load() {
			return db
		}
	}
	return nil
}

// all are those that there are, and those that are gone and still to be taken from ZooKeeper.
func (d *databases) all() []*database {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Collect(maps.Values(d.byUUID))
}

func (db *database) file() string {
	return filepath.Join(db.member.stageDir(), "database-"+db.UUID+".json")
}

// save keeps the state. A killed member finds it as it was or as it is.
func (db *database) save() error { return writeJSON(db.file(), db) }

func writeJSON(file string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

// readJSON reads what writeJSON wrote, where there is something.
func readJSON(file string, into any) error {
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// load reads what this member had when it ended.
func (d *databases) load() error {
	files, err := filepath.Glob(filepath.Join(d.member.stageDir(), "database-*.json"))
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		db := &database{}
		if err := json.Unmarshal(text, db); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		d.add(db)
	}
	return nil
}

// prune forgets databases that the engine does not have: a process was killed while it made or dropped them.
func (d *databases) prune(ctx context.Context) error {
	there, err := d.member.column(ctx, "SELECT toString(uuid) FROM system.databases")
	if err != nil {
		return err
	}
	for _, db := range d.all() {
		if slices.Contains(there, db.UUID) {
			continue
		}
		if err := d.forget(db); err != nil {
			return err
		}
	}
	return nil
}

// forget takes a database that the engine does not have from ZooKeeper, and all of it with its last replica. What is kept of
// it here goes last: until then whoever makes or drops the database, and the next process, tries again.
func (d *databases) forget(db *database) error {
	db.gone.Store(true)
	d.mu.Lock()
	cancel, done := db.cancel, db.done
	d.mu.Unlock()
	if cancel != nil {
		cancel()
		<-done
	}
	again := slices.ContainsFunc(d.all(), func(other *database) bool { return other.Path == db.Path && !other.gone.Load() })
	if !again {
		if err := d.member.session.leave(db.Path, d.member.self().full()); err != nil {
			return err
		}
	}
	d.mu.Lock()
	delete(d.byUUID, db.UUID)
	d.mu.Unlock()
	if err := os.Remove(db.file()); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// forgetAll does it for those of a name that are gone.
func (d *databases) forgetAll(name string) (some bool, err error) {
	for _, db := range d.all() {
		if db.Name == name && db.gone.Load() {
			some, err = true, errors.Join(err, d.forget(db))
		}
	}
	return some, err
}

// add makes a database known here.
func (d *databases) add(db *database) {
	db.member, db.moved, db.published = d.member, make(chan struct{}), -1
	db.results = map[int]chan<- error{}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.byUUID[db.UUID] = db
	if d.ctx != nil {
		d.start(db)
	}
}

// show has the databases shown as what they are.
func (d *databases) show(ctx context.Context, run runner) error {
	for _, db := range d.all() {
		if err := db.show(ctx, run); err != nil {
			return err
		}
	}
	return nil
}

func (db *database) show(ctx context.Context, run runner) error {
	engine := "Replicated"
	if db.member.Cloud {
		engine = "Shared"
	}
	_, err := run.own(ctx, fmt.Sprintf("INSERT INTO %s.replicated_databases VALUES (%s, %s, %s)", stageDatabase, quoted(db.UUID), quoted(engine), quoted(db.EngineFull)))
	return err
}

// start begins to follow a database's log. The caller holds the lock.
func (d *databases) start(db *database) {
	ctx, cancel := context.WithCancel(d.ctx)
	db.cancel, db.done = cancel, make(chan struct{})
	go func() {
		defer close(db.done)
		db.follow(ctx)
	}()
}

// run follows the logs of all databases until ctx ends.
func (d *databases) run(ctx context.Context) {
	d.mu.Lock()
	d.ctx = ctx
	for _, db := range d.byUUID {
		d.start(db)
	}
	d.mu.Unlock()
	<-ctx.Done()
	for _, db := range d.all() {
		if db.done != nil {
			<-db.done
		}
	}
}

// create makes a Replicated database on this member: a plain one on the engine, and a replica in ZooKeeper.
func (d *databases) create(ctx context.Context, def *definition, o embedded.Order, uuid string) error {
	m := d.member
	if m.session == nil {
		return errNoKeeper()
	}
	name := def.names[0].Name
	d.defining.Lock()
	defer d.defining.Unlock()
	// A database that cannot be made is no replica of anything, not even for a moment.
	there, err := m.column(ctx, "SELECT name FROM system.databases WHERE name = "+quoted(name))
	if err != nil {
		return err
	}
	if len(there) > 0 {
		if def.notExists {
			return nil
		}
		return embedded.NewException(82, "DATABASE_ALREADY_EXISTS", fmt.Sprintf("Database %s already exists", name))
	}
	if _, err := d.forgetAll(name); err != nil {
		return err
	}
	t := def.text
	full := "Shared"
	zk := "/clickhouse/databases/" + name
	var edits []edit
	if def.clusterAt != def.clusterTo {
		edits = append(edits, t.replace(def.clusterAt, def.clusterTo, ""))
	}
	edits = append(edits, edit{t.pos(def.after - 1), t.pos(def.after - 1), ""})
	if def.engine >= 0 {
		end := def.engine + 1
		if t.kind(end) == 0 || end < t.len() && t.src[t.pos(end):t.pos(end)+1] == "(" {
			close := t.closing(end)
			if !m.Cloud {
				if close-end != 6 {
					return embedded.NewException(36, "BAD_ARGUMENTS", "Replicated database requires 3 arguments: path, shard name and replica name")
				}
				full = "Replicated" + t.between(end, close+1)
				zk = m.expand(strings.ReplaceAll(t.value(end+1), "{database}", name))
			}
			end = close + 1
		}
		edits = append(edits, t.replace(def.engine, end, "Atomic"))
	}
	for _, macro := range []string{"shard", "replica"} {
		if m.without(macro) && !m.Cloud {
			return embedded.NewException(62, "SYNTAX_ERROR", fmt.Sprintf("No macro '%s' in config while processing substitutions in '{%s}' at '1' or macro is not supported here", macro, macro))
		}
	}
	sql := t.apply(edits)
	// The engine is given the identity, so that what is kept here and there is the same object.
	head, err := readText(sql)
	if err != nil {
		return err
	}
	bare := readDefinition(head)
	o.Text = head.apply([]edit{head.insertAt(bare.after, "UUID '"+uuid+"'")})
	o.Database = ""
	db := &database{Name: name, UUID: uuid, EngineFull: full, Path: strings.TrimSuffix(zk, "/"), member: m}
	if err := db.save(); err != nil { // first: it says that there may be a replica to take away
		return err
	}
	if err := db.enroll(); err != nil {
		return d.unmade(db, err)
	}
	if _, err := m.server.Do(ctx, o); err != nil {
		return d.unmade(db, err)
	}
	d.add(db) // before it is shown: an engine that opens meanwhile shows what was added
	return db.show(ctx, m.server.Do)
}

// unmade takes back what was said of a database that could not be made.
func (d *databases) unmade(db *database, why error) error {
	db.gone.Store(true)
	d.mu.Lock()
	d.byUUID[db.UUID] = db // until it is forgotten
	d.mu.Unlock()
	if err := d.forget(db); err != nil {
		d.member.log.Warn("a database that could not be made is still in ZooKeeper", "database", db.Name, "error", err)
	}
	return why
}

// enroll makes this member a replica of the database.
func (db *database) enroll() error {
	s := db.member.session
	for _, p := range []string{"log", "replicas"} {
		if err := s.ensure(path.Join(db.Path, p)); err != nil {
			return err
		}
	}
	own := db.replica()
	if err := s.put(own, []byte(db.member.self().host())); err != nil {
		return err
	}
	return s.put(own+"/log_ptr", []byte("0"))
}

func (db *database) replica() string { return path.Join(db.Path, "replicas", db.member.self().full()) }

// drop takes a Replicated database from this member, and from ZooKeeper with the last one.
func (d *databases) drop(ctx context.Context, def *definition, o embedded.Order) error {
	d.defining.Lock()
	defer d.defining.Unlock()
	name := def.names[0].Name
	db := d.find(name)
	if some, err := d.forgetAll(name); db == nil && some {
		return errors.Join(err, d.member.tables.reconcile(ctx)) // the engine has dropped it, and this is the rest
	}
	err := d.member.carryOut(ctx, def, o)
	if db == nil {
		return err
	}
	there, asked := d.member.column(ctx, "SELECT name FROM system.databases WHERE toString(uuid) = "+quoted(db.UUID))
	if asked != nil || len(there) > 0 {
		return cmp.Or(err, asked)
	}
	db.gone.Store(true)
	if err := d.member.tables.reconcile(ctx); err != nil {
		return err
	}
	return d.forget(db)
}

// known reports whether a name is that of a Replicated database, or of one that is gone and still in ZooKeeper.
func (d *databases) known(name string) bool {
	return slices.ContainsFunc(d.all(), func(db *database) bool { return db.Name == name })
}

// syncDatabase is SYSTEM SYNC DATABASE REPLICA: it waits until this member has carried out the log as it stands.
func (c *client) syncDatabase(ctx context.Context) error {
	name := c.text.name(4)
	db := c.member.dbs.find(name)
	if db == nil {
		return embedded.NewException(36, "BAD_ARGUMENTS", "SYSTEM SYNC DATABASE REPLICA is only for Replicated databases")
	}
	entries, err := c.member.session.list(path.Join(db.Path, "log"))
	if err != nil {
		return err
	}
	upTo := 0
	if len(entries) > 0 {
		upTo = sequence(entries[len(entries)-1]) + 1
	}
	ctx, end := c.syncing(ctx, "the log of the database "+name)
	defer end()
	if err := db.await(ctx, upTo); err != nil {
		return err
	}
	return c.Done()
}

// await waits until the entries before one are carried out here.
func (db *database) await(ctx context.Context, entry int) error {
	for {
		db.mu.Lock()
		at, moved := db.Pointer, db.moved
		db.mu.Unlock()
		if at >= entry {
			return nil
		}
		select {
		case <-moved:
		case <-db.done:
			if db.member.tables.ended() {
				return errStopped
			}
			return embedded.NewException(81, "UNKNOWN_DATABASE", "Database "+db.Name+" is gone")
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// pause is what lies between two tries of something that ZooKeeper or a member did not answer.
const pause = 100 * time.Millisecond

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
