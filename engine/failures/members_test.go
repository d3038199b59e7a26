package failures_test

import (
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/embedded/cluster"
	"github.com/dfe-engine/dfe/engine/embedded/cluster/clustertest"
	"github.com/dfe-engine/dfe/engine/lease"
	"github.com/dfe-engine/dfe/engine/ledger"
)

// longest bounds what is waited for; nothing takes half of it.
const longest = 3 * time.Minute

// until asks until the answer is yes.
func (p *place) until(what string, yes func() bool) {
	p.Helper()
	for deadline, again := time.Now().Add(longest), time.NewTicker(100*time.Millisecond); !yes(); <-again.C {
		if time.Now().After(deadline) {
			p.Fatalf("it never happens: %s", what)
		}
	}
}

// ofPass is in the log comment of the statements of a pass, and of nothing else.
const ofPass = `"by":"dfe"`

func (p *place) inject(member int, f cluster.Fault) {
	p.Helper()
	if err := p.cluster.Member(member).Inject(p.Context(), f); err != nil {
		p.Fatal(err)
	}
}

// caughtUp waits until a member has what the first one has.
func (p *place) caughtUp(member int) {
	p.Helper()
	const read = "SELECT groupArray((database, name, create_table_query)) FROM (SELECT database, name, create_table_query FROM system.tables WHERE database IN ('dfe', 'otel', 'library') ORDER BY database, name)"
	p.until("the member catches up", func() bool {
		has, code := clustertest.Answer(p, p.urls[member], read)
		wanted, of := clustertest.Answer(p, p.urls[0], read)
		if code == "lost" || of == "lost" {
			p.Logf("a member that comes back did not answer: %s %s", has, wanted)
		}
		return code == "" && of == "" && has == wanted
	})
}

func TestAMemberThatIsDownDuringDefinitionsCatchesUp(t *testing.T) {
	t.Parallel()
	p := failing(t, 3)
	tree := p.core()
	chance := rand.New(rand.NewPCG(uint64(seed(t)), 1))
	for _, from := range []int{0, 1 + chance.IntN(20)} { // the statement that it goes down before
		away := p.cluster.Member(2)
		kill := func() {
			if err := away.Kill(); err != nil {
				t.Error(err)
			}
		}
		w := p.wire(0)
		w.arrived = func(r request) {
			if r.kind == definition && r.n == from {
				kill()
			}
		}
		if from == 0 {
			kill()
		}
		p.pass(engine.Options{Tree: tree, Target: catalog.Target{URL: w.URL}})
		if err := away.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		p.caughtUp(2)
		p.settled(engine.Options{Tree: tree})
		p.alike()
		if t.Failed() {
			t.Fatalf("down from statement %d on", from)
		}
		p.clean()
	}
}

func TestTheConnectedMemberIsKilledUnderAStatementAndAnotherOneTakesTheSchemaOn(t *testing.T) {
	t.Parallel()
	p := failing(t, 3)
	tree := p.core()
	chance := rand.New(rand.NewPCG(uint64(seed(t)), 2))
	what := []cluster.What{cluster.KillBefore, cluster.KillAfter}[chance.IntN(2)]
	n := 1 + chance.IntN(22)
	m := p.cluster.Member(0)
	p.inject(0, cluster.Fault{What: what, Match: cluster.Match{Comment: ofPass, Nth: n}})
	r, err := p.engine(engine.Options{Tree: tree, Clock: hurry(), Wait: patience}).Pass(t.Context())
	if err == nil || r.State != engine.Failed {
		t.Fatalf("%s %d: state %s, error %v", what, n, r.State, err)
	}
	p.pass(engine.Options{Tree: tree, Target: catalog.Target{URL: p.urls[1]}})
	if err := m.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.caughtUp(1)
	p.settled(engine.Options{Tree: tree})
	p.alike()
	if t.Failed() {
		t.Fatalf("%s %d", what, n)
	}
}

func TestTheConnectedMemberRestartsUnderAStatementAndTheSamePassConverges(t *testing.T) {
	t.Parallel()
	p := failing(t, 2)
	tree := p.core()
	chance := rand.New(rand.NewPCG(uint64(seed(t)), 3))
	for _, what := range []cluster.What{cluster.KillBefore, cluster.KillAfter} {
		n := 1 + chance.IntN(22)
		m := p.cluster.Member(0)
		p.inject(0, cluster.Fault{What: what, Match: cluster.Match{Comment: ofPass, Nth: n}})
		back := make(chan error, 1)
		go func() {
			for again := time.NewTicker(10 * time.Millisecond); m.Running() && t.Context().Err() == nil; <-again.C {
			}
			back <- m.Start(t.Context())
		}()
		p.pass(engine.Options{Tree: tree})
		if err := <-back; err != nil {
			t.Fatal(err)
		}
		p.settled(engine.Options{Tree: tree})
		p.alike()
		if t.Failed() {
			t.Fatalf("%s %d", what, n)
		}
		p.clean()
	}
}

func TestOfTwoMembersBothHaveToBeUpForALease(t *testing.T) {
	t.Parallel()
	p := failing(t, 2)
	p.pass(engine.Options{Tree: p.tree(bookshop)})
	next := p.tree(bookshopNext)
	for _, down := range []struct {
		name    string
		do, end func(*cluster.Member) error
	}{
		{"killed", (*cluster.Member).Kill, func(m *cluster.Member) error { return m.Start(t.Context()) }},
		{"cut off from ZooKeeper", (*cluster.Member).CutKeeper, (*cluster.Member).JoinKeeper},
		{"hung", (*cluster.Member).Pause, (*cluster.Member).Resume},
	} {
		m := p.cluster.Member(1)
		if err := down.do(m); err != nil {
			t.Fatal(err)
		}
		w := p.wire(0)
		r, err := p.engine(engine.Options{Tree: next, Target: catalog.Target{URL: w.URL}, Wait: 5 * time.Second}).Pass(t.Context())
		var observed *lease.ObservedError
		if !errors.As(err, &observed) || r.State != engine.Observed || r.Code != "schema_locked" || w.count(definition) != 0 {
			t.Errorf("%s: state %s, code %q, error %v after %d statements", down.name, r.State, r.Code, err, w.count(definition))
		}
		if err := down.end(m); err != nil {
			t.Fatal(err)
		}
	}
	if r := p.pass(engine.Options{Tree: next}); r.Summary.Applied != 3 {
		t.Errorf("once both are up: %+v", r.Summary)
	}
	p.caughtUp(1)
	p.settled(engine.Options{Tree: next})
}

func TestAServiceObservesWhileAMajorityIsDownAndConvergesOnceItIsBack(t *testing.T) {
	t.Parallel()
	p := failing(t, 3)
	p.pass(engine.Options{Tree: p.tree(bookshop)})
	next := p.tree(bookshopNext)
	for _, m := range p.cluster.Members()[1:] {
		if err := m.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	w := p.wire(0)
	s := p.serve(w.URL, next, 5*time.Second)
	p.until("the service has observed", func() bool { return s.state() == engine.Observed })
	if code := s.get("/readyz", nil); code != http.StatusServiceUnavailable {
		t.Errorf("readyz answers %d", code)
	}
	if code := s.get("/livez", nil); code != http.StatusOK {
		t.Errorf("livez answers %d", code)
	}
	if n := w.count(definition) + w.count(ledgerRow); n != 0 {
		t.Errorf("%d statements and rows were sent", n)
	}
	for _, m := range p.cluster.Members()[1:] {
		if err := m.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	p.until("the service converges", func() bool { return s.state() == engine.Converged })
	if code := s.get("/readyz", nil); code != http.StatusOK {
		t.Errorf("readyz answers %d", code)
	}
	p.caughtUp(1)
	p.caughtUp(2)
	p.settled(engine.Options{Tree: next})
	p.alike()
}

// served is a running dfe serve.
type served struct {
	*process
	at string
}

// serve starts the service for a server and a tree.
func (p *place) serve(url, tree string, wait time.Duration) *served {
	p.Helper()
	x := p.dfe([]string{"DFE_ENGINE_CLICKHOUSE_URL=" + url}, "serve", "--listen", "127.0.0.1:0", "--tree", tree, "--wait", wait.String(), "--log-format", "json")
	s := &served{process: x}
	p.until("the service listens", func() bool {
		for line := range strings.Lines(x.err.String()) {
			var said struct{ Msg, Listen string }
			if json.Unmarshal([]byte(line), &said) == nil && said.Listen != "" {
				s.at = "http://" + said.Listen
			}
		}
		return s.at != ""
	})
	return s
}

// get asks a route; what it answers is read as JSON where into is not nil.
func (s *served) get(route string, into any) int {
	s.p.Helper()
	r, err := http.NewRequestWithContext(s.p.Context(), http.MethodGet, s.at+route, nil)
	if err != nil {
		s.p.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.p.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && into != nil {
		err = json.Unmarshal(body, into)
	}
	if err != nil {
		s.p.Fatalf("%s: %v: %s", route, err, body)
	}
	return resp.StatusCode
}

// state is that of the newest finished pass, or of the one that runs.
func (s *served) state() engine.State {
	s.p.Helper()
	var doc struct {
		State   engine.State
		Objects []struct{ Outcome ledger.Outcome }
	}
	s.get("/api/v1/system/schema", &doc)
	return doc.State
}
