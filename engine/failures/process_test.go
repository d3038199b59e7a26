package failures_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
)

// order is what a process that makes one pass is told, on its standard input.
type order struct {
	URL, Tree, Release string
	Wait               time.Duration
	// Hurry gives it the clock of one without rivals.
	Hurry bool
}

// onePass makes one pass and prints its report. It is what a process of a test does.
func onePass(ctx context.Context) int {
	var o order
	if err := json.NewDecoder(os.Stdin).Decode(&o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	options := engine.Options{Target: catalog.Target{URL: o.URL}, Tree: o.Tree, Release: o.Release, Wait: o.Wait, Log: slog.New(slog.NewTextHandler(os.Stderr, nil))}
	if o.Hurry {
		options.Clock = hurry()
	}
	e, err := engine.New(options)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	r, _ := e.Pass(ctx) // its error is in the report
	if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
		return 1
	}
	return 0
}

// process is an engine in a process of its own.
type process struct {
	p        *place
	cmd      *exec.Cmd
	out, err lines
	ended    chan struct{}
}

// boot starts a process that makes one pass.
func (p *place) boot(o order) *process {
	p.Helper()
	if o.Release == "" {
		o.Release = "2026.11.0"
	}
	text, err := json.Marshal(o)
	if err != nil {
		p.Fatal(err)
	}
	return p.start(modePass, bytes.NewReader(text), nil)
}

// dfe starts the command.
func (p *place) dfe(variables []string, args ...string) *process {
	p.Helper()
	return p.start(modeCommand, nil, variables, args...)
}

func (p *place) start(mode string, in io.Reader, variables []string, args ...string) *process {
	p.Helper()
	self, err := os.Executable()
	if err != nil {
		p.Fatal(err)
	}
	x := &process{p: p, cmd: exec.Command(self, args...), ended: make(chan struct{})}
	x.cmd.Env = append(append(os.Environ(), modeVariable+"="+mode), variables...)
	x.cmd.Stdin, x.cmd.Stdout, x.cmd.Stderr = in, &x.out, &x.err
	if err := x.cmd.Start(); err != nil {
		p.Fatal(err)
	}
	go func() {
		_ = x.cmd.Wait() // what it printed tells
		close(x.ended)
	}()
	p.Cleanup(func() {
		x.kill()
		if p.Failed() {
			p.Logf("a process printed:\n%s\n%s", &x.out, &x.err)
		}
	})
	return x
}

// kill ends it as kill -9 does, and returns when it is gone.
func (x *process) kill() {
	x.signal(syscall.SIGKILL)
	<-x.ended
}

func (x *process) signal(s os.Signal) {
	if err := x.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		x.p.Error(err)
	}
}

// report waits for the end of a pass and returns its report.
func (x *process) report() engine.Report {
	x.p.Helper()
	<-x.ended
	var r engine.Report
	if err := json.Unmarshal([]byte(x.out.String()), &r); err != nil {
		x.p.Fatalf("the process left no report: %v\n%s", err, &x.err)
	}
	return r
}
