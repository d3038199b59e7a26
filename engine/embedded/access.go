package embedded

import (
	"context"
	"errors"
)

// Access keeps the access objects of an embedded server and answers the
// statements that change them. The library reads them from users.xml when it
// opens, so each change closes the engine and opens it again (0.06 s); showing
// them is the library's own work. Its methods are called by one goroutine at a
// time.
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
	if s.engine == nil {
		return errClosed
	}
	after, changed, err := s.options.Access.Change(statement)
	if err != nil || !changed {
		return err
	}
	if err := s.reopen(after); err != nil {
		return err
	}
	if err := s.options.Access.Keep(); err != nil {
		return raise(codeUnknownException, "UNKNOWN_EXCEPTION", "The change holds and could not be kept for the next start: %s", err)
	}
	return nil
}

// alone waits until nothing runs on the engine and keeps everything off it.
func (s *Server) alone(ctx context.Context) (free func(), err error) {
	select {
	case s.changing <- struct{}{}:
	case <-ctx.Done():
		return nil, cancelled(ctx)
	}
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
// it had, should it not open with these.
func (s *Server) reopen(after AccessConfig) error {
	s.orders.shut()
	defer s.orders.open()
	s.sessions.dropIdle()
	if err := s.engine.close(); err != nil {
		return raise(codeUnknownException, "UNKNOWN_EXCEPTION", "The engine could not be closed: %s", err)
	}
	before := s.options.access
	s.options.access = after
	err := s.openEngine()
	if err == nil {
		return nil
	}
	s.options.access = before
	if again := s.openEngine(); again != nil {
		s.engine = nil
		return raise(codeUnknownException, "UNKNOWN_EXCEPTION", "The engine could not be opened again: %s", errors.Join(err, again))
	}
	return raise(codeBadArguments, "BAD_ARGUMENTS", "The engine does not take this: %s", err)
}

// openEngine opens the engine with the access objects of the options.
func (s *Server) openEngine() error {
	opened, err := openEngine(s.library, s.path, s.options)
	if err != nil {
		return err
	}
	s.engine = opened
	if s.options.Opened == nil {
		return nil
	}
	if err := s.options.Opened(s.do); err != nil {
		return errors.Join(err, opened.close())
	}
	return nil
}

// errClosed answers requests to a server whose engine is gone.
var errClosed = raise(codeUnknownException, "UNKNOWN_EXCEPTION", "The embedded engine is closed")
