package service

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/dfe-engine/dfe/engine/tokens"
)

const (
	// bodyWait bounds how long the body of a call may take to arrive.
	bodyWait = 10 * time.Second
	// callWait bounds a call: its turn, the lease and the bus are each waited for, and every statement is.
	callWait = 15 * time.Minute
	// answerWait is what the answer may take once it is known.
	answerWait = 30 * time.Second
)

// call is a request that changes something, or asks about it, and what the audit log will say of it.
type call struct {
	w     http.ResponseWriter
	r     *http.Request
	token *tokens.Token
	body  []byte
	// status and code are those of the answer, about is what it was about, as pairs for the log.
	status int
	code   string
	about  []any
}

// answer sends a document.
func (c *call) answer(status int, code string, document any) {
	c.status, c.code = status, code
	writeJSON(c.w, status, document)
}

func (c *call) fault(status int, code, text string) {
	c.answer(status, code, Fault{Version: 1, Error: text, Code: code})
}

// guarded is a route for those alone who have a token with the permission. Its body has at most limit bytes. Each call
// is a line of the log, also one that is turned away; no token is part of it.
func (s *Service) guarded(permission tokens.Permission, limit int64, do func(context.Context, *call)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		s.calls.Add(1)
		defer s.calls.Done()
		c := &call{w: w, r: r}
		defer func() {
			name := ""
			if c.token != nil {
				name = c.token.Name
			}
			s.log.InfoContext(r.Context(), "call", append([]any{
				"method", r.Method, "path", r.URL.Path, "from", r.RemoteAddr, "token", name, "status", c.status, "code", c.code,
				"bytes", len(c.body), "elapsed_ms", time.Since(began).Milliseconds()}, c.about...)...)
		}()
		// A server without these deadlines has them from here on; one that cannot set them has its own.
		control := http.NewResponseController(w)
		_ = control.SetReadDeadline(began.Add(bodyWait))
		_ = control.SetWriteDeadline(began.Add(callWait + answerWait))
		if !s.admit(c, permission) || !c.read(limit) {
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), callWait)
		defer cancel()
		ctx, release := stopping(ctx)
		defer release()
		_ = control.SetReadDeadline(time.Time{}) // it would end the context of a call that waits
		do(ctx, c)
	})
}

// admit turns away who has no token, or none for this.
func (s *Service) admit(c *call, permission tokens.Permission) bool {
	if s.o.Tokens == nil {
		c.fault(http.StatusForbidden, "tokens_not_configured", "this route is closed, because the service has no tokens: make one with \"dfe token new NAME --permission "+
			string(permission)+" --file FILE\", and start the service with DFE_ENGINE_API_TOKENS_FILE=FILE")
		return false
	}
	list, err := s.o.Tokens.Tokens()
	s.tokensFault(c.r.Context(), err)
	if err != nil {
		c.fault(http.StatusForbidden, "tokens_unusable", "this route is closed, because the service cannot use its file of tokens; its log says why")
		return false
	}
	scheme, presented, _ := strings.Cut(c.r.Header.Get("Authorization"), " ")
	if len(c.r.Header.Values("Authorization")) != 1 || !strings.EqualFold(scheme, "Bearer") {
		c.w.Header().Set("WWW-Authenticate", `Bearer realm="dfe"`)
		c.fault(http.StatusUnauthorized, "token_missing", "this route takes a token: Authorization: Bearer dfe_...")
		return false
	}
	if c.token = tokens.Find(list, strings.TrimSpace(presented)); c.token == nil {
		c.w.Header().Set("WWW-Authenticate", `Bearer realm="dfe", error="invalid_token"`)
		c.fault(http.StatusUnauthorized, "token_unknown", "the service does not know this token, or knows it no more")
		return false
	}
	if !c.token.May(permission) {
		c.w.Header().Set("WWW-Authenticate", `Bearer realm="dfe", error="insufficient_scope", scope="`+string(permission)+`"`)
		c.fault(http.StatusForbidden, "permission_missing", "this token does not have the permission "+string(permission))
		return false
	}
	return true
}

// tokensFault tells of a file of tokens that cannot be used, once for each fault, and of its end.
func (s *Service) tokensFault(ctx context.Context, err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	s.mu.Lock()
	before := s.tokensSaid
	s.tokensSaid = text
	s.mu.Unlock()
	switch {
	case text == before:
	case text != "":
		s.log.ErrorContext(ctx, "nobody has access", "error", text)
	default:
		s.log.InfoContext(ctx, "the file of tokens can be used again")
	}
}

// read reads the body whole. What is plainly not what the route takes is told by its type.
func (c *call) read(limit int64) bool {
	kind, _, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	if kind == "application/json" || strings.HasSuffix(kind, "+json") || strings.HasPrefix(kind, "multipart/") {
		c.fault(http.StatusUnsupportedMediaType, "unsupported_media_type", "the body is the text of a config, in HCL; send it as application/hcl or text/plain")
		return false
	}
	if c.r.Header.Get("Content-Encoding") != "" {
		c.fault(http.StatusUnsupportedMediaType, "unsupported_media_type", "the body is taken as it is, without a Content-Encoding")
		return false
	}
	body, err := io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, limit))
	c.body = body
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		c.fault(http.StatusRequestEntityTooLarge, "body_too_large", "the body is larger than the service takes")
	case err != nil:
		c.fault(http.StatusRequestTimeout, "body_unread", "the body did not arrive whole in time")
	}
	return err == nil
}

// Wait returns when no call is under way any more. The one that serves them has ended them before.
func (s *Service) Wait() { s.calls.Wait() }
