// Package embedded runs a real ClickHouse, the pinned libchdb, in this process
// and answers ClickHouse's HTTP interface on loopback, so that clickhouse-go,
// curl and the rest of dfe talk to it as to any server. Start opens it on a data
// directory (or a temporary one), Close waits for what runs and shuts it down.
// It imports nothing of this module.
//
// # What is the engine's own
//
// Everything SQL: parsing, types, storage, every MergeTree family, system
// tables, SHOW CREATE, error codes and texts. Statements run in the library as
// they were sent.
//
// # What the front end emulates, or does not have
//
//   - Each request runs on a connection of its own, opened for it in half a
//     millisecond: URL settings become SET, database becomes USE, role becomes
//     SET ROLE, GET becomes readonly = 2, and all of it ends with the connection.
//   - session_id keeps a connection (temporary tables, SET, USE). What a request's
//     URL sets is put back after it. readonly is not taken as a URL parameter of a
//     session.
//   - query_id is echoed in X-ClickHouse-Query-Id and generated when absent. The
//     library takes no query id, so system.processes shows another one; log_comment
//     is the way to recognise a statement, and reaches the engine. There is no
//     system.query_log.
//   - A statement whose client disconnects is stopped by KILL QUERY on the thread
//     that runs it. An INSERT with data is found by a comment put behind its text,
//     the one thing ever added to a statement.
//   - Several statements in one request, INTO OUTFILE and FROM INFILE are refused,
//     as a server refuses them; the library would carry them out.
//   - INSERT ... SELECT ... FROM input() is refused: the library drops its data.
//   - external tables (multipart requests), profile events, progress headers and
//     X-ClickHouse-Summary of streamed results are absent; so are users other than
//     default, /play, /dashboard and every port but the HTTP one.
//   - Native is printed at protocol revision 0 whatever client_protocol_version
//     says. clickhouse-go is told so in its own greeting; see hello.go.
//   - A plain SELECT in a format without head and foot (Native, TSV, CSV,
//     RowBinary, JSONEachRow) is streamed; other results are held in the engine's
//     memory whole. Data of an INSERT is always streamed in.
//   - CREATE USER, ROLE, QUOTA, PROFILE and GRANT are for Options.Access to answer,
//     which keeps these objects in users.xml; see Access. Without it they are
//     refused. ON CLUSTER, Replicated databases and tables need a server, or
//     package cluster, which stands before the engine as Options.Front. The
//     database default is of the engine Overlay.
//   - CREATE NAMED COLLECTION c is refused with error 670 while the working
//     directory of the process holds a file c.sql: the engine looks there, and
//     not in the data directory, for whether the collection exists.
//
// # The library
//
// See Locate. Loading it costs 0.03 to 0.3 s, opening a directory 0.15 s, and 80
// MB of memory of its own beside 180 MB shared with every process that loads it.
// A data directory is opened by one process at a time and a process opens one at
// a time. Acknowledged statements survive kill -9; so does a temporary data
// directory, dfe-engine-data-* where the system keeps temporary files.
//
// # Signals
//
// While the engine opens for the first time it installs handlers for SIGSEGV and
// its like; they are put back before Start returns, so that a nil dereference is
// a Go panic again and signal.Notify works as before.
//
// # Who can reach it
//
// Every program of every user of this machine that can open a loopback
// connection, with the rights of this process: SQL can read and write files. Set
// Options.Password on a machine that is shared. Requests a web page could send
// (an Origin header, or a Host that is not loopback) are refused.
package embedded
