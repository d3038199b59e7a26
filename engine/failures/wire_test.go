package failures_test

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
)

// kind is what a request is, of those that change something.
type kind string

const (
	definition kind = "definition" // a statement of the executor
	ledgerRow  kind = "ledger row"
	leaseRow   kind = "lease row"
)

// request is one that changes something.
type request struct {
	kind kind
	n    int // of its kind, from 1
	text string
}

// way is what becomes of a request.
type way int

const (
	through way = iota
	lost        // it never arrives, and the connection ends
	unheard     // it takes effect, and the connection ends without an answer
)

// wire is the way of one engine to one member. It stands between the two and may be told what becomes of a request.
type wire struct {
	*httptest.Server
	forward *httputil.ReverseProxy
	// decide is asked about each request that changes something; arrived is told of each that took effect.
	decide  func(request) way
	arrived func(request)
	// detached lets the member go on with what the engine has given up.
	detached bool

	// note tells of what a test that fails has to be understood by.
	note func(format string, args ...any)

	mu   sync.Mutex
	seen map[kind]int
	sent []request
}

// wire opens a way to a member.
func (p *place) wire(member int) *wire {
	p.Helper()
	target, err := url.Parse(p.urls[member])
	if err != nil {
		p.Fatal(err)
	}
	w := &wire{seen: map[kind]int{}, note: p.Logf, decide: func(request) way { return through }, arrived: func(request) {}}
	w.forward = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) },
		// What the member does not answer, nobody answers.
		ErrorHandler: func(_ http.ResponseWriter, _ *http.Request, err error) {
			p.Logf("no answer of member %d: %v", member+1, err)
			panic(http.ErrAbortHandler)
		},
	}
	w.Server = httptest.NewServer(http.HandlerFunc(w.carry))
	p.Cleanup(w.Close)
	return w
}

func (w *wire) carry(rw http.ResponseWriter, r *http.Request) {
	// The request is here as a whole before anything is decided: whoever sent it may be gone a moment later.
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	what, changes := w.read(r, body)
	if !changes {
		w.forward.ServeHTTP(rw, r)
		return
	}
	switch w.decide(what) {
	case lost:
		panic(http.ErrAbortHandler)
	case unheard:
		answer := httptest.NewRecorder()
		w.forward.ServeHTTP(answer, r.WithContext(context.WithoutCancel(r.Context())))
		if answer.Code != http.StatusOK {
			w.note("nobody heard that %s is answered with %s", what.text, answer.Body)
		}
		w.arrived(what)
		panic(http.ErrAbortHandler)
	}
	if !w.detached {
		w.forward.ServeHTTP(rw, r)
		w.arrived(what)
		return
	}
	answer := httptest.NewRecorder()
	w.forward.ServeHTTP(answer, r.WithContext(context.WithoutCancel(r.Context())))
	w.arrived(what)
	maps.Copy(rw.Header(), answer.Header())
	rw.WriteHeader(answer.Code)
	_, _ = rw.Write(answer.Body.Bytes()) // to whoever is still there
}

func (w *wire) read(r *http.Request, body []byte) (request, bool) {
	text := r.URL.Query().Get("query")
	if text == "" {
		text = string(body)
	}
	what := request{text: text}
	switch {
	case strings.HasPrefix(text, "SELECT "):
		return what, false // also the driver's own first question on a connection, which has the statement's settings
	case r.URL.Query().Has("log_comment"):
		what.kind = definition
	case strings.HasPrefix(text, "INSERT INTO") && strings.Contains(text, "schema_migrations"):
		what.kind = ledgerRow
	case strings.HasPrefix(text, "INSERT INTO") && strings.Contains(text, "schema_lock"):
		what.kind = leaseRow
	default:
		return what, false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[what.kind]++
	what.n = w.seen[what.kind]
	w.sent = append(w.sent, what)
	return what, true
}

// count is how many requests of a kind came by.
func (w *wire) count(k kind) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen[k]
}

// all are the requests of a kind that came by.
func (w *wire) all(k kind) []request {
	w.mu.Lock()
	defer w.mu.Unlock()
	var list []request
	for _, r := range w.sent {
		if r.kind == k {
			list = append(list, r)
		}
	}
	return list
}
