package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/dfe-engine/dfe/engine/embedded"
)

// defineReplicated sends a definition through the log of its database and waits for the members as the settings say.
func (c *client) defineReplicated(ctx context.Context, d *definition) error {
	m := c.member
	in := c.in(d.names[0]).Database
	if d.kind == "DATABASE" {
		in = d.names[0].Name
	}
	for _, n := range d.names {
		if d.kind != "DATABASE" && c.in(n).Database != in {
			return unsupported(d.verb + " across databases, one of which is Replicated")
		}
	}
	db := m.dbs.find(in)
	if db == nil {
		return embedded.NewException(81, "UNKNOWN_DATABASE", "Database "+in+" does not exist")
	}
	if d.verb == "OPTIMIZE" {
		return c.carryOut(ctx, d)
	}
	if d.ofRows() {
		n := c.in(d.names[0])
		if _, replicated, err := m.tables.find(ctx, n); err != nil || replicated {
			if err == nil {
				err = c.changeRows(ctx, d, n)
			}
			return err
		}
	}
	o := c.order(d)
	entry := logEntry{Query: d.identified(), Database: o.Database, Settings: o.Settings, Initiator: m.self().full()}
	if d.clusterAt != d.clusterTo {
		t, err := readText(d.bare())
		if err != nil {
			return err
		}
		entry.Query = readDefinition(t).identified()
	}
	data, err := json.Marshal(entry)
	if err != nil {
		return err
	}
	waited, err := m.session.list(path.Join(db.Path, "replicas"))
	if err != nil {
		return err
	}
	if err := m.active(ctx, db); err != nil {
		return err
	}
	n, result, err := db.append(data)
	if err != nil {
		return err
	}
	if err := db.outcome(ctx, result); err != nil {
		return err
	}
	return c.awaitHosts(ctx, hosts{
		what: "ReplicatedDatabase DDL task " + db.entry(n), node: db.entry(n), replicas: path.Join(db.Path, "replicas"), wait: waited, ofDatabase: true,
	})
}

// outcome waits for what became of an entry here. A member that loses ZooKeeper meanwhile cannot tell.
func (db *database) outcome(ctx context.Context, result <-chan error) error {
	// (ClickHouse's database_replicated_initial_query_timeout_sec)
	ctx, end := db.member.session.bounded(ctx, 5*time.Minute, embedded.NewException(341, "UNFINISHED", "Timeout: Cannot enqueue query on this replica, most likely because replica is busy with previous queue entries"))
	defer end()
	select {
	case err := <-result:
		return err
	case <-db.done:
		return errStopped
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// active waits for a moment until this member counts as active, as it will when ZooKeeper is there.
func (m *member) active(ctx context.Context, db *database) error {
	ctx, cancel := context.WithTimeout(ctx, keeperPatience)
	defer cancel()
	if err := m.session.await(ctx); err != nil {
		return keeperError(errors.New("Session expired"))
	}
	return nil
}

func (db *database) entry(n int) string {
	return path.Join(db.Path, "log", fmt.Sprintf("query-%010d", n))
}

// append writes an entry and returns its number and where its outcome on this member will be.
func (db *database) append(data []byte) (int, <-chan error, error) {
	// The lock keeps the worker from carrying the entry out before its result is wanted.
	db.mu.Lock()
	defer db.mu.Unlock()
	p, err := db.member.session.create(path.Join(db.Path, "log", "query-"), data, zk.FlagSequence)
	if err != nil {
		return 0, nil, err
	}
	n := sequence(path.Base(p))
	result := make(chan error, 1)
	db.results[n] = result
	return n, result, nil
}

// follow carries the log out, entry by entry, until ctx ends.
func (db *database) follow(ctx context.Context) {
	db.member.session.follow(ctx, db.member.log.With("database", db.Name), "following a database's log", nil, db.advance)
}

// advance says that this member is active and carries out what is new in the log.
func (db *database) advance(ctx context.Context) (<-chan zk.Event, error) {
	s := db.member.session
	names, changed, err := s.watch(path.Join(db.Path, "log"))
	if err != nil {
		return nil, err
	}
	if _, number, _ := s.state(); number != db.session {
		if err := s.claim(db.replica()+"/active", []byte(db.member.Name)); err != nil {
			return nil, err
		}
		db.session = number
	}
	if err := db.publish(); err != nil {
		return nil, err
	}
	for _, name := range names {
		n := sequence(name)
		if n < db.Pointer {
			continue
		}
		if err := db.step(ctx, n); err != nil {
			return nil, err
		}
		if err := db.publish(); err != nil {
			return nil, err
		}
	}
	return changed, nil
}

// step carries out one entry and moves on. An error means that it is to be tried again.
func (db *database) step(ctx context.Context, n int) error {
	s := db.member.session
	data, ok, err := s.get(db.entry(n))
	if err != nil {
		return err
	}
	if !ok {
		return db.moveTo(n + 1)
	}
	var entry logEntry
	if err := json.Unmarshal(data, &entry); err != nil {
		return fmt.Errorf("%s: %w", db.entry(n), err)
	}
	own := db.member.self().full()
	verdict, settled, err := db.settled(ctx, n, entry)
	if err != nil {
		return err
	}
	if settled && verdict != "ok" {
		db.tell(n, parseVerdict(verdict))
		return db.moveTo(n + 1)
	}
	for _, p := range []string{"active", "finished"} {
		if err := s.ensure(path.Join(db.entry(n), p)); err != nil {
			return err
		}
	}
	if err := s.claim(path.Join(db.entry(n), "active", own), nil); err != nil {
		return err
	}
	failed, err := db.carryOut(ctx, n, entry)
	if err != nil {
		return err
	}
	if failed != nil && settled {
		// It worked elsewhere: a server would try until it does here, too.
		return fmt.Errorf("entry %d of the log of %s: %w", n, db.Name, failed)
	}
	if !settled {
		// Where another member took this one for lost, its verdict holds: the step is tried again by that.
		if _, err := s.create(path.Join(db.entry(n), "verdict"), []byte(writeVerdict(failed)), 0); err != nil {
			return fmt.Errorf("the verdict about %s: %w", db.entry(n), err)
		}
	}
	if failed == nil {
		if err := s.put(path.Join(db.entry(n), "finished", own), []byte("0")); err != nil {
			return err
		}
	}
	if err := s.remove(path.Join(db.entry(n), "active", own)); err != nil {
		return err
	}
	err = db.moveTo(n + 1)
	db.tell(n, failed)
	return err
}

// settled is the verdict about an entry. Entries of other members are waited for, until their member is lost.
func (db *database) settled(ctx context.Context, n int, entry logEntry) (verdict string, settled bool, err error) {
	s := db.member.session
	for {
		node := path.Join(db.entry(n), "verdict")
		found, changed, err := s.watchNode(node)
		if err != nil {
			return "", false, err
		}
		if found {
			data, ok, err := s.get(node)
			return string(data), ok, err
		}
		if entry.Initiator == db.member.self().full() {
			return "", false, nil
		}
		active, err := s.exists(path.Join(db.Path, "replicas", entry.Initiator, "active"))
		if err != nil {
			return "", false, err
		}
		if !active {
			return "", false, nil
		}
		either(ctx, changed, pause) // whether that member is lost is asked again and again
		if ctx.Err() != nil {
			return "", false, context.Cause(ctx)
		}
	}
}

// passing reports an error that is no fault of the statement, which is to be tried again.
func passing(failed error) bool {
	if failed == nil {
		return false
	}
	code, _ := embedded.Code(failed)
	return code == 0 || code == 999 || code == 225 || code == 394 || errors.Is(failed, embedded.ErrTryAgain)
}

// blame tells what the statement is at fault for from what is to be tried again.
func blame(ctx context.Context, err error) (failed, passed error) {
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case passing(err):
		return nil, err
	}
	return err, nil
}

// writeVerdict is what became of an entry where it was carried out first, in the words that parseVerdict reads.
func writeVerdict(failed error) string {
	if failed == nil {
		return "ok"
	}
	code, text := embedded.Code(failed)
	if code == 0 {
		code, text = 1002, failed.Error()+" (UNKNOWN_EXCEPTION)"
	}
	return fmt.Sprintf("%d %s", code, text)
}

func parseVerdict(verdict string) error {
	var code int
	head, text, _ := strings.Cut(verdict, " ")
	if _, err := fmt.Sscan(head, &code); err != nil {
		code = 1002
	}
	return &embedded.Exception{Code: code, Text: "DB::Exception: " + text}
}

// tell gives the outcome to the client of this member that waits for it.
func (db *database) tell(n int, failed error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if result, ok := db.results[n]; ok {
		result <- failed
		delete(db.results, n)
	}
}

// moveTo notes that everything before an entry is done here.
func (db *database) moveTo(n int) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.Pointer, db.Doing = n, nil
	close(db.moved)
	db.moved = make(chan struct{})
	return db.save()
}

// publish says in ZooKeeper how far this member is, unless it has.
func (db *database) publish() error {
	if db.published == db.Pointer {
		return nil
	}
	err := db.member.session.put(db.replica()+"/log_ptr", fmt.Append(nil, db.Pointer))
	if err == nil {
		db.published = db.Pointer
	}
	return err
}

// carryOut runs an entry on the engine, unless a killed process of this member had done so. failed is what the engine
// says against the statement; err is what has nothing to do with it.
func (db *database) carryOut(ctx context.Context, n int, entry logEntry) (failed, err error) {
	m := db.member
	t, err := readText(entry.Query)
	if err != nil {
		return err, nil
	}
	d := readDefinition(t)
	if d == nil {
		return unsupported("the statement of this entry"), nil
	}
	print, err := m.fingerprint(ctx, d, entry.Database)
	if err != nil {
		return nil, err
	}
	if db.Doing != nil && db.Doing.Entry == n && db.Doing.Print != print {
		return nil, m.tables.reconcile(ctx) // it was done, and not written down
	}
	db.mu.Lock()
	db.Doing = &doing{n, print}
	err = db.save()
	db.mu.Unlock()
	if err != nil {
		return nil, err
	}
	o := embedded.Order{Database: entry.Database, Settings: entry.Settings}
	return blame(ctx, m.logged(ctx, t, o, func() error { return m.carryOut(ctx, d, o) }))
}

// fingerprint is how the objects of a definition look now.
func (m *member) fingerprint(ctx context.Context, d *definition, database string) (string, error) {
	var where []string
	for _, n := range d.names {
		if n.Database == "" {
			n.Database = database
		}
		where = append(where, "database = "+quoted(n.Database)+" AND name = "+quoted(n.Name))
	}
	query := "SELECT concat(name, toString(uuid), create_table_query) FROM system.tables WHERE " + strings.Join(where, " OR ") + " ORDER BY name"
	if d.kind == "DATABASE" {
		query = "SELECT concat(toString(uuid), engine_full, comment) FROM system.databases WHERE name = " + quoted(d.names[0].Name)
	}
	list, err := m.column(ctx, query)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(strings.Join(list, "\x00")))
	return hex.EncodeToString(sum[:]), nil
}
