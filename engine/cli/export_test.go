package cli

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/config"
	"github.com/dfe-engine/dfe/engine/service"
	"github.com/dfe-engine/dfe/rules"
)

// The variables by which a test binary is told to be [ServeBeside].
const (
	BesideURL  = "DFE_TEST_SERVE_URL"
	BesideTree = "DFE_TEST_SERVE_TREE"
)

// ServeBeside is dfe serve on an embedded engine of another process, which the command has only in its own: there its memory
// is that of the engine. It says on standard output when it is at rest, and ends with SIGTERM.
func ServeBeside(url, dir string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	p := Process{Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv}
	a := &app{Process: p, exact: p}
	a.work()
	c, err := config.Load(func(string) string { return "" })
	if err != nil {
		return err
	}
	log := a.serviceLog(c)
	e, err := engine.New(engine.Options{
		Target: catalog.Target{URL: url}, Platform: rules.Embedded, Tree: dir, Release: "1.0.0", Wait: c.Wait, Log: log,
	})
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	return a.run(ctx, l, service.New(service.Options{
		Engine: e, Release: "1.0.0", Log: log,
		Ended: func(s engine.State) { a.rest(); fmt.Fprintln(a.Out, "at rest", s) },
	}), log)
}
