//go:build linux || darwin

package embedded

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// chdb is the C interface of one loaded library (chdb.h of 26.7.3). Handles are
// addresses the library owns; they are opaque here and never dereferenced, with
// one exception: a connection is a pointer to the handle that queries take.
type chdb struct {
	connect      func(argc int32, argv unsafe.Pointer) unsafe.Pointer
	closeConn    func(conn unsafe.Pointer)
	version      func() string
	query        func(conn, sql unsafe.Pointer, sqlLen uintptr, format unsafe.Pointer, formatLen uintptr, names, nameLens, values, valueLens unsafe.Pointer, count uintptr) uintptr
	streamQuery  func(conn, sql unsafe.Pointer, sqlLen uintptr, format unsafe.Pointer, formatLen uintptr, names, nameLens, values, valueLens unsafe.Pointer, count uintptr) uintptr
	streamFetch  func(conn unsafe.Pointer, result uintptr) uintptr
	streamCancel func(conn unsafe.Pointer, result uintptr)
	insert       func(conn, sql unsafe.Pointer, sqlLen uintptr, format unsafe.Pointer, formatLen uintptr, names, nameLens, values, valueLens unsafe.Pointer, count uintptr) uintptr
	insertAppend func(stream uintptr, data unsafe.Pointer, length uintptr) int32
	insertDone   func(stream uintptr) uintptr
	insertCancel func(stream uintptr)
	insertError  func(stream uintptr) string
	insertFree   func(stream uintptr)
	resultBuffer func(result uintptr) unsafe.Pointer
	resultLength func(result uintptr) uintptr
	resultError  func(result uintptr) string
	resultFree   func(result uintptr)
	rowsRead     func(result uintptr) uint64
	bytesRead    func(result uintptr) uint64
	rowsWritten  func(result uintptr) uint64
	bytesWritten func(result uintptr) uint64
}

// loaded is the one library of this process. A shared library cannot be
// unloaded once its threads ran, and two copies of the engine in one process
// would fight over signals and allocators, so the process is the right scope.
var loaded struct {
	sync.Mutex
	path string
	lib  *chdb
}

// loadLibrary loads the library, once a process.
func loadLibrary(path string) (*chdb, error) {
	loaded.Lock()
	defer loaded.Unlock()
	if loaded.lib != nil {
		if loaded.path != path {
			return nil, fmt.Errorf("embedded engine: this process has loaded %s and cannot load %s as well", loaded.path, path)
		}
		return loaded.lib, nil
	}
	// RTLD_LOCAL: the library carries its own copies of common libraries.
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("embedded engine: %s cannot be loaded as its library: %w; %s names another", path, err, LibraryVariable)
	}
	lib := &chdb{}
	for name, into := range map[string]any{
		"chdb_connect":                     &lib.connect,
		"chdb_close_conn":                  &lib.closeConn,
		"chdb_version":                     &lib.version,
		"chdb_query_with_params_n":         &lib.query,
		"chdb_stream_query_with_params_n":  &lib.streamQuery,
		"chdb_stream_fetch_result":         &lib.streamFetch,
		"chdb_stream_cancel_query":         &lib.streamCancel,
		"chdb_stream_insert_with_params_n": &lib.insert,
		"chdb_stream_append":               &lib.insertAppend,
		"chdb_stream_done":                 &lib.insertDone,
		"chdb_stream_cancel_insert":        &lib.insertCancel,
		"chdb_stream_insert_error":         &lib.insertError,
		"chdb_destroy_insert_stream":       &lib.insertFree,
		"chdb_result_buffer":               &lib.resultBuffer,
		"chdb_result_length":               &lib.resultLength,
		"chdb_result_error":                &lib.resultError,
		"chdb_destroy_query_result":        &lib.resultFree,
		"chdb_result_rows_read":            &lib.rowsRead,
		"chdb_result_bytes_read":           &lib.bytesRead,
		"chdb_result_rows_written":         &lib.rowsWritten,
		"chdb_result_bytes_written":        &lib.bytesWritten,
	} {
		if _, err := purego.Dlsym(handle, name); err != nil {
			return nil, fmt.Errorf("embedded engine: %s is not chdb %s: it has no %s", path, Version, name)
		}
		purego.RegisterLibFunc(into, handle, name)
	}
	loaded.path, loaded.lib = path, lib
	return lib, nil
}

// errRefused is a connection the library did not give; it says no more.
var errRefused = errors.New("the engine refused the connection")

// conn is one connection: one statement at a time. Its session state (settings,
// current database, temporary tables) ends with it.
type conn struct {
	lib *chdb
	ptr unsafe.Pointer
}

func (l *chdb) open(args ...string) (*conn, error) {
	var pins runtime.Pinner
	defer pins.Unpin()
	argv := make([]*byte, len(args)+1)
	for i, a := range args {
		text := append([]byte(a), 0)
		pins.Pin(&text[0])
		argv[i] = &text[0]
	}
	ptr := l.connect(int32(len(args)), unsafe.Pointer(&argv[0]))
	if ptr == nil {
		return nil, errRefused
	}
	return &conn{lib: l, ptr: ptr}, nil
}

func (c *conn) close() {
	if c.ptr != nil {
		c.lib.closeConn(c.ptr)
		c.ptr = nil
	}
}

// handle reads the connection's inner pointer, which the query calls take.
func (c *conn) handle() unsafe.Pointer { return *(*unsafe.Pointer)(c.ptr) }

// result is bytes the engine owns, until free. Bytes is valid until then.
type result struct {
	lib   *chdb
	ptr   uintptr
	stats stats
}

// stats is what the engine counted for a statement.
type stats struct {
	readRows, readBytes       uint64
	writtenRows, writtenBytes uint64
}

func (r *result) bytes() []byte {
	n := r.lib.resultLength(r.ptr)
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(r.lib.resultBuffer(r.ptr)), n)
}

func (r *result) free() { r.lib.resultFree(r.ptr) }

// take makes a result of a handle, or the engine's error, and frees the handle
// in the second case.
func (l *chdb) take(ptr uintptr) (*result, error) {
	if text := l.resultError(ptr); text != "" {
		l.resultFree(ptr)
		return nil, parseException(text)
	}
	return &result{lib: l, ptr: ptr, stats: stats{
		readRows: l.rowsRead(ptr), readBytes: l.bytesRead(ptr),
		writtenRows: l.rowsWritten(ptr), writtenBytes: l.bytesWritten(ptr),
	}}, nil
}

// call runs one of the three entry points that take a statement, a format and
// parameters. The pointers live for the call only: the library copies.
func (c *conn) call(
	entry func(conn, sql unsafe.Pointer, sqlLen uintptr, format unsafe.Pointer, formatLen uintptr, names, nameLens, values, valueLens unsafe.Pointer, count uintptr) uintptr,
	sql []byte, format string, params []param,
) uintptr {
	var pins runtime.Pinner
	defer pins.Unpin()
	text := func(b []byte) unsafe.Pointer {
		if len(b) == 0 {
			return unsafe.Pointer(&emptyText[0])
		}
		return unsafe.Pointer(unsafe.SliceData(b))
	}
	f := []byte(format)
	if len(params) == 0 {
		return entry(c.handle(), text(sql), uintptr(len(sql)), text(f), uintptr(len(f)), nil, nil, nil, nil, 0)
	}
	n := len(params)
	names, values := make([]unsafe.Pointer, n), make([]unsafe.Pointer, n)
	nameLens, valueLens := make([]uintptr, n), make([]uintptr, n)
	for i, p := range params {
		name, value := []byte(p.name+"\x00"), []byte(p.value+"\x00")
		pins.Pin(&name[0])
		pins.Pin(&value[0])
		names[i], nameLens[i] = unsafe.Pointer(&name[0]), uintptr(len(p.name))
		values[i], valueLens[i] = unsafe.Pointer(&value[0]), uintptr(len(p.value))
	}
	return entry(c.handle(), text(sql), uintptr(len(sql)), text(f), uintptr(len(f)),
		unsafe.Pointer(&names[0]), unsafe.Pointer(&nameLens[0]),
		unsafe.Pointer(&values[0]), unsafe.Pointer(&valueLens[0]), uintptr(n))
}

// emptyText stands in for the address of an empty buffer, which Go has not.
var emptyText = [1]byte{}

// query runs a statement and returns its whole result, which the caller frees.
func (c *conn) query(sql []byte, format string, params []param) (*result, error) {
	return c.lib.take(c.call(c.lib.query, sql, format, params))
}

// exec runs a statement for its effect.
func (c *conn) exec(sql string) error {
	r, err := c.query([]byte(sql), "Null", nil)
	if err != nil {
		return err
	}
	r.free()
	return nil
}

// stream is a SELECT whose result comes in pieces, one or more blocks each.
type stream struct {
	conn *conn
	ptr  uintptr
}

// stream begins a SELECT. The engine refuses other statements here (36), before
// it runs anything.
func (c *conn) stream(sql []byte, format string, params []param) (*stream, error) {
	ptr := c.call(c.lib.streamQuery, sql, format, params)
	if text := c.lib.resultError(ptr); text != "" {
		c.lib.resultFree(ptr)
		return nil, parseException(text)
	}
	return &stream{conn: c, ptr: ptr}, nil
}

// next returns the next piece, nil at the end; the caller frees it.
func (s *stream) next() (*result, error) {
	r, err := s.conn.lib.take(s.conn.lib.streamFetch(s.conn.handle(), s.ptr))
	if err != nil {
		return nil, err
	}
	if s.conn.lib.resultLength(r.ptr) == 0 {
		r.free()
		return nil, nil
	}
	return r, nil
}

// close ends the stream, cancelling what has not been read.
func (s *stream) close(finished bool) {
	if !finished {
		s.conn.lib.streamCancel(s.conn.handle(), s.ptr)
	}
	s.conn.lib.resultFree(s.ptr)
}

// insertion is an INSERT whose data is given in pieces of any size.
type insertion struct {
	lib *chdb
	ptr uintptr
}

// insert begins an INSERT; sql ends before its FORMAT or VALUES.
func (c *conn) insert(sql []byte, format string, params []param) (*insertion, error) {
	i := &insertion{lib: c.lib, ptr: c.call(c.lib.insert, sql, format, params)}
	if text := c.lib.insertError(i.ptr); text != "" {
		i.close()
		return nil, parseException(text)
	}
	return i, nil
}

// append gives the engine more data, waiting while it is busy with the last.
func (i *insertion) append(data []byte) error {
	if len(data) == 0 || i.lib.insertAppend(i.ptr, unsafe.Pointer(unsafe.SliceData(data)), uintptr(len(data))) == 0 {
		return nil
	}
	if text := i.lib.insertError(i.ptr); text != "" {
		return parseException(text)
	}
	return &Exception{Code: codeUnknownException, Text: "DB::Exception: the engine refused more data of an INSERT. (UNKNOWN_EXCEPTION)"}
}

// done ends the data and returns when the engine has stored it.
func (i *insertion) done() (stats, error) {
	r, err := i.lib.take(i.lib.insertDone(i.ptr))
	if err != nil {
		return stats{}, err
	}
	defer r.free()
	return r.stats, nil
}

func (i *insertion) cancel() { i.lib.insertCancel(i.ptr) }
func (i *insertion) close()  { i.lib.insertFree(i.ptr) }
