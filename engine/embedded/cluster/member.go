package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/dfe-engine/dfe/engine/embedded"
)

// member is the process of one member: the engine, the front end before it, and what they share.
type member struct {
	node
	server  *embedded.Server
	session *session // nil without ZooKeeper
	door    *door
	rows    rows
	faults  *faults
	present present
	dbs     *databases
	tables  *tables
	queue   *queue
	access  *accessLog
	client  *http.Client // to the other members
	// memory is held by INSERTs that have rows in the engine's memory, and alone by who closes the engine to open it again.
	memory sync.RWMutex
	work   sync.WaitGroup
	log    *slog.Logger
	facts  facts
	// structures are the columns of the system tables, which do not change.
	structures sync.Map
}

// runMember runs until standard input ends or SIGTERM arrives.
func runMember(n node) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	// SIGINT is a terminal's, and the supervisor decides. SIGPIPE comes when the engine writes to a ZooKeeper that has given
	// it up, and would end a process that does not ignore it.
	signal.Ignore(syscall.SIGINT, syscall.SIGPIPE)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // until the supervisor is gone, or wants us gone
		cancel()
	}()
	// What members do for one another goes on until the statements of clients are finished, which wait for it.
	work, rest := context.WithCancel(context.Background())
	defer rest()
	m := &member{node: n, log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))}
	if err := m.open(ctx, work); err != nil {
		return fmt.Errorf("%s: %w", n.Name, err)
	}
	fmt.Println(readyLine)
	<-ctx.Done()
	// What runs is finished. The engine itself is left to the end of the process, which loses nothing: it has been
	// acknowledged by then, and an engine with a ZooKeeper session may crash while it closes.
	bounded, end := context.WithTimeout(context.Background(), stopPatience)
	defer end()
	m.door.shut(bounded)
	return nil
}

// stopPatience is how long running statements may take to end when a member stops.
const stopPatience = 10 * time.Second

// stageDir is where the front end keeps what is its own.
func (m *member) stageDir() string { return filepath.Join(m.Dir, "dfe-stage") }

// open starts a member: what it begins with by ctx, what it does from then on by work.
func (m *member) open(ctx, work context.Context) (err error) {
	if err := os.MkdirAll(m.stageDir(), 0o700); err != nil {
		return err
	}
	m.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}
	m.faults = newFaults(m.Seed)
	m.dbs, m.tables, m.queue, m.access = newDatabases(m), newTables(m), newQueue(m), newAccessLog(m)
	if m.Keeper != "" {
		if m.session, err = openSession(m.Keeper, m.SessionTimeout); err != nil {
			return err
		}
	}
	if err := m.serveControl(); err != nil {
		return err
	}
	if err := errors.Join(m.dbs.load(), m.tables.load(), m.access.load()); err != nil {
		return err
	}
	if err := m.startEngine(ctx); err != nil {
		return err
	}
	if err := m.settle(ctx); err != nil {
		return err
	}
	if m.session != nil {
		m.work.Go(func() { m.dbs.run(work) })
		m.work.Go(func() { m.tables.run(work) })
		m.work.Go(func() { m.queue.run(work) })
		m.work.Go(func() { m.access.run(work) })
	}
	m.door = &door{port: m.Port, handler: m.server}
	return m.door.open()
}

// settle brings what is kept here, the engine and ZooKeeper together again, wherever a process before this one was killed.
// It waits for ZooKeeper.
func (m *member) settle(ctx context.Context) error {
	for {
		err := m.dbs.prune(ctx)
		if err == nil {
			err = m.tables.reconcile(ctx)
		}
		if !passing(err) || m.session == nil {
			return err
		}
		m.log.Warn("settling", "error", err)
		wait(ctx, pause)
		if ctx.Err() != nil {
			return err
		}
	}
}

// startEngine opens the engine, which waits for ZooKeeper. An engine keeps its session there under a server id that all
// engines of the library share: of members that open at the same moment one may be told that the node exists.
func (m *member) startEngine(ctx context.Context) error {
	for {
		var err error
		m.server, err = embedded.Start(ctx, embedded.Options{
			Path: filepath.Join(m.Dir, "data"), Log: m.log, Config: m.config(), MaxMemory: 1 << 30, MaxQueries: 24, Front: m, Access: m.access.keeper,
			Opened: func(do func(context.Context, embedded.Order) ([]byte, error)) error {
				return m.dress(context.WithoutCancel(ctx), do)
			},
		})
		if !errors.Is(err, embedded.ErrTryAgain) {
			return err
		}
		m.log.Warn("opening the engine", "error", err)
		wait(ctx, pause)
		if ctx.Err() != nil {
			return err
		}
	}
}

// config is what the engine is configured with: all that it can have by itself.
func (m *member) config() string {
	xml := "  <macros>"
	for name, value := range m.macros() {
		xml += fmt.Sprintf("<%s>%s</%s>", name, value, name)
	}
	xml += "</macros>\n"
	if m.Keeper == "" {
		return xml
	}
	var host, port string
	if h, p, ok := cut(m.Keeper); ok {
		host, port = h, p
	}
	xml += fmt.Sprintf("  <zookeeper><node><host>%s</host><port>%s</port></node><session_timeout_ms>%d</session_timeout_ms><operation_timeout_ms>5000</operation_timeout_ms></zookeeper>\n",
		host, port, m.SessionTimeout.Milliseconds())
	xml += "  <keeper_map_path_prefix>/clickhouse/keeper_map</keeper_map_path_prefix>\n"
	if !m.CollectionsOutside {
		xml += "  <named_collections_storage><type>zookeeper</type><path>/clickhouse/named_collections</path><update_timeout_ms>200</update_timeout_ms></named_collections_storage>\n"
	}
	if !m.FunctionsOutside {
		xml += "  <user_defined_zookeeper_path>/clickhouse/user_defined</user_defined_zookeeper_path>\n"
	}
	return xml
}

// door is where clients come in. It can be closed while the member runs.
type door struct {
	port    int
	handler http.Handler

	mu     sync.Mutex
	server *http.Server
}

// open lets clients in.
func (d *door) open() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.server != nil {
		return nil
	}
	l, err := listen(d.port)
	if err != nil {
		return err
	}
	d.server = &http.Server{Handler: d.handler, ReadHeaderTimeout: 30 * time.Second, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)}
	go func(s *http.Server) { _ = s.Serve(l) }(d.server) // ends with refuse or shut
	return nil
}

// refuse ends all connections and takes no more.
func (d *door) refuse() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.server != nil {
		_ = d.server.Close()
		d.server = nil
	}
}

// shut takes no more connections and waits for those that are at work.
func (d *door) shut(ctx context.Context) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.server == nil {
		return
	}
	if err := d.server.Shutdown(ctx); errors.Is(err, context.DeadlineExceeded) {
		_ = d.server.Close()
	}
}
