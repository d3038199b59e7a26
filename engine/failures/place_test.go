package failures_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/embedded/cluster"
	"github.com/dfe-engine/dfe/engine/embedded/cluster/clustertest"
	"github.com/dfe-engine/dfe/engine/ledger"
)

// lanes is how many tests run at once, each on a cluster of its own. A cluster of two members takes 0.5 GB.
const lanes = 3

// stages are the clusters that tests share.
var stages = pool{turns: make(chan struct{}, lanes), idle: map[size][]*cluster.Cluster{}}

// size tells apart the clusters that tests may have after one another.
type size struct {
	members int
	// steady is one whose members do not fail, nor lose ZooKeeper where the machine is too busy for a heartbeat.
	steady bool
}

// session is how long a member may be silent before it counts as gone.
func (s size) session() time.Duration {
	if s.steady {
		return 10 * time.Second
	}
	return 0 // the stage's own
}

type pool struct {
	turns chan struct{}
	mu    sync.Mutex
	// idle are those that no test uses.
	idle map[size][]*cluster.Cluster
}

// take gives a test a cluster of its own until it ends.
func (s *pool) take(t testing.TB, of size) *cluster.Cluster {
	t.Helper()
	s.turn(t)
	c := s.reuse(t, of)
	if c == nil {
		var err error
		c, err = cluster.Start(context.Background(), cluster.Options{Members: of.members, SessionTimeout: of.session(), Progress: os.Stderr})
		clustertest.SkipWithoutKeeper(t, err)
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if t.Failed() { // the next one would suffer for it
			if err := c.Close(); err != nil {
				t.Log(err)
			}
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.idle[of] = append(s.idle[of], c)
	})
	return c
}

// turn waits until fewer than [lanes] other tests have a cluster.
func (s *pool) turn(t testing.TB) {
	s.turns <- struct{}{}
	t.Cleanup(func() { <-s.turns })
}

// reuse finds an idle cluster of that size, and ends those of other sizes where there is none.
func (s *pool) reuse(t testing.TB, of size) *cluster.Cluster {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if list := s.idle[of]; len(list) > 0 {
		s.idle[of] = list[1:]
		return list[0]
	}
	if err := s.end(); err != nil {
		t.Fatal(err)
	}
	return nil
}

// end ends all that are idle; the lock is held.
func (s *pool) end() error {
	var failed []error
	for of, list := range s.idle {
		for _, c := range list {
			failed = append(failed, c.Close())
		}
		delete(s.idle, of)
	}
	return errors.Join(failed...)
}

func closeStages() error {
	stages.mu.Lock()
	defer stages.mu.Unlock()
	return stages.end()
}

// real is the real cluster, of which there is one.
var real sync.Mutex

// place is a cluster for one test, with nothing of ours on it.
type place struct {
	testing.TB
	urls []string
	// cluster is nil where it is a real one.
	cluster *cluster.Cluster
}

// at returns a clean cluster of as many members, which do not fail, or the real one.
func at(t testing.TB, members int) *place {
	t.Helper()
	return clean(t, size{members, true})
}

// clean is a cluster with nothing of ours on it.
func clean(t testing.TB, of size) *place {
	t.Helper()
	if given := os.Getenv("DFE_TEST_CLUSTER_URLS"); given != "" {
		real.Lock()
		t.Cleanup(real.Unlock)
		p := &place{TB: t, urls: strings.Split(given, ",")}
		if len(p.urls) < of.members {
			t.Skipf("%d members are needed, and DFE_TEST_CLUSTER_URLS names %d", of.members, len(p.urls))
		}
		p.clean()
		return p
	}
	return on(t, stages.take(t, of))
}

// failing is [at] for a test in which members fail, which nobody can ask of a real cluster.
func failing(t testing.TB, members int) *place {
	t.Helper()
	if os.Getenv("DFE_TEST_CLUSTER_URLS") != "" {
		t.Skip("members have to fail in this test, and those of a real cluster cannot be made to")
	}
	return clean(t, size{members, false})
}

func on(t testing.TB, c *cluster.Cluster) *place {
	t.Helper()
	p := &place{TB: t, cluster: c, urls: c.URLs()}
	p.heal()
	t.Cleanup(func() {
		if !t.Failed() {
			return
		}
		for _, m := range c.Members() {
			t.Logf("%s printed last:\n%s", m.Name(), m.Log())
		}
	})
	p.clean()
	return p
}

// heal takes back whatever a test did to the members.
func (p *place) heal() {
	p.Helper()
	ctx := context.WithoutCancel(p.Context())
	if err := p.cluster.StartKeeper(ctx); err != nil {
		p.Fatal(err)
	}
	for _, m := range p.cluster.Members() {
		for _, step := range []func() error{
			m.Resume, m.JoinKeeper,
			func() error { return m.Start(ctx) },
			func() error { return m.Lift(ctx) },
			func() error { return m.Accept(ctx) },
		} {
			if err := step(); err != nil {
				p.Fatal(err)
			}
		}
	}
}

// restart ends and starts the members of a stage.
func (p *place) restart() {
	p.Helper()
	if p.cluster == nil {
		return
	}
	for _, m := range p.cluster.Members() {
		if err := errors.Join(m.Stop(), m.Start(p.Context())); err != nil {
			p.Fatal(err)
		}
	}
}

// noRoles is the code of a stage that keeps no roles.
const noRoles = "48"

// clean drops all that a pass of these tests makes.
func (p *place) clean() {
	p.Helper()
	for _, database := range []string{"dfe", "otel", "library"} {
		p.exec(0, "DROP DATABASE IF EXISTS "+database+" ON CLUSTER '{cluster}' SYNC")
	}
	if text, code := clustertest.Answer(p, p.urls[0], "DROP ROLE IF EXISTS dfe_reader, dfe_writer"); code != "" && code != noRoles {
		p.Fatal(text)
	}
}

// exec runs a statement on a member, where it has to succeed, and returns the result as text.
func (p *place) exec(member int, sql string, settings ...string) string {
	p.Helper()
	return clustertest.Exec(p, p.urls[member], sql, settings...)
}

// engine makes an engine for a member.
func (p *place) engine(o engine.Options) *engine.Engine {
	p.Helper()
	if o.Target.URL == "" {
		o.Target.URL = p.urls[0]
	}
	if o.Release == "" {
		o.Release = "2026.11.0"
	}
	e, err := engine.New(o)
	if err != nil {
		p.Fatal(err)
	}
	return e
}

// pass makes a pass that has to converge. No other engine is alive.
func (p *place) pass(o engine.Options) engine.Report {
	p.Helper()
	o.Clock, o.Wait = hurry(), patience
	r, err := p.engine(o).Pass(p.Context())
	if err != nil || r.State != engine.Converged {
		p.Fatalf("state %s, error %v", r.State, err)
	}
	return r
}

// settled demands that a schema is on every member as it is declared, and that the ledger says so on each.
func (p *place) settled(o engine.Options) {
	p.Helper()
	for _, url := range p.urls {
		o.Target = catalog.Target{URL: url}
		for _, s := range p.status(o) {
			if s.Live != engine.Matches || s.Outcome != ledger.Applied && s.Outcome != ledger.Unchanged || s.LiveChecksum != s.Checksum || s.Error != "" {
				p.Errorf("%s: %s %s is recorded as %s (%s) and %s", url, s.Kind, s.Name, s.Outcome, s.Error, s.Live)
			}
		}
	}
}

// truthful demands that what the ledger records is there, and that it knows all that is there but the one object whose
// statement was the last, and the bookkeeping, which is made before there is anything to write to.
func (p *place) truthful(o engine.Options) {
	p.Helper()
	unknown := 0
	for _, s := range p.status(o) {
		bookkeeping := s.Name == "dfe" || s.Name == "dfe.schema_lock" || s.Name == "dfe.schema_migrations"
		switch {
		case s.Live == engine.Gone || s.Live == engine.Differs || s.Live == engine.Unreadable:
			p.Errorf("%s %s is recorded as %s and %s", s.Kind, s.Name, s.Outcome, s.Live)
		case s.Live == engine.Unrecorded && !bookkeeping:
			unknown++
		}
	}
	if unknown > 1 {
		p.Errorf("the ledger does not know %d objects that are there", unknown)
	}
}

// status is what ledger and server say of the declared objects.
func (p *place) status(o engine.Options) []*engine.ObjectStatus {
	p.Helper()
	s, err := p.engine(o).Status(p.Context())
	if err != nil {
		p.Fatal(err)
	}
	return s.Objects
}

// alike demands that all members print the same definitions.
func (p *place) alike() {
	p.Helper()
	const read = "SELECT database, name, toString(uuid), engine, create_table_query FROM system.tables WHERE database IN ('dfe', 'otel', 'library') ORDER BY database, name"
	first := p.exec(0, read)
	for i := range p.urls[1:] {
		if other := p.exec(i+1, read); other != first {
			p.Errorf("member 1 has\n%s\nand member %d\n%s", first, i+2, other)
		}
	}
}

// number reads the one number of a query.
func (p *place) number(member int, sql string) int {
	p.Helper()
	var n int
	if text := p.exec(member, sql); text != "" {
		if _, err := fmt.Sscan(text, &n); err != nil {
			p.Fatalf("%s: %q is no number", sql, text)
		}
	}
	return n
}
