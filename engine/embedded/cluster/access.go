package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/dfe-engine/dfe/engine/access"
	"github.com/dfe-engine/dfe/engine/embedded"
)

// accessLog is where the members keep roles, users, profiles, quotas, policies and grants in common: a log of the
// statements that change them in ZooKeeper, which each member carries out by package access, in order. As with a server's
// replicated access storage, the member that was asked has a change when it answers, and the others soon after.
type accessLog struct {
	member *member
	keeper *access.Keeper

	// doing is the entry that is being carried out and how the objects were before, for a member that is killed there. Its
	// file stays: the entry's number tells whether it is meant.
	doing doing

	next int // the next entry to carry out; the worker's own

	mu      sync.Mutex
	pointer int // the engine has all before it
	moved   chan struct{}
	failed  map[int]error // what became of entries that clients of this member wait for
}

const accessPath = "/clickhouse/access/log"

// accessEntry is the data of log/entry-N; its node verdict says what became of it where it was carried out first.
type accessEntry struct {
	Statement string `json:"statement"`
	Initiator string `json:"initiator"`
}

func newAccessLog(m *member) *accessLog {
	return &accessLog{member: m, keeper: access.New(), moved: make(chan struct{}), failed: map[int]error{}}
}

func (l *accessLog) file() string { return filepath.Join(l.member.stageDir(), "access.json") }

func (l *accessLog) doingFile() string {
	return filepath.Join(l.member.stageDir(), "access-doing.json")
}

func (l *accessLog) load() error {
	l.doing.Entry = -1
	err := errors.Join(readJSON(l.file(), &l.next), readJSON(l.doingFile(), &l.doing))
	l.pointer = l.next
	return err
}

// changeAccess answers a statement about access objects.
func (c *client) changeAccess(ctx context.Context) error {
	m := c.member
	for i := range c.text.tokens {
		if c.text.words(i, "ON", "CLUSTER") {
			return unsupported("an access statement ON CLUSTER")
		}
	}
	if m.AccessOutside || m.session == nil {
		if err := m.changeAccess(ctx, c.text.src); err != nil {
			return err
		}
		return c.Done()
	}
	if err := m.session.ensure(accessPath); err != nil {
		return err
	}
	data, err := json.Marshal(accessEntry{c.text.src, m.Name})
	if err != nil {
		return err
	}
	l := m.access
	l.mu.Lock()
	node, err := m.session.create(accessPath+"/entry-", data, zk.FlagSequence)
	n := -1
	if err == nil {
		n = sequence(path.Base(node))
		l.failed[n] = nil
	}
	l.mu.Unlock()
	if err != nil {
		return err
	}
	ctx, end := m.session.bounded(ctx, 5*time.Minute, embedded.NewException(341, "UNFINISHED", "The statement is in the log of access objects and has not been carried out here within 300 seconds: it will be"))
	defer end()
	for {
		l.mu.Lock()
		at, moved, failed := l.pointer, l.moved, l.failed[n]
		if at > n {
			delete(l.failed, n)
		}
		l.mu.Unlock()
		if at > n && failed != nil {
			return failed
		}
		if at > n {
			return c.Done()
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// run carries the log out until ctx ends.
func (l *accessLog) run(ctx context.Context) {
	if l.member.AccessOutside {
		return
	}
	l.member.session.follow(ctx, l.member.log, "the log of access objects", nil, l.advance)
}

func (l *accessLog) advance(ctx context.Context) (<-chan zk.Event, error) {
	s := l.member.session
	if err := s.ensure(accessPath); err != nil {
		return nil, err
	}
	names, changed, err := s.watch(accessPath)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if n := sequence(name); n >= l.next {
			if err := l.step(ctx, path.Join(accessPath, name), n); err != nil {
				return nil, errors.Join(err, l.apply(ctx))
			}
		}
	}
	return changed, l.apply(ctx)
}

// step carries out one entry. What worked elsewhere is only prepared, so that a member that comes back opens its engine once
// for all that it has missed.
func (l *accessLog) step(ctx context.Context, node string, n int) error {
	s := l.member.session
	data, ok, err := s.get(node)
	if err != nil || !ok {
		return err
	}
	var e accessEntry
	if err := json.Unmarshal(data, &e); err != nil {
		return fmt.Errorf("%s: %w", node, err)
	}
	verdict, settled, err := s.get(node + "/verdict")
	if err != nil {
		return err
	}
	var failed error
	if settled && string(verdict) != "ok" {
		return l.moveTo(n+1, parseVerdict(string(verdict)))
	}
	change := l.member.server.PrepareAccess
	if !settled {
		if err := l.apply(ctx); err != nil {
			return err
		}
		change = l.member.changeAccess
	}
	failed, err = l.carryOut(ctx, n, e.Statement, change)
	if err != nil {
		return err
	}
	if !settled {
		_, err := s.create(node+"/verdict", []byte(writeVerdict(failed)), 0)
		if errors.Is(err, zk.ErrNodeExists) {
			return l.step(ctx, node, n)
		}
		if err != nil {
			return err
		}
	} else if code, _ := embedded.Code(failed); failed != nil {
		// It worked where it was carried out first: here is something else, and nothing to be done about it.
		l.member.log.Warn("an access statement that worked elsewhere", "statement", n, "code", code)
		failed = nil
	}
	return l.moveTo(n+1, failed)
}

// carryOut changes the objects by a statement, unless a killed process of this member had done so. err is what is no fault
// of the statement.
func (l *accessLog) carryOut(ctx context.Context, n int, statement string, change func(context.Context, string) error) (failed, err error) {
	print, err := l.keeper.Digest()
	if err != nil {
		return nil, err
	}
	if l.doing.Entry == n && l.doing.Print != print {
		return nil, nil // it was done, and not written down
	}
	l.doing = doing{n, print}
	if err := writeJSON(l.doingFile(), l.doing); err != nil {
		return nil, err
	}
	t, err := readText(statement)
	if err != nil {
		return err, nil
	}
	return blame(ctx, l.member.logged(ctx, t, embedded.Order{}, func() error { return change(ctx, statement) }))
}

// changeAccess has the engine opened again with other access objects, when no INSERT has its rows in the engine's memory.
func (m *member) changeAccess(ctx context.Context, statement string) error {
	m.memory.Lock()
	defer m.memory.Unlock()
	return m.server.ChangeAccess(ctx, statement)
}

// moveTo notes that everything before an entry is carried out, and what became of the last one.
func (l *accessLog) moveTo(n int, failed error) error {
	if err := writeJSON(l.file(), n); err != nil {
		return err
	}
	l.next = n
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, waited := l.failed[n-1]; waited {
		l.failed[n-1] = failed
	}
	return nil
}

// apply has the engine opened with what is carried out, and lets those go on that wait for it.
func (l *accessLog) apply(ctx context.Context) error {
	if l.pointer == l.next {
		return nil
	}
	l.member.memory.Lock()
	err := l.member.server.ApplyAccess(ctx)
	l.member.memory.Unlock()
	if passing(err) || ctx.Err() != nil {
		return err
	}
	if err != nil {
		l.member.log.Warn("access objects that the engine takes elsewhere", "error", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pointer = l.next
	close(l.moved)
	l.moved = make(chan struct{})
	return nil
}
