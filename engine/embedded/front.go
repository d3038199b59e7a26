package embedded

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
)

// Front stands between the HTTP interface and the engine: it sees every
// statement of every client, and runs it, another one, or none.
type Front interface {
	// Answer answers one statement. The error is what the client gets, an
	// *Exception best. It is called by many goroutines at once.
	Answer(ctx context.Context, q *Query) error
}

// ErrHangUp ends a connection without an answer.
var ErrHangUp = errors.New("the connection is closed without an answer")

// Query is one statement of a client on its way to the engine.
type Query struct {
	server *Server
	work   *work
	held   *heldAnswer
}

// Text is the statement; of an INSERT with data, what comes before FORMAT or VALUES.
func (q *Query) Text() string {
	if q.work.insert {
		return string(q.work.text[:q.work.textEnd])
	}
	return string(q.work.text)
}

// HasData reports an INSERT whose data follows its text.
func (q *Query) HasData() bool { return q.work.insert }

// Database is the one the request names; empty where it names none.
func (q *Query) Database() string { return q.work.database }

// Session is the request's session_id; empty without one.
func (q *Query) Session() string { return q.work.session }

// ReadOnly reports a request by GET, which may change nothing.
func (q *Query) ReadOnly() bool { return q.work.readOnly }

// ID is the query id.
func (q *Query) ID() string { return q.work.reply.w.Header().Get("X-ClickHouse-Query-Id") }

// Setting is the value that the request's URL gives a setting.
func (q *Query) Setting(name string) (string, bool) { return q.work.setting(name) }

// EachSetting calls yield for each setting of the request's URL.
func (q *Query) EachSetting(yield func(name, value string)) {
	for _, s := range q.work.settings {
		yield(s.name, s.value)
	}
}

// Override gives a setting another value than the request's URL does.
func (q *Query) Override(name, value string) {
	kept := make([]param, 0, len(q.work.settings)+1)
	for _, s := range q.work.settings {
		if s.name != name {
			kept = append(kept, s)
		}
	}
	q.work.settings = append(kept, param{name, value})
}

// Run runs a text in the statement's place and answers with its result. The data
// of an INSERT stays what it is.
func (q *Query) Run(ctx context.Context, text string) error {
	w := *q.work
	if w.insert {
		w.data = w.text[w.dataStart:]
		w.text, w.textEnd = []byte(text), len(text)
	} else {
		w.text = []byte(text)
		w.statement, _ = inspect(w.text, true)
	}
	return q.server.carry(ctx, &w)
}

// Take runs an INSERT's text with the client's data, and leaves the answer to [Query.Done].
func (q *Query) Take(ctx context.Context, text string) error {
	w := *q.work
	w.data = w.text[w.dataStart:]
	w.text, w.textEnd, w.silent = []byte(text), len(text), true
	return q.server.carry(ctx, &w)
}

// Done answers with an empty result.
func (q *Query) Done() error {
	if err := q.work.reply.begin("TabSeparated", nil, 0); err != nil {
		return err
	}
	return q.work.reply.end()
}

// Hold keeps what is answered from here on from the client, until [Query.LetGo].
// A statement that is never let go is to be ended with [ErrHangUp].
func (q *Query) Hold() {
	q.held = &heldAnswer{client: q.work.reply.w}
	q.work.reply.w = q.held
}

// LetGo gives the client what was held.
func (q *Query) LetGo() error {
	h := q.held
	q.work.reply.w = h.client
	if h.status == 0 {
		return nil // an exception is still to be written
	}
	h.client.WriteHeader(h.status)
	_, err := h.client.Write(h.body.Bytes())
	return err
}

// heldAnswer is an answer that waits for its client.
type heldAnswer struct {
	client http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (h *heldAnswer) Header() http.Header { return h.client.Header() }
func (h *heldAnswer) WriteHeader(status int) {
	if h.status == 0 {
		h.status = status
	}
}
func (h *heldAnswer) Write(data []byte) (int, error) { return h.body.Write(data) }

// Order is a statement of the program that runs the server. No Front sees it.
type Order struct {
	Text string
	// Format of the result; empty: TabSeparated.
	Format string
	// Database it runs in; empty: default.
	Database string
	Settings map[string]string
	// Data of an INSERT, in DataFormat.
	Data       io.Reader
	DataFormat string
}

// Do runs one statement and returns its result whole.
func (s *Server) Do(ctx context.Context, o Order) ([]byte, error) {
	s.orders.enter()
	if s.engine == nil {
		s.orders.leave()
		if err := s.revive(ctx); err != nil {
			return nil, err
		}
		s.orders.enter()
	}
	defer s.orders.leave()
	if s.engine == nil {
		return nil, errClosed
	}
	return s.do(ctx, o)
}

func (s *Server) do(ctx context.Context, o Order) ([]byte, error) {
	q := request{database: o.Database}
	for name, value := range o.Settings {
		q.settings = append(q.settings, param{name, value})
	}
	var out []byte
	mark := ""
	if o.Data != nil {
		mark = "embedded-insert-" + newQueryID()
	}
	err := s.engine.run(ctx, mark, func() error {
		c, err := s.engine.connect()
		if err != nil {
			return err
		}
		defer c.close()
		if err := c.prepare(q, false); err != nil {
			return err
		}
		if o.Data != nil {
			w := &work{body: o.Data, mark: mark, text: []byte(o.Text), statement: statement{insert: true, textEnd: len(o.Text), dataFormat: o.DataFormat}, silent: true}
			return s.insertData(ctx, c, w)
		}
		format := first(o.Format, "TabSeparated")
		r, err := c.query([]byte(o.Text), format, nil)
		if err != nil {
			return err
		}
		defer r.free()
		out = append(out, r.bytes()...)
		return nil
	})
	return out, err
}

// gate keeps orders off an engine that is being closed and opened. An order may
// lead to another before it ends, so those that come go in while there are some.
type gate struct {
	mu     sync.Mutex
	moved  *sync.Cond
	inside int
	closed bool
}

func newGate() *gate {
	g := &gate{}
	g.moved = sync.NewCond(&g.mu)
	return g
}

func (g *gate) enter() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.closed {
		g.moved.Wait()
	}
	g.inside++
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
	g.moved.Broadcast()
}

// shut waits until nothing is inside, and lets nothing in.
func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.inside > 0 {
		g.moved.Wait()
	}
	g.closed = true
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = false
	g.moved.Broadcast()
}

// hangUp ends a request without an answer.
func hangUp(err error) {
	if errors.Is(err, ErrHangUp) {
		panic(http.ErrAbortHandler)
	}
}

// Code is the exception's code in an error, 0 where there is none, and its text
// without the code's name in brackets.
func Code(err error) (code int, text string) {
	var e *Exception
	if !errors.As(err, &e) {
		return 0, ""
	}
	return e.Code, strings.TrimPrefix(e.Text, "DB::Exception: ")
}
