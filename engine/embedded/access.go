package embedded

import (
	"context"
	"errors"
	"time"
)

// Access keeps the access objects of an embedded server and answers the
// statements that change them. The library reads them from users.xml when it
// opens, so each change closes the engine and opens it again, unless it leaves
// the configuration as it was; showing them is the library's own work. Its
// methods are called by one goroutine at a time.
//
// An opening takes 0.06 s and costs 5 MB that the library gives back to nobody
// before the process ends; with a ZooKeeper in its configuration 0.2 s, 7 MB, 5
// threads and 3 open files. A program that changes thousands of objects starts
// the process anew at times, or prepares statements: see [Server.PrepareAccess].
type Access interface {
	// Open is called before the engine opens on a data directory, and returns
	// what was kept there.
	Open(dir string) (AccessConfig, error)
	// Answers reports whether it answers a statement.
	Answers(statement string) bool
	// Change says what the objects are after a statement. changed is false for
	// a statement that leaves them what they are. The error is what the client
	// gets, an *Exception best.
	Change(statement string) (after AccessConfig, changed bool, err error)
	// Keep makes the last change last: the engine has opened with it. Without
	// it the change is forgotten.
	Keep() error
}

// AccessConfig is XML that stands inside the elements of users.xml, beside what
// is there for the user default.
type AccessConfig struct {
	Profiles, Users, Roles, Quotas string
	// Default is XML inside the element of the user default.
	Default string
}

// NewException makes an exception with ClickHouse's code and its name, such as
// 511 and UNKNOWN_ROLE.
func NewException(code int, name, text string) *Exception { return raise(code, name, "%s", text) }

// changeAccess carries out a statement about access objects and answers it.
func (s *Server) changeAccess(ctx context.Context, reply *reply, statement string) error {
	if err := s.ChangeAccess(ctx, statement); err != nil {
		return err
	}
	if err := reply.begin("TabSeparated", nil, 0); err != nil {
		return err
	}
	return reply.end()
}

// ChangeAccess carries out a statement that Options.Access answers. It waits for
// what runs, and what comes waits for it.
func (s *Server) ChangeAccess(ctx context.Context, statement string) error {
	free, err := s.alone(ctx)
	if err != nil {
		return err
	}
	defer free()
	if err := s.openIfAway(); err != nil {
		return err
	}
	before := s.options.access
	after, changed, err := s.options.Access.Change(statement)
	if err != nil || !changed {
		return err
	}
	if after != before {
		if err := s.reopen(after); err != nil {
			return err
		}
	}
	s.prepared = nil
	if err := s.options.Access.Keep(); err != nil {
		failed := raise(codeUnknownException, "UNKNOWN_EXCEPTION", "The change could not be kept for the next start, and is taken back: %s", err)
		if after == before {
			return failed
		}
		return errors.Join(failed, s.reopen(before))
	}
	return nil
}

// PrepareAccess carries out a statement in what Options.Access keeps, and leaves
// the engine as it is until [Server.ApplyAccess] or the next change. It is for
// statements that are known to be good, several of which then cost one opening.
func (s *Server) PrepareAccess(ctx context.Context, statement string) error {
	select {
	case s.changing <- struct{}{}:
	case <-ctx.Done():
		return cancelled(ctx)
	}
	defer func() { <-s.changing }()
	after, changed, err := s.options.Access.Change(statement)
	if err != nil || !changed {
		return err
	}
	if err := s.options.Access.Keep(); err != nil {
		return raise(codeUnknownException, "UNKNOWN_EXCEPTION", "The change could not be kept: %s", err)
	}
	s.prepared = &after
	return nil
}

// ApplyAccess has the engine opened with what has been prepared.
func (s *Server) ApplyAccess(ctx context.Context) error {
	select {
	case s.changing <- struct{}{}:
	case <-ctx.Done():
		return cancelled(ctx)
	}
	if s.prepared == nil {
		<-s.changing
		return nil
	}
	free, err := s.empty(ctx)
	if err != nil {
		return err
	}
	defer free()
	if err := s.openIfAway(); err != nil {
		return err
	}
	if *s.prepared != s.options.access {
		err = s.reopen(*s.prepared)
	}
	if !errors.Is(err, ErrTryAgain) {
		s.prepared = nil
	}
	return err
}

// alone waits until nothing runs on the engine and keeps everything off it.
func (s *Server) alone(ctx context.Context) (free func(), err error) {
	select {
	case s.changing <- struct{}{}:
	case <-ctx.Done():
		return nil, cancelled(ctx)
	}
	return s.empty(ctx)
}

// empty waits until nothing runs on the engine, for the one who is to change it.
func (s *Server) empty(ctx context.Context) (free func(), err error) {
	taken := 0
	free = func() {
		for range taken {
			<-s.slots
		}
		<-s.changing
	}
	for taken < cap(s.slots) {
		select {
		case s.slots <- struct{}{}:
			taken++
		case <-ctx.Done():
			free()
			return nil, cancelled(ctx)
		}
	}
	return free, nil
}

// reopen closes the engine and opens it with other access objects; with the ones
// it had, should it not open with these. Where it opens with neither, the
// statements that come try again: see revive.
func (s *Server) reopen(after AccessConfig) error {
	s.orders.shut()
	defer s.orders.open()
	s.sessions.dropIdle()
	closed := s.engine.close() // it is closed all the same
	before := s.options.access
	s.options.access = after
	err := s.openPatiently()
	if err == nil {
		return nil
	}
	s.options.access = before
	if again := s.openPatiently(); again != nil {
		return away(errors.Join(closed, err, again))
	}
	if errors.Is(err, ErrTryAgain) {
		return errors.Join(raise(codeUnknownException, "UNKNOWN_EXCEPTION", "The engine could not be opened with this now: %s", err), ErrTryAgain)
	}
	return raise(codeBadArguments, "BAD_ARGUMENTS", "The engine does not take this: %s", err)
}

// away answers statements while the engine is not open, which is no fault of theirs.
func away(why error) error {
	return errors.Join(raise(codeUnknownException, "UNKNOWN_EXCEPTION", "The engine could not be opened again, which later statements try: %s", why), ErrTryAgain)
}

// revive opens an engine that could not be opened again when access objects
// changed. One statement at a time tries; the others are told at once.
func (s *Server) revive(ctx context.Context) error {
	select {
	case s.changing <- struct{}{}:
	default:
		return away(errors.New("another statement is at it"))
	}
	free, err := s.empty(ctx)
	if err != nil {
		return err
	}
	defer free()
	return s.openIfAway()
}

// openIfAway opens the engine where it is not open, for the one who has it alone.
func (s *Server) openIfAway() error {
	s.orders.shut()
	defer s.orders.open()
	select {
	case <-s.done:
		return errClosed
	default:
	}
	if s.engine != nil {
		return nil
	}
	if err := s.openPatiently(); err != nil {
		return away(err)
	}
	return nil
}

// openPatiently opens the engine; where it was refused for a reason that passed,
// as when several engines around one ZooKeeper open at the same moment, again.
func (s *Server) openPatiently() error {
	const tries, pause = 20, 100 * time.Millisecond
	var err error
	for range tries {
		if err = s.openEngine(); !errors.Is(err, errPassed) {
			return err
		}
		time.Sleep(pause)
	}
	return err
}

// openEngine opens the engine with the access objects of the options.
func (s *Server) openEngine() error {
	s.engine = nil
	opened, err := openEngine(s.library, s.path, s.options)
	if err != nil {
		return err
	}
	s.engine = opened
	if s.options.Opened == nil {
		return nil
	}
	if err := s.options.Opened(s.do); err != nil {
		s.engine = nil
		return errors.Join(err, opened.close())
	}
	return nil
}

// errClosed answers requests to a server whose engine is gone.
var errClosed = raise(codeUnknownException, "UNKNOWN_EXCEPTION", "The embedded engine is closed")
