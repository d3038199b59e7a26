package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/dfe-engine/dfe/engine/embedded"
)

// session is a member's own session with ZooKeeper, which is opened anew whenever one expires.
type session struct {
	conn *zk.Conn

	mu      sync.Mutex
	alive   bool
	number  int64         // of the session; ephemeral nodes of an older one are gone or going
	changed chan struct{} // closed and replaced whenever alive or number changes
}

// keeperPatience bounds one request; a server's operation_timeout_ms is 10 s.
const keeperPatience = 5 * time.Second

// errNoKeeper answers statements of a member without ZooKeeper.
func errNoKeeper() error {
	return embedded.NewException(225, "NO_ZOOKEEPER", "No zookeeper configuration in server config")
}

func openSession(address string, timeout time.Duration) (*session, error) {
	s := &session{changed: make(chan struct{})}
	// Held until conn is set, which event needs.
	s.mu.Lock()
	defer s.mu.Unlock()
	// The client's channel of events drops what finds no room; the callback misses nothing.
	conn, _, err := zk.Connect([]string{address}, timeout, zk.WithLogger(silent{}), zk.WithMaxBufferSize(maxNode), zk.WithEventCallback(s.event))
	s.conn = conn
	return s, err
}

type silent struct{}

func (silent) Printf(string, ...any) {}

func (s *session) event(e zk.Event) {
	if e.Type != zk.EventSession {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	alive, number := e.State == zk.StateHasSession, s.number
	if alive {
		number = s.conn.SessionID()
	}
	if alive != s.alive || number != s.number {
		s.alive, s.number = alive, number
		close(s.changed)
		s.changed = make(chan struct{})
	}
}

// state is whether there is a session, its number, and what is closed when that changes.
func (s *session) state() (alive bool, number int64, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.alive, s.number, s.changed
}

// await waits until there is a session.
func (s *session) await(ctx context.Context) error {
	for {
		alive, _, changed := s.state()
		if alive {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// bounded is a context that ends with late after a time, and when ZooKeeper has been away for keeperPatience. The function
// ends it.
func (s *session) bounded(ctx context.Context, d time.Duration, late error) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		limit := time.NewTimer(d)
		defer limit.Stop()
		for {
			alive, _, changed := s.state()
			var lost <-chan time.Time
			if !alive {
				lost = time.After(keeperPatience)
			}
			select {
			case <-ctx.Done():
				return
			case <-limit.C:
				cancel(late)
			case <-lost:
				cancel(keeperError(errors.New("Connection loss")))
			case <-changed:
			}
		}
	})
	return ctx, func() {
		cancel(nil)
		watching.Wait()
	}
}

// ask bounds a request to ZooKeeper: the client itself waits for a connection as long as it takes.
func ask[T any](s *session, request func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	got := make(chan answer, 1)
	go func() {
		v, err := request()
		got <- answer{v, err}
	}()
	timer := time.NewTimer(keeperPatience)
	defer timer.Stop()
	select {
	case a := <-got:
		return a.value, keeperError(a.err)
	case <-timer.C:
		var none T
		return none, keeperError(errors.New("Operation timeout"))
	}
}

// keeperError gives what is no answer of ZooKeeper's about a node the code of a server's KEEPER_EXCEPTION.
func keeperError(err error) error {
	switch {
	case err == nil, errors.Is(err, zk.ErrNoNode), errors.Is(err, zk.ErrNodeExists), errors.Is(err, zk.ErrBadVersion), errors.Is(err, zk.ErrNotEmpty):
		return err
	}
	return embedded.NewException(999, "KEEPER_EXCEPTION", "Coordination error: "+err.Error())
}

// follow carries a log in ZooKeeper out until ctx ends. advance takes in what is new and returns what tells of more; it is
// called again then, when kicked (which may be nil) says so, when the session ends, and once a second. An error of it is
// logged under what, and it is tried again.
func (s *session) follow(ctx context.Context, log *slog.Logger, what string, kicked <-chan struct{}, advance func(context.Context) (<-chan zk.Event, error)) {
	for ctx.Err() == nil {
		if s.await(ctx) != nil {
			return
		}
		changed, err := advance(ctx)
		if err != nil {
			if ctx.Err() == nil {
				log.Warn(what, "error", err)
			}
			wait(ctx, pause)
			continue
		}
		_, _, ended := s.state()
		timer := time.NewTimer(time.Second)
		select {
		case <-changed:
		case <-kicked:
		case <-ended:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// get returns a node's data; ok is false where there is none.
func (s *session) get(p string) (data []byte, ok bool, err error) {
	data, err = ask(s, func() ([]byte, error) {
		data, _, err := s.conn.Get(p)
		return data, err
	})
	if errors.Is(err, zk.ErrNoNode) {
		return nil, false, nil
	}
	return data, err == nil, err
}

// versioned is [session.get] with the version of the data.
func (s *session) versioned(p string) (data []byte, version int32, ok bool, err error) {
	data, err = ask(s, func() ([]byte, error) {
		data, stat, err := s.conn.Get(p)
		if err == nil {
			version = stat.Version
		}
		return data, err
	})
	if errors.Is(err, zk.ErrNoNode) {
		return nil, 0, false, nil
	}
	return data, version, err == nil, err
}

// list returns the names under a node in order; none where there is no such node.
func (s *session) list(p string) ([]string, error) {
	names, err := ask(s, func() ([]string, error) {
		names, _, err := s.conn.Children(p)
		return names, err
	})
	if errors.Is(err, zk.ErrNoNode) {
		return nil, nil
	}
	return sorted(names), err
}

// watch is [session.list], and what reports that the names are others now.
func (s *session) watch(p string) ([]string, <-chan zk.Event, error) {
	type answer struct {
		names  []string
		events <-chan zk.Event
	}
	a, err := ask(s, func() (answer, error) {
		names, _, events, err := s.conn.ChildrenW(p)
		return answer{names, events}, err
	})
	return sorted(a.names), a.events, err
}

// watchNode is [session.exists], and what reports that the node has come, gone or got other data.
func (s *session) watchNode(p string) (found bool, changed <-chan zk.Event, err error) {
	type answer struct {
		found  bool
		events <-chan zk.Event
	}
	a, err := ask(s, func() (answer, error) {
		found, _, events, err := s.conn.ExistsW(p)
		return answer{found, events}, err
	})
	return a.found, a.events, err
}

// watchList is [session.watch] of a node that may not be there yet, which has no names.
func (s *session) watchList(p string) (names []string, changed <-chan zk.Event, err error) {
	for {
		names, changed, err = s.watch(p)
		if !errors.Is(err, zk.ErrNoNode) {
			return names, changed, err
		}
		found, changed, err := s.watchNode(p)
		if err != nil || !found {
			return nil, changed, err
		}
	}
}

// either waits for a change in ZooKeeper, for a time at most.
func either(ctx context.Context, changed <-chan zk.Event, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-changed:
	case <-timer.C:
	case <-ctx.Done():
	}
}

func (s *session) exists(p string) (bool, error) {
	return ask(s, func() (bool, error) {
		found, _, err := s.conn.Exists(p)
		return found, err
	})
}

// create makes a node; its parents are there.
func (s *session) create(p string, data []byte, flags int32) (string, error) {
	return ask(s, func() (string, error) { return s.conn.Create(p, data, flags, zk.WorldACL(zk.PermAll)) })
}

// ensure makes a node and its parents where they are absent.
func (s *session) ensure(p string) error {
	_, err := s.create(p, nil, 0)
	if errors.Is(err, zk.ErrNoNode) {
		if err := s.ensure(path.Dir(p)); err != nil {
			return err
		}
		_, err = s.create(p, nil, 0)
	}
	if errors.Is(err, zk.ErrNodeExists) {
		return nil
	}
	return err
}

// put makes a node or gives it other data.
func (s *session) put(p string, data []byte) error {
	_, err := s.create(p, data, 0)
	if errors.Is(err, zk.ErrNodeExists) {
		_, err = ask(s, func() (*zk.Stat, error) { return s.conn.Set(p, data, -1) })
	}
	return err
}

func (s *session) set(p string, data []byte, version int32) error {
	_, err := ask(s, func() (*zk.Stat, error) { return s.conn.Set(p, data, version) })
	return err
}

// claim makes a node that ends with this session. One of an older session of ours is replaced.
func (s *session) claim(p string, data []byte) error {
	_, number, _ := s.state()
	for {
		_, err := s.create(p, data, zk.FlagEphemeral)
		if !errors.Is(err, zk.ErrNodeExists) {
			return err
		}
		owner, err := ask(s, func() (int64, error) {
			_, stat, err := s.conn.Exists(p)
			if stat == nil {
				return 0, err
			}
			return stat.EphemeralOwner, err
		})
		if err != nil || owner == number {
			return err
		}
		if err := s.remove(p); err != nil {
			return err
		}
	}
}

// remove takes one node away, if it is there.
func (s *session) remove(p string) error {
	_, err := ask(s, func() (struct{}, error) { return struct{}{}, s.conn.Delete(p, -1) })
	if errors.Is(err, zk.ErrNoNode) {
		return nil
	}
	return err
}

// removeTree takes a node away with what is under it.
func (s *session) removeTree(p string) error {
	names, err := s.list(p)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := s.removeTree(path.Join(p, name)); err != nil {
			return err
		}
	}
	err = s.remove(p)
	if errors.Is(err, zk.ErrNotEmpty) {
		return s.removeTree(p)
	}
	return err
}

// multi does all of it or nothing; the error of the first request that fails is the answer.
func (s *session) multi(ops ...any) ([]zk.MultiResponse, error) {
	return ask(s, func() ([]zk.MultiResponse, error) {
		answers, err := s.conn.Multi(ops...)
		for _, a := range answers {
			if a.Error != nil {
				return answers, a.Error
			}
		}
		return answers, err
	})
}

func newNode(p string, data []byte, flags int32) *zk.CreateRequest {
	return &zk.CreateRequest{Path: p, Data: data, Acl: zk.WorldACL(zk.PermAll), Flags: flags}
}

// sequence is the number at the end of a sequential node's name.
func sequence(name string) int {
	var n int
	at := strings.LastIndexByte(name, '-')
	if _, err := fmt.Sscanf(name[at+1:], "%d", &n); err != nil {
		return -1
	}
	return n
}
