package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// zookeeper is the one ZooKeeper server of a cluster, which outlives its process: it may be stopped and started.
type zookeeper struct {
	dir, jars string
	port      int
	process   *process
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
	p, err := spawn("ZooKeeper", keeperMode, z.jars+"\n"+file, func(string) {})
	if err != nil {
		return err
	}
	z.process = p
	return poll(ctx, func() (bool, error) {
		if !p.running() {
			return false, fmt.Errorf("ZooKeeper ended while it started (%v); its last lines: %s", p.err, p.log)
		}
		return z.answers(), nil
	}, func() string { return "ZooKeeper did not come up; its last lines: " + p.log.String() })
}

// answers asks the server whether it is well.
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

func (z *zookeeper) stop() error {
	if z.process == nil || !z.process.running() {
		return nil
	}
	return z.process.stop()
}

// runKeeper is the child that guards the Java process: when our standard input ends, so does it.
func runKeeper(config string) error {
	jars, file, _ := strings.Cut(config, "\n")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	java := exec.CommandContext(ctx, "java", "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dzookeeper.forceSync=no",
		"-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", filepath.Join(jars, "*"), "org.apache.zookeeper.server.ZooKeeperServerMain", file)
	java.Stdout, java.Stderr = os.Stdout, os.Stderr
	if err := java.Start(); err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // until the other end is gone
		cancel()
	}()
	err := java.Wait()
	if ctx.Err() != nil {
		return nil
	}
	return err
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
