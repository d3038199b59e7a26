package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dfe-engine/dfe/engine/embedded"
)

func listen(port int) (net.Listener, error) {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, fmt.Errorf("port %d of 127.0.0.1 cannot be had: %w: give other ports, or none", port, err)
	}
	return l, nil
}

func cut(address string) (host, port string, ok bool) {
	host, port, err := net.SplitHostPort(address)
	return host, port, err == nil
}

// serveControl answers the engine (the rows of views), the other members (queries, blocks) and the supervisor (faults).
// Whoever knows the token is one of them.
func (m *member) serveControl() error {
	l, err := listen(m.Control)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	route := func(pattern string, answer func(w http.ResponseWriter, r *http.Request) error) {
		verb, path, _ := strings.Cut(pattern, " ")
		mux.HandleFunc(verb+" /"+m.Token+path, func(w http.ResponseWriter, r *http.Request) {
			if err := answer(w, r); err != nil {
				// With a status of the server's fault the engine would ask again, for 40 s.
				http.Error(w, err.Error(), http.StatusBadRequest)
			}
		})
	}
	route("GET /ping", func(w http.ResponseWriter, _ *http.Request) error { return nil })
	route("GET /rows/{id}", m.rows.serve)
	route("GET /stage/{table}", m.serveStage)
	route("POST /query", m.serveQuery)
	route("GET /block/{table}/{id}", m.tables.serveBlock)
	route("POST /fault", m.serveFault)
	route("DELETE /fault", func(http.ResponseWriter, *http.Request) error { m.faults.clear(); return nil })
	route("GET /fault", m.serveFired)
	route("POST /door/{state}", m.serveDoor)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 30 * time.Second, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)}
	go func() { _ = server.Serve(l) }() // until the process ends
	return nil
}

func (m *member) serveDoor(_ http.ResponseWriter, r *http.Request) error {
	if r.PathValue("state") == "shut" {
		m.door.refuse()
		return nil
	}
	return m.door.open()
}

// control is an address of a member's control port.
func (n node) control(p peer, path string) string {
	return fmt.Sprintf("http://127.0.0.1:%d/%s%s", p.Control, n.Token, path)
}

// outward is an exception as a client may see it: what the engine says of an answer of the control port is that answer.
func (m *member) outward(err error) error {
	var e *embedded.Exception
	if !errors.As(err, &e) || !strings.Contains(e.Text, "/"+m.Token+"/") {
		return err
	}
	_, body, _ := strings.Cut(e.Text, "body: '")
	if at := strings.Index(body, "Code: "); at >= 0 {
		number, text, _ := strings.Cut(body[at+len("Code: "):], ". ")
		text, _, _ = strings.Cut(text, "': While executing")
		if code, broken := strconv.Atoi(number); broken == nil {
			return &embedded.Exception{Code: code, Text: strings.Trim(text, " \n'")}
		}
	}
	return embedded.NewException(e.Code, "RECEIVED_ERROR_FROM_REMOTE_IO_SERVER", "The stage did not answer the engine")
}

// call asks another member's control port, or the own one.
func call(ctx context.Context, client *http.Client, method, url string, body []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // read to its end
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, &refusal{resp.StatusCode, strings.TrimSpace(string(text))}
	}
	return text, nil
}

// refusal is an answer of a control port that is an error.
type refusal struct {
	status int
	text   string
}

func (e *refusal) Error() string { return e.text }

// reachable reports whether a member answers at all within a second, as a server's connect_timeout_with_failover_ms has it.
func (m *member) reachable(ctx context.Context, p peer) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, err := call(ctx, m.client, http.MethodGet, m.control(p, "/ping"), nil)
	return err == nil
}

// rows keep what the engine is about to read by the table function url.
type rows struct {
	mu   sync.Mutex
	held map[string][]byte
}

// hold keeps data until free is called.
func (r *rows) hold(data []byte) (id string, free func()) {
	id = randomID()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held == nil {
		r.held = map[string][]byte{}
	}
	r.held[id] = data
	return id, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.held, id)
	}
}

func (r *rows) serve(w http.ResponseWriter, q *http.Request) error {
	r.mu.Lock()
	data, ok := r.held[q.PathValue("id")]
	r.mu.Unlock()
	if !ok {
		return errors.New("no such rows")
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	_, err := w.Write(data)
	return err
}

// jsonRows are rows as JSONEachRow has them.
func jsonRows[T any](list []T) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	for _, row := range list {
		_ = e.Encode(row) // maps and structs of plain values
	}
	return out.Bytes()
}

// runner runs a statement on the engine.
type runner func(context.Context, embedded.Order) ([]byte, error)

// do runs a statement of the stage's own on the engine.
func (m *member) do(ctx context.Context, sql string) ([]byte, error) {
	return runner(m.server.Do).own(ctx, sql)
}

func (run runner) own(ctx context.Context, sql string) ([]byte, error) {
	return run(ctx, embedded.Order{Text: sql, Settings: ownSettings()})
}

// ownComment marks what the front end itself asks of the engine; nobody sees it in system.processes.
const ownComment = "dfe-stage"

func ownSettings() map[string]string {
	return map[string]string{"log_comment": ownComment, "async_insert": "0"}
}

// column reads one column of a query's result.
func (m *member) column(ctx context.Context, sql string) ([]string, error) {
	rows, err := m.table(ctx, sql)
	list := make([]string, len(rows))
	for i, r := range rows {
		list[i] = r[0]
	}
	return list, err
}

// table reads a query's result, all of whose columns are strings.
func (m *member) table(ctx context.Context, sql string) ([][]string, error) {
	return runner(m.server.Do).table(ctx, sql)
}

func (run runner) table(ctx context.Context, sql string) ([][]string, error) {
	data, err := run(ctx, embedded.Order{Text: sql, Format: "JSONCompactEachRow", Settings: ownSettings()})
	if err != nil {
		return nil, err
	}
	var list [][]string
	for d := json.NewDecoder(bytes.NewReader(data)); d.More(); {
		var row []string
		if err := d.Decode(&row); err != nil {
			return nil, err
		}
		list = append(list, row)
	}
	return list, nil
}
