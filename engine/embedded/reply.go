package embedded

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// reply writes one answer. The status is open until the first byte of a result,
// so that a statement that fails before has ClickHouse's status.
type reply struct {
	w       http.ResponseWriter
	server  *Server
	request request
	began   time.Time
	out     io.Writer
	encoder flusher
	tag     string // marks an exception within a result
	started bool
}

func (s *Server) newReply(w http.ResponseWriter, q request) *reply {
	h := w.Header()
	h.Set("X-ClickHouse-Server-Display-Name", "embedded")
	h.Set("X-ClickHouse-Timezone", s.timezone)
	if q.queryID == "" {
		q.queryID = newQueryID()
	}
	h.Set("X-ClickHouse-Query-Id", q.queryID)
	return &reply{w: w, server: s, request: q, began: time.Now()}
}

// newQueryID makes an id in the form of ClickHouse's, a UUID.
func newQueryID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // crypto/rand does not fail
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:16])
}

// begin sends the headers of a result.
func (r *reply) begin(format string, st *stats, length int) error {
	r.started = true
	h := r.w.Header()
	h.Set("X-ClickHouse-Format", format)
	h.Set("Content-Type", contentType(format))
	var tag [8]byte
	_, _ = rand.Read(tag[:]) // crypto/rand does not fail
	r.tag = hex.EncodeToString(tag[:])
	h.Set("X-ClickHouse-Exception-Tag", r.tag)
	r.summary(st)
	r.out = r.w
	switch {
	case r.request.compress:
		r.encoder = newBlockWriter(r.w, r.request.zstd)
	case r.request.encoding != "" && length != 0:
		h.Set("Content-Encoding", r.request.encoding)
		encoder, err := r.server.gzips.encode(r.w, r.request.encoding)
		if err != nil {
			return err
		}
		r.encoder = encoder
	case length >= 0:
		h.Set("Content-Length", strconv.Itoa(length))
	}
	if r.encoder != nil {
		r.out = r.encoder
	}
	r.w.WriteHeader(http.StatusOK)
	return nil
}

// summary is what the statement read and wrote, as far as it is known when the
// headers leave: all of it, except for a streamed result.
func (r *reply) summary(st *stats) {
	if st == nil {
		st = &stats{}
	}
	r.w.Header().Set("X-ClickHouse-Summary", fmt.Sprintf(
		`{"read_rows":"%d","read_bytes":"%d","written_rows":"%d","written_bytes":"%d","total_rows_to_read":"0","result_rows":"0","result_bytes":"0","elapsed_ns":"%d"}`,
		st.readRows, st.readBytes, st.writtenRows, st.writtenBytes, time.Since(r.began).Nanoseconds()))
}

func (r *reply) write(data []byte) error {
	_, err := r.out.Write(data)
	return err
}

// end completes a result.
func (r *reply) end() error {
	if r.encoder != nil {
		return r.encoder.Close()
	}
	return nil
}

// fail answers with an exception: with its status while that is open, else at
// the end of the result, framed as ClickHouse frames it, on a connection that is
// then cut so that nobody takes the result for whole.
func (r *reply) fail(err error) {
	var e *Exception
	if !errors.As(err, &e) {
		e = raise(codeUnknownException, "UNKNOWN_EXCEPTION", "%s", err)
	}
	text := fmt.Sprintf("%s (version %s (embedded))", strings.TrimSpace(e.Error()), r.server.version)
	if !r.started {
		h := r.w.Header()
		h.Set("X-ClickHouse-Exception-Code", strconv.Itoa(e.Code))
		h.Set("Content-Type", "text/plain; charset=UTF-8")
		h.Set("Content-Length", strconv.Itoa(len(text)+1))
		r.w.WriteHeader(e.status())
		_, _ = io.WriteString(r.w, text+"\n") // a client that left has no use for it
		return
	}
	// Whether or not the client still reads, the connection is cut.
	_ = r.write(fmt.Appendf(nil, "\r\n__exception__\r\n%s\r\n%s\n%d %s\r\n__exception__\r\n", r.tag, text, len(text)+1, r.tag))
	if r.encoder != nil {
		_ = r.encoder.Flush()
	}
	_ = http.NewResponseController(r.w).Flush()
	panic(http.ErrAbortHandler)
}

func contentType(format string) string {
	switch {
	case strings.HasPrefix(format, "JSONEachRow"), format == "JSONLines", format == "NDJSON":
		return "application/x-ndjson; charset=UTF-8"
	case strings.HasPrefix(format, "JSON"):
		return "application/json; charset=UTF-8"
	case strings.HasPrefix(format, "CSV"):
		return "text/csv; charset=UTF-8"
	case strings.HasPrefix(format, "TSV"), strings.HasPrefix(format, "TabSeparated"):
		return "text/tab-separated-values; charset=UTF-8"
	case format == "Native", strings.HasPrefix(format, "RowBinary"), format == "Parquet", strings.HasPrefix(format, "Arrow"), format == "ORC", format == "Avro":
		return "application/octet-stream"
	}
	return "text/plain; charset=UTF-8"
}
