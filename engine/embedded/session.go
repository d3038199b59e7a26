package embedded

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
	"time"
)

// session is a connection that outlives a request (session_id): its SET, USE and
// temporary tables stay until it has not been used for its timeout.
type session struct {
	id      string
	conn    *conn
	busy    bool
	expires *time.Timer
}

type sessions struct {
	mu     sync.Mutex
	byID   map[string]*session
	closed bool
}

// maxSessions bounds what clients that never come back can hold.
const maxSessions = 64

// acquire gives a session to one request.
func (s *sessions) acquire(q request, open func() (*conn, error)) (*session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found := s.byID[q.session]; found != nil {
		if found.busy {
			return nil, raise(codeSessionLocked, "SESSION_IS_LOCKED", "Session %s is locked by a concurrent client", q.session)
		}
		found.expires.Stop()
		found.busy = true
		return found, nil
	}
	if q.sessionCheck {
		return nil, raise(codeSessionNotFound, "SESSION_NOT_FOUND", "Session %s not found", q.session)
	}
	if s.closed || len(s.byID) >= maxSessions {
		return nil, raise(codeNotImplemented, "NOT_IMPLEMENTED", "The embedded server holds no more than %d sessions", maxSessions)
	}
	c, err := open()
	if err != nil {
		return nil, err
	}
	if s.byID == nil {
		s.byID = map[string]*session{}
	}
	opened := &session{id: q.session, conn: c, busy: true}
	opened.expires = time.AfterFunc(time.Hour, func() { s.expire(opened) })
	opened.expires.Stop()
	s.byID[q.session] = opened
	return opened, nil
}

// release ends a request's use; a broken session is dropped.
func (s *sessions) release(x *session, timeout time.Duration, broken bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.busy = false
	if broken {
		s.drop(x)
		return
	}
	x.expires.Reset(timeout)
}

func (s *sessions) expire(x *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !x.busy && s.byID[x.id] == x {
		s.drop(x)
	}
}

func (s *sessions) drop(x *session) {
	x.expires.Stop()
	delete(s.byID, x.id)
	x.conn.close()
}

func (s *sessions) closeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, x := range s.byID {
		s.drop(x)
	}
}

// dropIdle ends every session: the engine under them is about to go. None is in
// use.
func (s *sessions) dropIdle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.byID {
		s.drop(x)
	}
}

// remember reads what a request is about to change of a session for itself
// alone, and returns the statements that put it back.
func (c *conn) remember(q request) ([]string, error) {
	var restore []string
	if len(q.settings) > 0 {
		names := make([]string, len(q.settings))
		for i, s := range q.settings {
			names[i] = quote(s.name)
		}
		r, err := c.query([]byte("SELECT name, value FROM system.settings WHERE name IN ("+strings.Join(names, ", ")+")"), "JSONCompactEachRow", nil)
		if err != nil {
			return nil, err
		}
		defer r.free()
		rows := json.NewDecoder(bytes.NewReader(r.bytes()))
		for rows.More() {
			var row [2]string
			if err := rows.Decode(&row); err != nil {
				return nil, err
			}
			restore = append(restore, "SET "+row[0]+" = "+quote(row[1]))
		}
	}
	if q.database != "" {
		r, err := c.query([]byte("SELECT currentDatabase()"), "TSVRaw", nil)
		if err != nil {
			return nil, err
		}
		defer r.free()
		restore = append(restore, "USE "+quoteName(strings.TrimSuffix(string(r.bytes()), "\n")))
	}
	return restore, nil
}
