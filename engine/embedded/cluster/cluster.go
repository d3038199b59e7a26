package cluster

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// Cluster is a running cluster. Its methods are safe for concurrent use, except that one member, and ZooKeeper, is started,
// stopped, killed or paused by one goroutine at a time.
type Cluster struct {
	options   Options
	dir       string
	temporary bool
	token     string
	lock      *flock.Flock // on the directory
	keeper    *zookeeper   // nil where the options leave it out
	members   []*Member
}

// stamp marks a directory as a cluster's, so that another cluster's data is not taken for this one's.
type stamp struct {
	Members int      `json:"members"`
	Shards  int      `json:"shards"`
	Cloud   bool     `json:"cloud"`
	Without []string `json:"without,omitempty"`
}

// Start starts ZooKeeper and the members and waits until each answers. ctx bounds the start alone.
func Start(ctx context.Context, o Options) (c *Cluster, err error) {
	o = o.withDefaults()
	if err := o.Check(); err != nil {
		return nil, err
	}
	c = &Cluster{options: o, dir: o.Dir, token: randomID()}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
			c = nil
		}
	}()
	if err := c.openDir(); err != nil {
		return c, err
	}
	if err := c.startKeeper(ctx); err != nil {
		return c, err
	}
	if err := c.plan(); err != nil {
		return c, err
	}
	for _, m := range c.members {
		if err := m.launch(); err != nil {
			return c, err
		}
	}
	for _, m := range c.members {
		if err := m.awaitUp(ctx); err != nil {
			return c, err
		}
	}
	return c, nil
}

// stampName is the file that marks a cluster's directory.
const stampName = "cluster.json"

// Holds reports whether a directory is a cluster's, which is no data directory of an engine.
func Holds(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, stampName))
	return err == nil
}

func (c *Cluster) openDir() error {
	if c.dir == "" {
		dir, err := os.MkdirTemp("", "dfe-cluster-*")
		if err != nil {
			return fmt.Errorf("the cluster's directory: %w", err)
		}
		c.dir, c.temporary = dir, true
	}
	dir, err := filepath.Abs(c.dir)
	if err != nil {
		return fmt.Errorf("the cluster's directory: %w", err)
	}
	c.dir = dir
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("the cluster's directory: %w", err)
	}
	c.lock = flock.New(filepath.Join(dir, "cluster.lock"))
	if locked, err := c.lock.TryLock(); err != nil {
		return fmt.Errorf("the cluster's directory %s cannot be locked: %w", dir, err)
	} else if !locked {
		c.lock = nil
		return fmt.Errorf("the cluster's directory %s is in use by another cluster: stop it, or use another directory", dir)
	}
	own := stamp{c.options.Members, c.options.Shards, c.options.Cloud, c.options.Without}
	text, err := json.Marshal(own)
	if err != nil {
		return err
	}
	file := filepath.Join(dir, stampName)
	found, err := os.ReadFile(file)
	switch {
	case errors.Is(err, os.ErrNotExist):
		entries, err := os.ReadDir(dir)
		if err != nil {
			return fmt.Errorf("the cluster's directory: %w", err)
		}
		if len(entries) > 1 { // the lock is there
			return fmt.Errorf("the directory %s holds something that is no cluster: give an empty one", dir)
		}
		return os.WriteFile(file, text, 0o600)
	case err != nil:
		return fmt.Errorf("the cluster's directory: %w", err)
	case string(found) != string(text):
		return fmt.Errorf("the directory %s holds another cluster, %s, and this one is %s: give another directory", dir, found, text)
	}
	return nil
}

func (c *Cluster) startKeeper(ctx context.Context) error {
	for _, name := range c.options.Without {
		if name == "keeper" {
			return nil
		}
	}
	jars, err := installKeeper(ctx, c.options.Progress)
	if err != nil {
		return err
	}
	ports, err := freePorts(1)
	if err != nil {
		return err
	}
	c.keeper = &zookeeper{dir: filepath.Join(c.dir, "zookeeper"), jars: jars, port: ports[0]}
	ctx, cancel := context.WithTimeoutCause(ctx, c.options.StartTimeout, errSlow)
	defer cancel()
	return c.keeper.start(ctx)
}

// errSlow is why a start is given up.
var errSlow = errors.New("it took longer than the start timeout")

// plan decides on names, ports and the ways to ZooKeeper.
func (c *Cluster) plan() error {
	o := c.options
	public := o.Ports
	free, err := freePorts(2 * o.Members)
	if err != nil {
		return err
	}
	if len(public) == 0 {
		public = free[o.Members:]
	}
	var peers []peer
	for i := range o.Members {
		peers = append(peers, peer{Name: fmt.Sprintf("member%d", i+1), Shard: i%o.Shards + 1, Port: public[i], Control: free[i]})
	}
	for _, p := range peers {
		m := &Member{cluster: c, node: node{
			Name: p.Name, Dir: filepath.Join(c.dir, p.Name), Shared: filepath.Join(c.dir, "shared"), Port: p.Port, Control: p.Control, Token: c.token, Peers: peers,
			SessionTimeout: o.SessionTimeout, Cluster: o.clusterName(), Without: o.Without, Cloud: o.Cloud,
			AccessOutside: o.AccessOutsideKeeper, CollectionsOutside: o.CollectionsOutsideKeeper, FunctionsOutside: o.FunctionsOutsideKeeper,
			InternalReplication: !o.ExternalReplication, TaskMaxLifetime: o.TaskMaxLifetime, Seed: o.Seed,
		}}
		if c.keeper != nil {
			if m.proxy, err = newProxy(c.keeper.address()); err != nil {
				return err
			}
			m.node.Keeper = m.proxy.address().String()
		}
		c.members = append(c.members, m)
	}
	return nil
}

// Members are the members in order.
func (c *Cluster) Members() []*Member { return c.members }

// Member is the one with that number, counted from 0.
func (c *Cluster) Member(i int) *Member { return c.members[i] }

// URLs are where the members answer, in order.
func (c *Cluster) URLs() []string {
	urls := make([]string, len(c.members))
	for i, m := range c.members {
		urls[i] = m.URL()
	}
	return urls
}

// Name is the cluster's name in remote_servers.
func (c *Cluster) Name() string { return c.options.clusterName() }

// StopKeeper stops ZooKeeper. Its data stays.
func (c *Cluster) StopKeeper() error {
	if c.keeper == nil {
		return errors.New("this cluster has no ZooKeeper")
	}
	c.keeper.stop()
	return nil
}

// StartKeeper starts ZooKeeper again, on its port and with its data.
func (c *Cluster) StartKeeper(ctx context.Context) error {
	if c.keeper == nil {
		return errors.New("this cluster has no ZooKeeper")
	}
	if c.keeper.running() {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.options.StartTimeout, errSlow)
	defer cancel()
	return c.keeper.start(ctx)
}

// Close ends all processes and removes what is temporary.
func (c *Cluster) Close() error {
	var failed []error
	for _, m := range c.members {
		if p := m.now().process; p != nil && p.running() {
			failed = append(failed, p.kill())
		}
		if m.proxy != nil {
			failed = append(failed, m.proxy.close())
		}
	}
	if c.keeper != nil {
		c.keeper.stop()
	}
	if c.lock != nil {
		failed = append(failed, c.lock.Unlock())
	}
	if c.temporary {
		failed = append(failed, os.RemoveAll(c.dir))
	}
	return errors.Join(failed...)
}

// freePorts finds ports of 127.0.0.1 that nobody listens on, below those that systems give to outgoing connections: a
// member that is down for a while finds its port as it left it.
func freePorts(n int) ([]int, error) {
	const first, last, tries = 10_000, 32_000, 1000
	var ports []int
	for range tries {
		port := first + mathrand.IntN(last-first)
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			continue
		}
		defer func() { _ = l.Close() }() // all are held until all are found, so that no port comes twice
		if ports = append(ports, port); len(ports) == n {
			return ports, nil
		}
	}
	return nil, fmt.Errorf("no %d free ports were found from %d to %d", n, first, last)
}

func randomID() string {
	var b [12]byte
	_, _ = rand.Read(b[:]) // crypto/rand does not fail
	return hex.EncodeToString(b[:])
}

// Member is one ClickHouse process of a cluster.
type Member struct {
	cluster *Cluster
	node    node
	proxy   *proxy

	mu sync.Mutex // of what a start changes
	run
	took time.Duration
}

// run is one process of a member.
type run struct {
	process *process
	up      chan struct{} // closed when the process says that it is up
	began   time.Time
}

// now is the newest process of a member; its field process is nil before the first.
func (m *Member) now() run {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.run
}

// Name is its host name and its macro {replica}.
func (m *Member) Name() string { return m.node.Name }

// URL is where it answers, http://127.0.0.1:PORT, the same over restarts.
func (m *Member) URL() string { return fmt.Sprintf("http://127.0.0.1:%d", m.node.Port) }

// StartTime is how long its newest start took, from the process's own to its first answer.
func (m *Member) StartTime() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.took
}

// PID is its process's.
func (m *Member) PID() int { return m.now().process.cmd.Process.Pid }

// launch starts the process.
func (m *Member) launch() error {
	text, err := json.Marshal(m.node)
	if err != nil {
		return err
	}
	up := make(chan struct{})
	told := false
	began := time.Now()
	p, err := spawn(m.node.Name, memberMode, string(text), func(line string) {
		if line == readyLine && !told {
			told = true
			close(up)
		}
	})
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.run = run{p, up, began}
	return nil
}

// awaitUp waits until the process answers.
func (m *Member) awaitUp(ctx context.Context) error {
	timer := time.NewTimer(m.cluster.options.StartTimeout)
	defer timer.Stop()
	now := m.now()
	select {
	case <-now.up:
		m.mu.Lock()
		defer m.mu.Unlock()
		m.took = time.Since(now.began)
		return nil
	case <-now.process.done:
		return fmt.Errorf("%s ended while it started (%v); its last lines:\n%s", m.node.Name, now.process.err, now.process.log)
	case <-timer.C:
		return errors.Join(fmt.Errorf("%s did not come up within %s; its last lines:\n%s", m.node.Name, m.cluster.options.StartTimeout, now.process.log), now.process.kill())
	case <-ctx.Done():
		return fmt.Errorf("%s did not come up: %w; its last lines:\n%s", m.node.Name, context.Cause(ctx), now.process.log)
	}
}
