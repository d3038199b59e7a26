package cluster

import (
	"context"
	"fmt"
	"syscall"
)

// Start starts a member that does not run and waits until it answers.
func (m *Member) Start(ctx context.Context) error {
	if m.now().process.running() {
		return nil
	}
	if err := m.launch(); err != nil {
		return err
	}
	return m.awaitUp(ctx)
}

// Stop ends a member as SIGTERM ends a server: what runs is finished first, for 10 s at most.
func (m *Member) Stop() error {
	if !m.now().process.running() {
		return nil
	}
	return m.now().process.stop()
}

// Kill ends a member as kill -9 does.
func (m *Member) Kill() error {
	if !m.now().process.running() {
		return nil
	}
	return m.now().process.kill()
}

// Pause stops a member where it stands (SIGSTOP). It still accepts connections, as the system does it, and answers none.
func (m *Member) Pause() error {
	if err := m.now().process.signal(syscall.SIGSTOP); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(context.Background(), m.cluster.options.StartTimeout, errSlow)
	defer cancel()
	return poll(ctx, func() (bool, error) { return stopped(m.PID()), nil }, func() string { return m.node.Name + " does not stand still" })
}

// Resume lets a paused member go on.
func (m *Member) Resume() error { return m.now().process.signal(syscall.SIGCONT) }

// Running reports whether the member's process is there, paused or not.
func (m *Member) Running() bool { return m.now().process.running() }

// Log is what the member's process printed last.
func (m *Member) Log() string { return m.now().process.log.String() }

// CutKeeper takes the way to ZooKeeper from a member, engine and front end alike.
func (m *Member) CutKeeper() error { return m.setKeeper(true) }

// JoinKeeper gives it back.
func (m *Member) JoinKeeper() error { return m.setKeeper(false) }

func (m *Member) setKeeper(cut bool) error {
	if m.proxy == nil {
		return fmt.Errorf("%s has no ZooKeeper", m.node.Name)
	}
	m.proxy.setCut(cut)
	return nil
}
