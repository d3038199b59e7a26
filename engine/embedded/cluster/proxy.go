package cluster

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
)

// proxy passes the bytes of one member's connections to ZooKeeper, until it is cut.
type proxy struct {
	listener net.Listener
	target   string
	workers  sync.WaitGroup

	mu    sync.Mutex
	cut   bool
	conns map[net.Conn]bool
}

func newProxy(target string) (*proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("the way of a member to ZooKeeper: %w", err)
	}
	p := &proxy{listener: l, target: target, conns: map[net.Conn]bool{}}
	p.workers.Go(p.accept)
	return p, nil
}

func (p *proxy) address() *net.TCPAddr { return p.listener.Addr().(*net.TCPAddr) }

func (p *proxy) accept() {
	for {
		from, err := p.listener.Accept()
		if err != nil {
			return // closed
		}
		p.workers.Go(func() { p.pass(from) })
	}
}

// pass joins a connection with a new one to ZooKeeper.
func (p *proxy) pass(from net.Conn) {
	if !p.keep(from) {
		return
	}
	defer p.drop(from)
	to, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	if !p.keep(to) {
		return
	}
	defer p.drop(to)
	var back sync.WaitGroup
	back.Go(func() {
		_, _ = io.Copy(from, to) // whichever way it ends, both ends are closed
		p.drop(from)
	})
	_, _ = io.Copy(to, from)
	p.drop(to)
	back.Wait()
}

// keep remembers a connection, or closes it while the proxy is cut.
func (p *proxy) keep(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut {
		_ = c.Close()
		return false
	}
	p.conns[c] = true
	return true
}

func (p *proxy) drop(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conns[c] {
		delete(p.conns, c)
		_ = c.Close()
	}
}

// setCut ends all connections and lets none through, or lets them through again.
func (p *proxy) setCut(cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = cut
	if cut {
		for c := range p.conns {
			_ = c.Close()
			delete(p.conns, c)
		}
	}
}

func (p *proxy) close() error {
	p.setCut(true)
	err := p.listener.Close()
	p.workers.Wait()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
