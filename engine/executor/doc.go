// Package executor sends statements to a server, one at a time, and says truthfully what became of each.
//
// It is the only place that sends DDL. It alone adds max_query_size, distributed_ddl_output_mode, the query id and
// the log comment. Before a statement goes out, the object it is about is read and must be what the decision saw;
// after it, the object is read again and the difference must be gone. An answer that does not come is never
// answered by sending again blindly: the catalogue is read first.
//
// What goes in is a [Statement] that package rules rendered; what comes out is a [Result] or one of the errors
// [MovedError], [TooLargeError], [RejectedError], [NotSeenError] and [UnresolvedError], each of which leaves the
// server in a state its text names.
package executor
