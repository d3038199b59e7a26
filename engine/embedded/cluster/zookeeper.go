package cluster

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dfe-engine/dfe/engine/internal/jvm"
)

//go:embed keeper/pom.xml
var pom []byte

//go:embed keeper/SHA256SUMS
var sums string

// ErrNoKeeper is wrapped by the error of [Start] where no ZooKeeper is to be had.
var ErrNoKeeper = errors.New("no ZooKeeper")

// installKeeper returns the directory of ZooKeeper's jars, fetching them where this machine has none yet.
func installKeeper(ctx context.Context, progress io.Writer) (string, error) {
	if _, err := exec.LookPath("java"); err != nil {
		return "", fmt.Errorf("%w: a cluster needs one, and there is no java to run it with: install a Java 17 runtime", ErrNoKeeper)
	}
	if progress == nil {
		progress = io.Discard
	}
	jars, err := jvm.Pinned{Name: "zookeeper", POM: pom, Sums: sums, Size: "7 MB"}.Fetch(ctx, progress)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrNoKeeper, err)
	}
	return jars, nil
}

// maxNode is how many bytes one node may have: a statement has to fit into one.
const maxNode = 64 << 20

// zookeeper is the one ZooKeeper server of a cluster, which outlives its process: it may be stopped and started.
type zookeeper struct {
	dir, jars string
	port      int
	process   atomic.Pointer[jvm.Process] // the newest; nil before the first
}

func (z *zookeeper) address() string { return net.JoinHostPort("127.0.0.1", fmt.Sprint(z.port)) }

// start runs the server and waits until it answers.
func (z *zookeeper) start(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Join(z.dir, "data"), 0o700); err != nil {
		return fmt.Errorf("ZooKeeper: %w", err)
	}
	config := fmt.Sprintf("dataDir=%s\nclientPort=%d\nclientPortAddress=127.0.0.1\ntickTime=500\nmaxClientCnxns=0\nadmin.enableServer=false\n4lw.commands.whitelist=srvr\n",
		filepath.Join(z.dir, "data"), z.port)
	file := filepath.Join(z.dir, "zoo.cfg")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		return fmt.Errorf("ZooKeeper: %w", err)
	}
	p, err := jvm.Start(filepath.Join(z.dir, "log"), append([]string{"-Dzookeeper.forceSync=no", fmt.Sprintf("-Djute.maxbuffer=%d", maxNode), "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"},
		jvm.Command(jvm.Jars(z.jars), "org.apache.zookeeper.server.ZooKeeperServerMain", file)...))
	if err != nil {
		return fmt.Errorf("ZooKeeper: %w", err)
	}
	z.process.Store(p)
	return poll(ctx, func() (bool, error) {
		if !z.running() {
			return false, fmt.Errorf("ZooKeeper ended while it started; its last lines:\n%s", p.Log())
		}
		return z.answers(), nil
	}, func() string { return "ZooKeeper did not come up; its last lines:\n" + p.Log() })
}

func (z *zookeeper) running() bool {
	p := z.process.Load()
	if p == nil {
		return false
	}
	select {
	case <-p.Ended():
		return false
	default:
		return true
	}
}

// answers asks the server whether it serves requests.
func (z *zookeeper) answers() bool {
	c, err := net.DialTimeout("tcp", z.address(), time.Second)
	if err != nil {
		return false
	}
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(time.Second))
	if _, err := io.WriteString(c, "srvr"); err != nil {
		return false
	}
	answer, _ := io.ReadAll(c)
	return strings.Contains(string(answer), "Mode: standalone")
}

// stop ends the server. What it has acknowledged is in its log: the system has it, forceSync or not.
func (z *zookeeper) stop() {
	if z.running() {
		z.process.Load().Kill()
	}
}

// poll asks until the answer is yes, an error, or the context ends; late says then what was waited for.
func poll(ctx context.Context, yes func() (bool, error), late func() string) error {
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for {
		ok, err := yes()
		if ok || err != nil {
			return err
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return errors.Join(errors.New(late()), context.Cause(ctx))
		}
	}
}
