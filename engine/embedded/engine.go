package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// ErrTryAgain says that the engine could not be opened for a reason that is not
// the data directory's, nor the configuration's: the same may succeed later.
var ErrTryAgain = errors.New("try again")

// errPassed is the kind of [ErrTryAgain] where it could be opened a moment later.
var errPassed = fmt.Errorf("it could be opened a moment later: %w", ErrTryAgain)

// ErrInUse is wrapped by the error of Start when the data directory is open
// already: in another process, or this process has an engine open.
var ErrInUse = errors.New("already in use")

// param is a query parameter, {name:Type} in the text. Its value is in
// ClickHouse's escaped form (as in TabSeparated), as over HTTP.
type param struct{ name, value string }

// engine is the engine of this process, open on one data directory.
type engine struct {
	lib     *chdb
	args    []string
	log     *slog.Logger
	confDir string // its configuration, removed by close

	lock   *flock.Flock // on the data directory, against another process of this program
	keeper *conn        // holds the engine open; runs nothing else
	// control runs what stops other statements.
	controlMu sync.Mutex
	control   *conn
}

// lockName is the file in a data directory that a process of this program holds locked while it uses the directory.
const lockName = "dfe.lock"

// held is the directory whose engine this process holds: the library serves one
// data directory at a time, so the process is the right scope of this fact.
var held struct {
	sync.Mutex
	dir string
}

// openEngine opens the engine on dir.
func openEngine(library, dir string, o Options) (*engine, error) {
	lib, err := loadLibrary(library)
	if err != nil {
		return nil, err
	}
	held.Lock()
	defer held.Unlock()
	if held.dir != "" {
		return nil, fmt.Errorf("embedded engine: %s is %w in this process, which can hold one data directory at a time: close that server first", held.dir, ErrInUse)
	}
	// The engine takes its own lock while it opens, and the loser of two that open at once has its exception printed on
	// standard error by the library. This lock comes first.
	lock := flock.New(filepath.Join(dir, lockName))
	if locked, err := lock.TryLock(); err != nil {
		return nil, fmt.Errorf("embedded engine: the data directory %s cannot be locked: %w", dir, err)
	} else if !locked {
		return nil, inUse(dir, holder(dir))
	}
	if busy, pid := lockedElsewhere(dir); busy {
		return nil, errors.Join(inUse(dir, pid), lock.Unlock())
	}
	// Within the data directory, so that a process that dies leaves nothing elsewhere.
	e := &engine{lib: lib, log: o.Log, lock: lock, confDir: filepath.Join(dir, "dfe-config")}
	// Without logger.console the engine logs to standard error whenever that is a terminal.
	e.args = []string{"clickhouse", "--path=" + dir, "--config-file=" + filepath.Join(e.confDir, "config.xml"), "--logger.console=false"}
	if err := e.open(dir, o); err != nil {
		e.disconnect()
		return nil, errors.Join(err, os.RemoveAll(e.confDir), lock.Unlock())
	}
	held.dir = dir
	return e, nil
}

func (e *engine) open(dir string, o Options) error {
	if err := writeConfig(e.confDir, o); err != nil {
		return err
	}
	err := keepSignals(func() (err error) {
		e.keeper, err = e.lib.open(e.args...)
		return err
	})
	if errors.Is(err, errRefused) {
		return e.whyRefused(dir)
	}
	if err != nil {
		return err
	}
	if e.control, err = e.lib.open(e.args...); err != nil {
		return fmt.Errorf("embedded engine on %s: %w", dir, err)
	}
	return nil
}

// disconnect closes the engine's own connections, and so the engine.
func (e *engine) disconnect() {
	if e.control != nil {
		e.control.close()
	}
	if e.keeper != nil {
		e.keeper.close()
	}
}

func inUse(dir, pid string) error {
	who := "another process"
	if pid != "" {
		who = "process " + pid
	}
	return fmt.Errorf("embedded engine: the data directory %s is %w by %s: stop it, or use another directory", dir, ErrInUse, who)
}

// whyRefused opens once more to find the reason, which the library tells nobody:
// it prints an exception of ClickHouse on standard error and logs any other. (The
// log is off otherwise, since the engine writes a stack trace into it for every
// statement that fails.)
func (e *engine) whyRefused(dir string) error {
	if busy, pid := lockedElsewhere(dir); busy {
		return inUse(dir, pid) // it came between
	}
	logFile := filepath.Join(e.confDir, "open.log")
	args := append(slices.Clone(e.args), "--logger.log="+logFile, "--log-level=error")
	var opened error
	printed, err := withStandardError(filepath.Join(e.confDir, "open.err"), func() {
		opened = keepSignals(func() error {
			c, err := e.lib.open(args...)
			if err == nil {
				c.close()
			}
			return err
		})
	})
	if err != nil {
		return fmt.Errorf("embedded engine: it could not open the data directory %s: its reason is on standard error", dir)
	}
	if opened == nil {
		return fmt.Errorf("embedded engine: it could not open the data directory %s: %w", dir, errPassed)
	}
	logged, _ := os.ReadFile(logFile) // absent when there is nothing in it
	reason := refusal(printed + "\n" + string(logged))
	if strings.HasPrefix(reason, "Code: 999.") { // KEEPER_EXCEPTION
		return errors.Join(fmt.Errorf("embedded engine: it could not open the data directory %s: %s", dir, reason), ErrTryAgain)
	}
	return fmt.Errorf("embedded engine: it could not open the data directory %s: %s", dir, reason)
}

// refusal finds the reason in what the engine printed and logged.
func refusal(text string) string {
	for line := range strings.Lines(text) {
		if at := strings.Index(line, "Code: "); at >= 0 {
			reason, _, _ := strings.Cut(line[at:], ", Stack trace")
			return strings.TrimSpace(reason)
		}
	}
	return "it gave no reason"
}

// connect opens a connection with the engine's default settings. It costs about
// half a millisecond, which is why nothing here reuses one across queries.
func (e *engine) connect() (*conn, error) {
	c, err := e.lib.open(e.args...)
	if err != nil {
		return nil, raise(codeUnknownException, "UNKNOWN_EXCEPTION", "%s", err)
	}
	return c, nil
}

// close shuts the engine down. Nothing may run on it any more.
func (e *engine) close() error {
	held.Lock()
	defer held.Unlock()
	e.controlMu.Lock()
	defer e.controlMu.Unlock()
	e.disconnect()
	held.dir = ""
	return errors.Join(os.RemoveAll(e.confDir), e.lock.Unlock())
}

// run calls into the engine and, should ctx end first, stops the statement the
// call is executing. The library gives statements no name, so KILL QUERY finds it
// by the thread that runs it; and an INSERT with data, which the library runs on
// a thread of its own, by a mark in its text.
func (e *engine) run(ctx context.Context, mark string, call func() error) error {
	if err := ctx.Err(); err != nil {
		return cancelled(ctx)
	}
	// The thread is this goroutine's alone while the call lasts.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	which := fmt.Sprintf("has(thread_ids, %d)", threadID())
	if mark != "" {
		// In two parts, so that this statement is not one that carries the mark.
		which += fmt.Sprintf(" OR position(query, concat(%s, %s)) > 0", quote(mark[:1]), quote(mark[1:]))
	}
	finished := make(chan struct{})
	var killer sync.WaitGroup
	killer.Go(func() {
		select {
		case <-finished:
			return
		case <-ctx.Done():
		}
		// The statement may not have begun when its client left.
		again := time.NewTicker(20 * time.Millisecond)
		defer again.Stop()
		for {
			if err := e.kill(which, finished); err != nil {
				e.log.Warn("a statement whose client left could not be stopped", "error", err)
			}
			select {
			case <-finished:
				return
			case <-again.C:
			}
		}
	})
	defer func() {
		close(finished)
		killer.Wait()
	}()
	err := call()
	if err != nil && ctx.Err() != nil {
		return cancelled(ctx)
	}
	return err
}

// kill stops a statement, unless it has finished. The killer is waited for
// before the thread is let go, so its number means no other statement.
func (e *engine) kill(which string, finished <-chan struct{}) error {
	e.controlMu.Lock()
	defer e.controlMu.Unlock()
	select {
	case <-finished:
		return nil
	default:
	}
	return e.control.exec("KILL QUERY WHERE " + which + " ASYNC")
}

func cancelled(ctx context.Context) error {
	return raise(codeCancelled, "QUERY_WAS_CANCELLED", "Query was cancelled: %s", context.Cause(ctx))
}

// settingName is what SET may be given unquoted.
var settingName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.]*$`)

// quote makes an SQL string of a text.
func quote(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\x00", `\0`).Replace(text) + "'"
}

// quoteName makes an SQL identifier of a text.
func quoteName(text string) string {
	return "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`", "\x00", `\0`).Replace(text) + "`"
}
