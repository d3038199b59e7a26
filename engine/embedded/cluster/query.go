package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine/embedded"
	"github.com/dfe-engine/dfe/lang/lex"
)

func quoted(s string) string { return ast.QuoteString(s) }

// query answers a SELECT and its like: the same text, with what only a cluster knows put in its places.
func (c *client) query(ctx context.Context) error {
	switch c.text.word(0) {
	case "EXISTS", "DESCRIBE", "DESC":
		if !slices.ContainsFunc(c.text.tokens, func(t lex.Token) bool { return t.Kind == lex.LParen }) {
			return c.run(ctx, c.text.src) // an object by its name, all of which the engine has
		}
	}
	if c.on("select_sequential_consistency") {
		if err := c.sequential(ctx); err != nil {
			return err
		}
	}
	sql, err := c.rewrite(ctx)
	if err != nil {
		return err
	}
	return c.run(ctx, sql)
}

// current is the database of unqualified names; empty in a session, which has one of its own.
func (c *client) current() string {
	if c.Session() != "" {
		return ""
	}
	return c.database()
}

// rewrite is the query as the engine can answer it.
func (c *client) rewrite(ctx context.Context) (string, error) {
	skip := c.on("skip_unavailable_shards")
	sql, free, err := c.member.rewrite(ctx, c.text, skip, c.current())
	c.free = append(c.free, free...)
	return sql, err
}

// rewrite puts views where system tables are named, the rows of all members where clusterAllReplicas asks for them, and
// this member's name where hostName() does. What only a network of servers can answer is refused.
func (m *member) rewrite(ctx context.Context, t *text, skip bool, database string) (sql string, free []func(), err error) {
	var edits []edit
	fans, err := fansOf(t)
	if err != nil {
		return "", nil, err
	}
	for i := 0; i < t.len(); i++ {
		if f := fanAt(fans, i); f != nil {
			with, forget, err := m.gather(ctx, t, f, skip, database)
			if err != nil {
				return "", free, err
			}
			free = append(free, forget)
			edits = append(edits, t.replace(f.from, f.to, with))
			i = f.to - 1
			continue
		}
		if t.kind(i) == lex.Dot {
			continue
		}
		called := t.kind(i+1) == lex.LParen && t.kind(i-1) != lex.Dot
		switch name := strings.ToLower(t.name(i)); {
		case called && t.kind(i) == lex.Word && isHostName(name):
			close := t.closing(i + 1)
			if close != i+2 {
				continue
			}
			with := quoted(m.Name)
			if f := fanAround(t, fans, i); f != nil {
				with = ast.QuoteIdent(hostColumn)
			}
			if t.listed(i, close+1) {
				with += " AS " + ast.QuoteIdent(t.between(i, close+1))
			}
			edits = append(edits, t.replace(i, close+1, with))
			i = close
		case called && name == "merge" && t.mergesSystem(i):
			return "", free, unsupported("the table function merge over the database system")
		case called && remote(name):
			return "", free, unsupported("the table function " + name)
		case called && ofOneHost(name) && fanAround(t, fans, i) != nil:
			return "", free, unsupported("the function " + name + " over clusterAllReplicas")
		case name == "system" && t.kind(i+1) == lex.Dot && !called:
			table := t.name(i + 2)
			switch {
			case table == "zookeeper":
				with, forget, err := m.zookeeperRows(ctx, t)
				if err != nil {
					return "", free, err
				}
				free = append(free, forget)
				edits = append(edits, t.replace(i, i+3, with))
			case table == "tables":
				with, ok, err := m.narrow(ctx, t, i)
				switch {
				case err != nil:
					return "", free, err
				case ok:
					edits = append(edits, t.replace(i, i+3, with))
				default:
					edits = append(edits, t.replace(i, i+1, stageDatabase))
				}
			case slices.Contains(stagedTables(), table):
				edits = append(edits, t.replace(i, i+1, stageDatabase))
			case withheld(table):
				return "", free, unsupported("system." + table)
			}
			i += 2
		}
	}
	if len(edits) == 0 {
		return t.src, free, nil
	}
	return t.apply(edits), free, nil
}

// mergesSystem reports a call of merge at token i that reads the database system, or may.
func (t *text) mergesSystem(i int) bool {
	return strings.EqualFold(t.value(i+2), "system") || t.word(i+2) == "REGEXP"
}

func isHostName(name string) bool {
	switch name {
	case "hostname", "fqdn", "fullhostname":
		return true
	}
	return false
}

// remote are table functions that need a network of servers.
func remote(name string) bool {
	switch name {
	case "remote", "remotesecure", "cluster", "clusterallreplicas":
		return true
	}
	return false
}

// ofOneHost are functions whose value another member would give otherwise.
func ofOneHost(name string) bool {
	switch name {
	case "getmacro", "serveruuid", "uptime", "displayname", "tcpport", "currentprofiles", "shardnum":
		return true
	}
	return false
}

// withheld are system tables whose rows would tell of the stage and not of a server.
func withheld(table string) bool {
	switch table {
	case "replication_queue", "replicated_fetches", "database_replicas", "zookeeper_connection", "zookeeper_log", "zookeeper_info", "part_moves_between_shards",
		"distribution_queue", "parts_columns", "detached_tables", "dropped_tables", "completions":
		return true
	}
	return false
}

// listed reports whether tokens i to j are one item of a list of columns, whose name they are.
func (t *text) listed(i, j int) bool {
	switch {
	case t.kind(i-1) == lex.Comma, t.word(i-1) == "SELECT", t.word(i-1) == "DISTINCT":
	default:
		return false
	}
	switch t.word(j) {
	case "FROM", "UNION", "FORMAT", "SETTINGS", "WHERE", "INTO", "INTERSECT", "EXCEPT":
	default:
		if k := t.kind(j); k != lex.Comma && k != lex.EOF && k != lex.RParen {
			return false
		}
	}
	// The clause is the nearest of these words at the same depth.
	for k := i - 1; k >= 0; k-- {
		if t.depth[k] < t.depth[i] {
			return false // an argument of a function
		}
		if t.depth[k] > t.depth[i] {
			continue
		}
		switch t.word(k) {
		case "SELECT":
			return true
		case "FROM", "WHERE", "BY", "HAVING", "USING", "WITH", "SETTINGS", "LIMIT", "PREWHERE", "ON":
			return false
		}
	}
	return false
}

// zookeeperRows are the nodes under the paths that the query names.
func (m *member) zookeeperRows(ctx context.Context, t *text) (string, func(), error) {
	none := func() {}
	if m.session == nil {
		return "", none, embedded.NewException(60, "UNKNOWN_TABLE", "Unknown table expression identifier 'system.zookeeper'")
	}
	var paths []string
	for i := range t.tokens {
		if t.word(i) != "PATH" {
			continue
		}
		switch {
		case t.kind(i+1) == lex.Equal && t.kind(i+2) == lex.String:
			paths = append(paths, t.value(i+2))
		case t.word(i+1) == "IN" && t.kind(i+2) == lex.LParen:
			for k := i + 3; t.kind(k) == lex.String; k += 2 {
				paths = append(paths, t.value(k))
			}
		}
	}
	if len(paths) == 0 {
		return "", none, embedded.NewException(36, "BAD_ARGUMENTS", "SELECT from system.zookeeper table must contain condition like path = 'path' or path IN ('path1','path2'...) in WHERE clause unless `set allow_unrestricted_reads_from_keeper = 'true'`")
	}
	var list []row
	for _, p := range paths {
		names, err := m.session.list(p)
		if err != nil {
			return "", none, err
		}
		for _, name := range names {
			data, version, ok, err := m.session.versioned(strings.TrimSuffix(p, "/") + "/" + name)
			if err != nil {
				return "", none, err
			}
			if ok {
				list = append(list, row{"name": name, "value": string(data), "version": version, "path": p})
			}
		}
	}
	id, free := m.rows.hold(jsonRows(list))
	return m.heldRows(id, "JSONEachRow", "name String, value String, version Int32, path String"), free, nil
}

// heldRows is the table function that reads rows kept here.
func (m *member) heldRows(id, format, structure string) string {
	return fmt.Sprintf("url(%s, %s, %s)", quoted(m.control(m.self(), "/rows/"+id)), format, quoted(structure))
}

// serveQuery answers a query of another member, in Native.
func (m *member) serveQuery(w http.ResponseWriter, r *http.Request) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	var asked question
	if err := json.Unmarshal(body, &asked); err != nil {
		return err
	}
	data, err := m.reply(r.Context(), asked)
	if err != nil {
		code, text := embedded.Code(err)
		w.Header().Set("X-ClickHouse-Exception-Code", fmt.Sprint(code))
		http.Error(w, text, http.StatusUnprocessableEntity)
		return nil
	}
	_, err = w.Write(data)
	return err
}

// question is a query that one member asks of another.
type question struct{ SQL, Database string }

// reply answers another member's query.
func (m *member) reply(ctx context.Context, asked question) ([]byte, error) {
	t, err := readText(asked.SQL)
	if err != nil {
		return nil, err
	}
	sql, free, err := m.rewrite(ctx, t, false, asked.Database)
	defer func() {
		for _, f := range free {
			f()
		}
	}()
	if err != nil {
		return nil, err
	}
	return m.server.Do(ctx, embedded.Order{Text: sql, Format: "Native", Database: asked.Database, Settings: ownSettings()})
}

// gatherAll asks members at once and returns their answers, one after the other.
func (m *member) gatherAll(ctx context.Context, from []peer, asked question, skip bool) ([]byte, error) {
	answers, faults := make([][]byte, len(from)), make([]error, len(from))
	var asking sync.WaitGroup
	for i, p := range from {
		asking.Go(func() { answers[i], faults[i] = m.askMember(ctx, p, asked, skip) })
	}
	asking.Wait()
	var all []byte
	for i := range from {
		if faults[i] != nil {
			return nil, faults[i]
		}
		all = append(all, answers[i]...)
	}
	return all, nil
}

// askMember asks one member; with skip, one that is not there has no rows.
func (m *member) askMember(ctx context.Context, p peer, asked question, skip bool) ([]byte, error) {
	asked.SQL = strings.ReplaceAll(asked.SQL, hostHole, quoted(p.Name))
	if p.Name == m.Name {
		return m.reply(ctx, asked)
	}
	if !m.reachable(ctx, p) {
		if skip {
			return nil, nil
		}
		return nil, embedded.NewException(279, "ALL_CONNECTION_TRIES_FAILED", fmt.Sprintf("All connection tries failed. Log: \n\nCode: 210. DB::NetException: Connection refused (%s). (NETWORK_ERROR)\n", p.host()))
	}
	body, err := json.Marshal(asked)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { m.watchOver(ctx, p, cancel) })
	defer func() {
		cancel(nil)
		watching.Wait()
	}()
	data, err := call(ctx, m.client, http.MethodPost, m.control(p, "/query"), body)
	var refused *refusal
	switch {
	case errors.As(err, &refused):
		return nil, embedded.NewException(279, "ALL_CONNECTION_TRIES_FAILED", fmt.Sprintf("Received from %s: %s", p.host(), refused.text))
	case err != nil && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		// It was there when it was asked: no setting skips it any more.
		return nil, embedded.NewException(210, "NETWORK_ERROR", fmt.Sprintf("Attempt to read after eof: while reading from %s", p.host()))
	}
	return data, nil
}

// silence is how long a member that is at a query may not answer at all; a server's receive_timeout is 300 s.
const silence = 10 * time.Second

// watchOver gives a query up whose member has fallen silent.
func (m *member) watchOver(ctx context.Context, p peer, cancel context.CancelCauseFunc) {
	heard := time.Now()
	look := time.NewTicker(time.Second)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
		if m.reachable(ctx, p) {
			heard = time.Now()
		}
		if time.Since(heard) > silence {
			cancel(embedded.NewException(209, "SOCKET_TIMEOUT", fmt.Sprintf("Timeout exceeded while reading from socket (%s, %d ms)", p.host(), silence.Milliseconds())))
			return
		}
	}
}
