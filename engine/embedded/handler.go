package embedded

import (
	"bytes"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	chcompress "github.com/ClickHouse/ch-go/compress"
)

// maxText is how many bytes a statement may have; data of an INSERT does not
// count. It is above every max_query_size that makes sense, and bounds memory.
const maxText = 64 << 20

// headText is how much of a body is read before the text is looked at.
const headText = 64 << 10

// ServeHTTP answers ClickHouse's HTTP interface.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.handlers.Add(1)
	defer s.handlers.Done()
	if !SameMachine(r) {
		http.Error(w, "The embedded server answers programs on this machine, addressed as localhost.", http.StatusForbidden)
		return
	}
	switch r.URL.Path {
	case "/ping", "/replicas_status":
		okay(w)
		return
	case "", "/":
	default:
		http.Error(w, fmt.Sprintf("There is no handle %s\n\nUse / or /ping for health checks.\nOr /replicas_status for more sophisticated health checks.\nSend queries from your program with POST method or GET /?query=...", r.URL.Path), http.StatusNotFound)
		return
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost:
	default:
		http.Error(w, "Send queries with POST, or with GET /?query=...", http.StatusMethodNotAllowed)
		return
	}
	if r.Method != http.MethodPost && r.URL.RawQuery == "" {
		okay(w)
		return
	}
	q, err := readRequest(r)
	reply := s.newReply(w, q)
	if err == nil {
		err = s.authenticate(r)
	}
	if err == nil {
		err = s.answer(r.Context(), reply, q, r)
	}
	if err != nil {
		hangUp(err)
		reply.fail(err)
	}
}

func okay(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=UTF-8")
	_, _ = io.WriteString(w, "Ok.\n") // a client that left has no use for it
}

// authenticate knows one user, default, as the engine runs everything as it.
func (s *Server) authenticate(r *http.Request) error {
	user, password := credentials(r, r.URL.Query())
	if user == "default" && subtle.ConstantTimeCompare([]byte(password), []byte(s.password)) == 1 {
		return nil
	}
	return raise(codeAuthentication, "AUTHENTICATION_FAILED",
		"%s: Authentication failed: password is incorrect, or there is no user with such name", user)
}

// answer reads the statement of a request, runs it and writes its result.
func (s *Server) answer(ctx context.Context, reply *reply, q request, r *http.Request) error {
	body, err := openBody(r, q)
	if err != nil {
		return err
	}
	text, st, err := readText(q.query, body)
	if err != nil {
		return err
	}
	switch {
	case st.clientFile:
		return raise(codeOutfileNotAllowed, "INTO_OUTFILE_NOT_ALLOWED", "INTO OUTFILE and FROM INFILE are not allowed")
	case st.input:
		// The library takes such a statement, stores nothing and reports success.
		return raise(codeNotImplemented, "NOT_IMPLEMENTED", "The embedded server does not run INSERT ... SELECT ... FROM input(): insert into a temporary table of a session and select from that")
	case st.second > 0:
		return raise(codeSyntaxError, "SYNTAX_ERROR", "Syntax error (Multi-statements are not allowed): failed at position %d", st.second+1)
	case len(bytes.TrimSpace(text)) == 0:
		return raise(codeSyntaxError, "SYNTAX_ERROR", "Syntax error: failed at position 1 (end of query): . Empty query")
	}
	work := &work{request: q, statement: st, text: text, body: body, reply: reply}
	if s.options.Front != nil {
		return s.options.Front.Answer(ctx, &Query{server: s, work: work})
	}
	if s.options.Access != nil && !st.insert && s.options.Access.Answers(string(text)) {
		if q.readOnly {
			return raise(164, "READONLY", "Cannot execute query in readonly mode")
		}
		return s.changeAccess(ctx, reply, string(text))
	}
	if st.insert {
		work.data, work.text = text[st.dataStart:], text[:st.textEnd]
	}
	return s.carry(ctx, work)
}

// carry takes a statement to the engine.
func (s *Server) carry(ctx context.Context, w *work) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer func() { <-s.slots }()
	if w.insert {
		w.mark = "embedded-insert-" + newQueryID()
	}
	return s.engine.run(ctx, w.mark, func() error { return s.execute(ctx, w) })
}

// enter takes a place on the engine, which is open then.
func (s *Server) enter(ctx context.Context) error {
	for {
		select {
		case s.slots <- struct{}{}:
		case <-ctx.Done():
			return cancelled(ctx)
		}
		if s.engine != nil {
			return nil
		}
		<-s.slots
		if err := s.revive(ctx); err != nil {
			return err
		}
	}
}

// work is one statement on its way through the engine.
type work struct {
	request
	statement
	text   []byte
	data   []byte    // of an INSERT: the beginning of its data
	body   io.Reader // what follows text, or data
	reply  *reply
	mark   string // of an INSERT with data: what engine.run knows it by
	silent bool   // an INSERT that somebody else answers
}

// openBody undoes what a body is wrapped in.
func openBody(r *http.Request, q request) (io.Reader, error) {
	if r.Body == nil || r.Method != http.MethodPost {
		return http.NoBody, nil
	}
	body, err := decode(r.Body, r.Header.Get("Content-Encoding"))
	if err != nil {
		var e *Exception
		if errors.As(err, &e) {
			return nil, err
		}
		return nil, raise(codeBadArguments, "BAD_ARGUMENTS", "The body is not %s: %s", r.Header.Get("Content-Encoding"), err)
	}
	if q.decompress {
		body = chcompress.NewReader(body)
	}
	return body, nil
}

// readText reads a statement: the query parameter, then the body. Of an INSERT
// with data it reads only as far as the text goes, and some of the data.
func readText(query string, body io.Reader) ([]byte, statement, error) {
	text := []byte(query)
	if query != "" {
		text = append(text, '\n')
	}
	for limit := headText; ; limit *= 4 {
		before := len(text)
		rest, err := io.ReadAll(io.LimitReader(body, int64(limit-min(limit, before))))
		text = append(text, rest...)
		if err != nil {
			return nil, statement{}, raise(codeBadArguments, "BAD_ARGUMENTS", "The body cannot be read: %s", err)
		}
		complete := len(text) < limit
		st, settled := inspect(text, complete)
		if settled {
			return text, st, nil
		}
		if len(text) > maxText {
			return nil, st, raise(codeTooLarge, "QUERY_IS_TOO_LARGE", "A statement of more than %d bytes is not accepted by the embedded server", maxText)
		}
	}
}

// execute runs on a thread of its own, under engine.run.
func (s *Server) execute(ctx context.Context, w *work) error {
	if w.session != "" {
		return s.executeInSession(ctx, w)
	}
	// A connection of its own: nothing a request sets can reach another.
	c, err := s.engine.connect()
	if err != nil {
		return err
	}
	defer c.close()
	if err := c.prepare(w.request, w.readOnly); err != nil {
		return err
	}
	return s.statement(ctx, c, w)
}

func (s *Server) executeInSession(ctx context.Context, w *work) (err error) {
	// readonly cannot be taken back within a session, so it is not given.
	if _, ok := w.setting("readonly"); ok {
		return raise(codeNotImplemented, "NOT_IMPLEMENTED", "The embedded server does not take readonly as a parameter of a session: use SET readonly")
	}
	if w.readOnly && !readsOnly(w.text) {
		return raise(164, "READONLY", "Cannot execute query in readonly mode. For queries over HTTP, method GET implies readonly. You should use method POST for modifying queries")
	}
	session, err := s.sessions.acquire(w.request, s.engine.connect)
	if err != nil {
		return err
	}
	broken := true // until it is known to be as the statement left it
	defer func() { s.sessions.release(session, w.sessionTimeout, broken) }()
	restore, err := session.conn.remember(w.request)
	if err != nil {
		return err
	}
	if err := session.conn.prepare(w.request, false); err != nil {
		return errors.Join(err, session.conn.execAll(restore))
	}
	err = s.statement(ctx, session.conn, w)
	restored := session.conn.execAll(restore)
	broken = restored != nil || ctx.Err() != nil
	return errors.Join(err, restored)
}

// readsOnly reports whether a statement's first word is one that readonly = 2
// lets pass.
func readsOnly(text []byte) bool {
	l := lexer{text: text}
	t := l.next()
	switch strings.ToUpper(string(text[t.start:t.end])) {
	case "SELECT", "WITH", "(", "SHOW", "DESCRIBE", "DESC", "EXISTS", "EXPLAIN", "USE", "SET", "CHECK":
		return true
	}
	return false
}

// prepare gives a connection what the request asks for.
func (c *conn) prepare(q request, readOnly bool) error {
	var sql []string
	if q.database != "" && (q.database != "default" || q.session != "") {
		sql = append(sql, "USE "+quoteName(q.database))
	}
	if len(q.roles) > 0 {
		names := make([]string, len(q.roles))
		for i, role := range q.roles {
			names[i] = quoteName(role)
		}
		sql = append(sql, "SET ROLE "+strings.Join(names, ", "))
	}
	var sets []string
	for _, s := range q.settings {
		if s.name == "readonly" {
			continue
		}
		sets = append(sets, s.name+" = "+quote(s.value))
	}
	if len(sets) > 0 {
		sql = append(sql, "SET "+strings.Join(sets, ", "))
	}
	switch value, _ := q.setting("readonly"); {
	case value != "" && value != "0":
		sql = append(sql, "SET readonly = "+quote(value))
	case readOnly:
		sql = append(sql, "SET readonly = 2")
	}
	return c.execAll(sql)
}

func (c *conn) execAll(statements []string) error {
	for _, sql := range statements {
		if err := c.exec(sql); err != nil {
			return err
		}
	}
	return nil
}

// statement runs a statement by the route that suits it.
func (s *Server) statement(ctx context.Context, c *conn, w *work) error {
	if w.insert {
		return s.insertData(ctx, c, w)
	}
	format := first(w.format, w.defaultFormat)
	if w.protocol > 0 && format == "Native" && isHello(w.text) {
		return s.hello(w)
	}
	_, arrays := w.setting("output_format_json_array_of_rows")
	_, extremes := w.setting("extremes")
	if w.streamable && streams(format) && !w.waitEnd && !arrays && !extremes {
		return s.streamResult(ctx, c, w, format)
	}
	r, err := c.query(w.text, w.defaultFormat, w.params)
	if err != nil {
		return err
	}
	defer r.free()
	data := r.bytes()
	if err := w.reply.begin(format, &r.stats, len(data)); err != nil {
		return err
	}
	if err := w.reply.write(data); err != nil {
		return err
	}
	return w.reply.end()
}

// streamResult writes a SELECT's result as the engine produces it.
func (s *Server) streamResult(ctx context.Context, c *conn, w *work, format string) error {
	st, err := c.stream(w.text, w.defaultFormat, w.params)
	if err != nil {
		return err
	}
	finished := false
	defer func() { st.close(finished) }()
	for {
		if ctx.Err() != nil {
			return cancelled(ctx)
		}
		piece, err := st.next()
		if err != nil {
			finished = true
			return err
		}
		if piece == nil {
			finished = true
			break
		}
		if err := w.writePiece(piece, format); err != nil {
			return err
		}
	}
	if !w.reply.started {
		if err := w.reply.begin(format, nil, 0); err != nil {
			return err
		}
	}
	return w.reply.end()
}

func (w *work) writePiece(piece *result, format string) error {
	defer piece.free()
	if !w.reply.started {
		if err := w.reply.begin(format, &piece.stats, -1); err != nil {
			return err
		}
	}
	return w.reply.write(piece.bytes())
}

// insertData feeds the data of an INSERT to the engine as it arrives.
func (s *Server) insertData(ctx context.Context, c *conn, w *work) error {
	format := first(w.dataFormat, "Values")
	marked := fmt.Appendf(slices.Clip(w.text[:w.textEnd]), "/* %s */", w.mark)
	into, err := c.insert(marked, format, w.params)
	if err != nil {
		return err
	}
	defer into.close()
	if err := into.append(w.data); err != nil {
		return err
	}
	buffer := make([]byte, 256<<10)
	for {
		n, err := w.body.Read(buffer)
		if appended := into.append(buffer[:n]); appended != nil {
			return appended
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			into.cancel()
			return raise(codeBadArguments, "BAD_ARGUMENTS", "The data of the INSERT cannot be read: %s", err)
		}
	}
	counted, err := into.done()
	if err != nil || w.silent {
		return err
	}
	if err := w.reply.begin(w.defaultFormat, &counted, 0); err != nil {
		return err
	}
	return w.reply.end()
}
