package service

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/dfe-engine/dfe/engine/sources"
	"github.com/dfe-engine/dfe/engine/tokens"
)

// route is one entry of the table. A pattern is http.ServeMux's; GET answers HEAD too.
type route struct {
	pattern string
	handler http.Handler
}

func (s *Service) table() []route {
	return []route{
		{"GET /{$}", http.HandlerFunc(s.page)},
		{"GET /livez", http.HandlerFunc(s.livez)},
		{"GET /readyz", http.HandlerFunc(s.readyz)},
		{"GET /metrics", promhttp.HandlerFor(s.registry(), promhttp.HandlerOpts{})},
		{"GET /api/v1/system/schema", document(func() any { return s.Document() })},
		{"GET /api/v1/system/version", document(func() any { return s.Releases() })},
		{"POST /api/v1/sources/{id}/deploy", s.guarded(tokens.SourceDeploy, sources.Limit(), s.deploySource)},
		{"POST /api/v1/sources/{id}/plan", s.guarded(tokens.SourcePlan, sources.Limit(), s.planSource)},
	}
}

func (s *Service) routes() http.Handler {
	mux := http.NewServeMux()
	for _, r := range s.table() {
		mux.Handle(r.pattern, r.handler)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
		if _, pattern := mux.Handler(r); pattern == "" {
			unrouted(mux, w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// unrouted answers a request that no route takes as the multiplexer would, in the form of every other answer. It sends
// nobody on: a path that would have to be cleaned first leads to no route either.
func unrouted(mux *http.ServeMux, w http.ResponseWriter, r *http.Request) {
	answer := &verdict{header: http.Header{}, status: http.StatusNotFound}
	mux.ServeHTTP(answer, r)
	status := http.StatusNotFound
	fault := Fault{Version: 1, Code: "not_found", Error: "there is no such route; GET / has a page, GET /api/v1/system/schema the document"}
	if allow := answer.header.Get("Allow"); answer.status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", allow)
		status, fault.Code, fault.Error = answer.status, "method_not_allowed", "this route takes "+strings.ReplaceAll(allow, ", ", " and ")
	}
	writeJSON(w, status, fault)
}

// verdict keeps the status and the header of an answer whose body is replaced.
type verdict struct {
	header http.Header
	status int
}

func (v *verdict) Header() http.Header         { return v.header }
func (v *verdict) WriteHeader(status int)      { v.status = status }
func (v *verdict) Write(p []byte) (int, error) { return len(p), nil }

// Fault is the document of a request that cannot be answered.
type Fault struct {
	Version int    `json:"version"`
	Error   string `json:"error"`
	Code    string `json:"code"`
}

func document(make func() any) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, make()) })
}

// writeJSON sends a document. It is made whole before the status is sent; a client that hangs up is nobody's error.
func writeJSON(w http.ResponseWriter, status int, document any) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(document); err != nil {
		http.Error(w, "the document could not be written", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
}

func (s *Service) livez(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok\n"))
}

func (s *Service) readyz(w http.ResponseWriter, r *http.Request) {
	readiness := s.Readiness(r.Context())
	status := http.StatusOK
	if !readiness.Ready {
		status = http.StatusServiceUnavailable
	}
	writeJSON(w, status, readiness)
}
