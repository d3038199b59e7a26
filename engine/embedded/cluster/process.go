package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
)

// process is a child that ends with us: it reads its standard input and leaves when that ends.
type process struct {
	name string
	cmd  *exec.Cmd
	log  *tail
	in   io.WriteCloser
	done chan struct{}
	err  error // set before done is closed
	// paused says that it was told to stand still.
	paused atomic.Bool
}

// spawn starts this program again in a mode of [Run].
func spawn(name, mode, config string, ready func(line string)) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	p := &process{name: name, log: &tail{ready: ready}, done: make(chan struct{})}
	p.cmd = exec.Command(self)
	p.cmd.Env = append(os.Environ(), modeVariable+"="+mode, configVariable+"="+config)
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a terminal's Ctrl-C is ours to pass on
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	go func() {
		p.err = p.cmd.Wait()
		_, _ = fmt.Fprintf(p.log, "it ended: %s\n", p.cmd.ProcessState) // a tail takes everything
		close(p.done)
	}()
	return p, nil
}

func (p *process) running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

func (p *process) signal(s os.Signal) error {
	switch s {
	case syscall.SIGSTOP:
		p.paused.Store(true)
	case syscall.SIGCONT:
		p.paused.Store(false)
	}
	err := p.cmd.Process.Signal(s)
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

// stop tells it to end and waits.
func (p *process) stop() error {
	err := errors.Join(p.in.Close(), p.signal(syscall.SIGCONT))
	<-p.done
	return err
}

// kill ends it at once.
func (p *process) kill() error {
	err := p.signal(syscall.SIGKILL)
	<-p.done
	_ = p.in.Close() // the pipe of a process that is gone
	return err
}

// tail keeps the last lines a process printed.
type tail struct {
	ready func(line string)

	mu    sync.Mutex
	lines []string
	part  []byte
}

// keptLines is how much of a process's output is kept.
const keptLines = 40

func (t *tail) Write(data []byte) (int, error) {
	t.mu.Lock()
	var fresh []string
	t.part = append(t.part, data...)
	for {
		at := bytes.IndexByte(t.part, '\n')
		if at < 0 {
			break
		}
		line := strings.TrimRight(string(t.part[:at]), "\r")
		t.part = t.part[at+1:]
		t.lines = append(t.lines, line)
		fresh = append(fresh, line)
	}
	if over := len(t.lines) - keptLines; over > 0 {
		t.lines = append([]string(nil), t.lines[over:]...)
	}
	t.mu.Unlock()
	for _, line := range fresh {
		t.ready(line)
	}
	return len(data), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(strings.Join(t.lines, "\n") + "\n" + string(t.part))
}
