//go:build unix

package jvm

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
)

// small makes a runtime that starts fast and stays small.
var small = [...]string{"-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"}

// Command is the arguments of java that run a program: its class path, then the class and what it is given.
func Command(classPath string, words ...string) []string {
	return append(append(small[:len(small):len(small)], "-cp", classPath), words...)
}

// Jars is the class path of all jars of a directory.
func Jars(dir string) string { return filepath.Join(dir, "*") }

// Process is a Java program at work.
type Process struct {
	cmd   *exec.Cmd
	log   string
	alive *os.File // the program ends when it is closed, and so with this process
	ended chan struct{}
	kill  sync.Once
}

// Start runs java with the arguments that [Command] made. What it prints goes into the file log. The program runs under
// a shell that kills it when this process is gone, however that ended; the caller ends it by [Process.Kill].
func Start(log string, arguments []string) (*Process, error) {
	out, err := os.Create(log)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	held, alive, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer held.Close()
	p := &Process{log: log, alive: alive, ended: make(chan struct{})}
	p.cmd = exec.Command("sh", append([]string{"-c", `(read -r _ <&3; kill -9 0) & exec java "$@"`, "sh"}, arguments...)...)
	p.cmd.Stdout, p.cmd.Stderr, p.cmd.ExtraFiles = out, out, []*os.File{held}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%w; %v", err, alive.Close())
	}
	go func() {
		defer close(p.ended)
		_ = p.cmd.Wait() // it is killed
	}()
	return p, nil
}

// Ended is closed when the program is gone.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Log is the end of what the program printed.
func (p *Process) Log() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-4000):])
}

// Kill ends the program with all it started, at once, and returns when it is gone.
func (p *Process) Kill() {
	p.kill.Do(func() {
		// The group is there, and is nobody else's, while the shell that watches lives.
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
		<-p.ended
		p.alive.Close()
	})
}

// FreePorts returns addresses on loopback that nothing listened at a moment ago. Another process may take one before it
// is used: whoever starts a program there tries again.
func FreePorts(n int) ([]string, error) {
	list := make([]string, n)
	for i := range list {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close() // all are held until the last is found, so that they differ
		list[i] = l.Addr().String()
	}
	return list, nil
}
