package embedded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"
)

// Options says how to run an embedded server. The zero value runs one on a free
// port of 127.0.0.1 with a temporary data directory.
type Options struct {
	// Path is the data directory, created when absent. Empty: a temporary
	// directory, removed by Close. One process at a time can hold a directory.
	Path string
	// Listen is the address, default 127.0.0.1:0. Only loopback addresses are
	// accepted: whoever reaches the server acts with the rights of this process,
	// file() and url() included.
	Listen string
	// Password, when set, is what the user default has to give.
	Password string
	// Log gets what the server has to say; nil is slog.Default().
	Log *slog.Logger
	// Progress gets a line while the library is fetched; nil is silent.
	Progress io.Writer
	// Library names the library file, as DFE_EMBEDDED_LIBRARY does.
	Library string
	// MaxQueries is how many queries run at once, default 8; the others wait.
	MaxQueries int
	// MaxThreads is how many threads one query may use, default 2.
	MaxThreads int
	// MaxMemory is how many bytes all queries together may use, default 2 GiB.
	MaxMemory int64
	// Config is XML put inside <clickhouse> of the engine's configuration:
	// macros, remote_servers, zookeeper and the like.
	Config string
	// Settings of the profile of the user default: allow_suspicious_codecs and the
	// like. A name the engine does not know keeps it from starting.
	Settings map[string]string
	// Users is the whole text of users.xml; empty: the user default with
	// everything granted. MaxThreads and Settings are a part of it and then without
	// effect.
	Users string
	// Access keeps roles, users, settings profiles, quotas, row policies and
	// grants, which the library has no writeable storage for. Nil: their
	// statements are the library's to refuse. Users is then empty.
	Access Access
	access AccessConfig // as Access has it now
	// Front, when set, sees each statement before the engine and Access do.
	Front Front
	// Opened, when set, is called whenever the engine has opened, before it answers
	// anybody.
	Opened func(do func(context.Context, Order) ([]byte, error)) error
}

func (o Options) withDefaults() Options {
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.MaxQueries <= 0 {
		o.MaxQueries = 8
	}
	if o.MaxThreads <= 0 {
		o.MaxThreads = min(2, runtime.NumCPU())
	}
	if o.MaxMemory <= 0 {
		o.MaxMemory = 2 << 30
	}
	return o
}

// Server is a ClickHouse engine in this process behind ClickHouse's HTTP
// interface.
type Server struct {
	url      string
	log      *slog.Logger
	password string
	version  string
	timezone string

	engine   *engine
	options  Options
	library  string
	changing chan struct{} // held while access objects change
	prepared *AccessConfig // what they are to be; nil where the engine has them
	orders   *gate
	http     *http.Server
	slots    chan struct{}
	sessions sessions
	gzips    gzips
	stop     context.CancelCauseFunc // ends every running query
	handlers sync.WaitGroup

	path      string
	removable string // the temporary data directory

	done      chan struct{}
	serveErr  error // set before done is closed
	closeOnce sync.Once
	closeErr  error
}

// errClosing is why queries end when the server closes.
var errClosing = errors.New("the embedded server is closing")

// Start opens the engine and begins to answer. ctx bounds the start alone,
// fetching the library included; the server runs until Close.
func Start(ctx context.Context, o Options) (*Server, error) {
	o = o.withDefaults()
	if err := checkLoopback(o.Listen); err != nil {
		return nil, err
	}
	lib, err := Locate(ctx, LocateOptions{Library: o.Library, Progress: o.Progress})
	if err != nil {
		return nil, err
	}
	s := &Server{
		log: o.Log, password: o.Password,
		slots: make(chan struct{}, o.MaxQueries), changing: make(chan struct{}, 1), orders: newGate(), options: o, library: lib.Path,
		done: make(chan struct{}),
	}
	if err := s.open(ctx, o, lib); err != nil {
		return nil, errors.Join(err, s.removeTemporary())
	}
	return s, nil
}

// open makes the directory, the listener and the engine, and serves.
func (s *Server) open(ctx context.Context, o Options, lib Library) (err error) {
	dir := o.Path
	if dir == "" {
		if dir, err = os.MkdirTemp("", "dfe-engine-data-*"); err != nil {
			return fmt.Errorf("embedded engine: no temporary directory can be made in %s: %w; name another with TMPDIR", os.TempDir(), reason(err))
		}
		s.removable = dir
	}
	if dir, err = dataDirectory(dir); err != nil {
		return err
	}
	s.path = dir
	var listen net.ListenConfig
	listener, err := listen.Listen(ctx, "tcp", o.Listen)
	if err != nil {
		return fmt.Errorf("embedded engine: %w", err)
	}
	if o.Access != nil {
		if o.access, err = o.Access.Open(dir); err != nil {
			return errors.Join(fmt.Errorf("embedded engine: %w", err), listener.Close())
		}
		s.options.access = o.access
	}
	if err = s.openEngine(); err != nil {
		return errors.Join(err, listener.Close())
	}
	if err := s.identify(); err != nil {
		return errors.Join(err, s.engine.close(), listener.Close())
	}
	s.serve(listener)
	o.Log.Info("embedded ClickHouse is up", "url", s.url, "version", s.version, "path", dir,
		"library", lib.Path, "library_from", string(lib.Origin))
	return nil
}

// dataDirectory makes the directory and returns its absolute name: the engine
// compares names, and would create directories it cannot report on.
func dataDirectory(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("embedded engine: %s: %w", dir, err)
	}
	if err := os.MkdirAll(abs, 0o700); err != nil {
		return "", fmt.Errorf("embedded engine: the data directory cannot be made: %w", err)
	}
	probe, err := os.CreateTemp(abs, ".writable-*")
	if err != nil {
		return "", fmt.Errorf("embedded engine: the data directory %s cannot be written by this user: %w; the engine writes to it also where it only reads", abs, reason(err))
	}
	return abs, errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// reason is what went wrong without the name of a file that the sentence around it names already, or does not speak of. A
// leaf uses nothing of ours: elsewhere this is regular.Reason.
func reason(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

func checkLoopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("embedded engine: listen address %q: %w: give it as 127.0.0.1:8123", address, err)
	}
	if !isLoopback(host) {
		return fmt.Errorf("embedded engine: listen address %q is refused: whoever reaches the server can read and write this user's files, so it listens on loopback only: use 127.0.0.1 or [::1]", address)
	}
	return nil
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// identify asks the engine who it is, once.
func (s *Server) identify() error {
	r, err := s.engine.keeper.query([]byte("SELECT version() || '\n' || timezone()"), "TSVRaw", nil)
	if err != nil {
		return fmt.Errorf("embedded engine: %w", err)
	}
	defer r.free()
	if _, err := fmt.Sscan(string(r.bytes()), &s.version, &s.timezone); err != nil {
		return fmt.Errorf("embedded engine: %q is no version: %w", r.bytes(), err)
	}
	return nil
}

func (s *Server) serve(listener net.Listener) {
	base, stop := context.WithCancelCause(context.Background())
	s.stop = stop
	s.url = "http://" + listener.Addr().String()
	s.http = &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 30 * time.Second,
		MaxHeaderBytes:    1 << 20,
		BaseContext:       func(net.Listener) context.Context { return base },
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
	go func() {
		err := s.http.Serve(listener)
		if !errors.Is(err, http.ErrServerClosed) {
			s.serveErr = fmt.Errorf("embedded engine: it stopped answering: %w", err)
			s.log.Error("embedded ClickHouse stopped answering", "error", err)
		}
		close(s.done)
	}()
}

// URL is the server's address, http://127.0.0.1:PORT.
func (s *Server) URL() string { return s.url }

// Path is the data directory's absolute name.
func (s *Server) Path() string { return s.path }

// Version is the engine's version, as SELECT version() prints it.
func (s *Server) Version() string { return s.version }

// Done is closed when the server has stopped answering, by Close or by a fault.
func (s *Server) Done() <-chan struct{} { return s.done }

// Err is why the server stopped answering; nil while it runs and after Close.
func (s *Server) Err() error {
	select {
	case <-s.done:
		return s.serveErr
	default:
		return nil
	}
}

// stopPatience is how long Close waits for queries it has told to stop.
const stopPatience = 10 * time.Second

// Close stops accepting, waits for the running queries as long as ctx lasts,
// stops those that are left, closes the engine and removes what is temporary.
// The data directory may be opened again when it returns nil. It returns
// ctx's error when queries had to be stopped, and leaves the engine open in the
// one case that a query does not stop: closing under it would crash the process.
// Further calls return what the first one did.
func (s *Server) Close(ctx context.Context) error {
	s.closeOnce.Do(func() { s.closeErr = s.close(ctx) })
	return s.closeErr
}

func (s *Server) close(ctx context.Context) error {
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = fmt.Errorf("embedded engine: queries were stopped: %w", err)
	}
	s.stop(errClosing)
	<-s.done
	idle := make(chan struct{})
	go func() {
		s.handlers.Wait()
		close(idle)
	}()
	patience := time.NewTimer(stopPatience)
	defer patience.Stop()
	select {
	case <-idle:
	case <-patience.C:
		return errors.Join(err, fmt.Errorf("embedded engine: a query did not stop within %s; the engine stays open", stopPatience))
	}
	s.sessions.closeAll()
	if s.engine != nil {
		err = errors.Join(err, s.engine.close())
	}
	return errors.Join(err, s.http.Close(), s.removeTemporary())
}

func (s *Server) removeTemporary() error {
	if s.removable == "" {
		return nil
	}
	return os.RemoveAll(s.removable)
}
