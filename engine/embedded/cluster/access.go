package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
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

	mu      sync.Mutex
	pointer int // the next entry to carry out
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

func (l *accessLog) load() error {
	text, err := os.ReadFile(l.file())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(text, &l.pointer)
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
		if err := m.server.ChangeAccess(ctx, c.text.src); err != nil {
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
		patience := time.NewTimer(keeperPatience)
		select {
		case <-moved:
		case <-patience.C:
			if alive, _, _ := m.session.state(); !alive {
				return keeperError(errors.New("Connection loss"))
			}
		case <-ctx.Done():
			patience.Stop()
			return context.Cause(ctx)
		}
		patience.Stop()
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
		if n := sequence(name); n >= l.pointer {
			if err := l.step(ctx, path.Join(accessPath, name), n); err != nil {
				return nil, err
			}
		}
	}
	return changed, nil
}

// step carries out one entry.
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
	failed = l.member.server.ChangeAccess(ctx, e.Statement)
	if failed != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if !settled {
		verdict := "ok"
		if failed != nil {
			verdict = writeVerdict(failed)
		}
		_, err := s.create(node+"/verdict", []byte(verdict), 0)
		if errors.Is(err, zk.ErrNodeExists) {
			return l.step(ctx, node, n)
		}
		if err != nil {
			return err
		}
	} else if code, _ := embedded.Code(failed); failed != nil {
		// It worked where it was carried out first, and here a process may have been killed right after it did.
		l.member.log.Warn("an access statement that worked elsewhere", "statement", n, "code", code)
		failed = nil
	}
	return l.moveTo(n+1, failed)
}

func (l *accessLog) moveTo(n int, failed error) error {
	if err := writeJSON(l.file(), n); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pointer = n
	if _, waited := l.failed[n-1]; waited {
		l.failed[n-1] = failed
	}
	close(l.moved)
	l.moved = make(chan struct{})
	return nil
}
