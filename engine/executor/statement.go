package executor

import (
	"context"
	"fmt"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/lang/series"
)

// Statement is one statement about one object.
type Statement struct {
	Kind ast.Kind
	Name ast.Name
	SQL  string
	// Before is the object as the decision saw it; nil: nothing held the name.
	Before *catalog.Object
	// Read reads the object; nil for [catalog.ReadObject]. What a grant's grantees have is not found by its name.
	Read func(context.Context) (*catalog.Object, error)
	// Secrets take the place of their references in SQL at the last moment. They are in no log, no error and no ledger.
	Secrets []Secret
	// Missing returns what the live object, nil for none, still lacks of the statement's effect: "" once it is all
	// there.
	Missing func(*catalog.Object) string
	// Unseen says that a part of the effect shows nowhere: a hidden value. Then the server's word alone counts, and an answer
	// that leaves it open is followed by the same statement again, which has to bear that.
	Unseen bool
	// ReadsRows says that the statement casts stored values: what the server says of one that fails may quote it, and is
	// kept out of errors and logs but for its code.
	ReadsRows bool
}

// Secret is a value that a statement refers to.
type Secret struct {
	Reference string // as it stands in SQL
	Value     string
	// Literal says that Value is SQL text and no text to be quoted.
	Literal bool
}

// Object names the object as logs and messages do.
func (s Statement) Object() string { return string(s.Kind) + " " + s.Name.String() }

// Result is a statement whose effect was seen.
type Result struct {
	QueryID string
	// Attempts counts how often the statement was sent.
	Attempts int
	// After is the object as read back.
	After *catalog.Object
}

// MovedError is a statement that was not sent, because the object is no longer what the decision saw.
type MovedError struct {
	Object string
	Reason string
}

func (e *MovedError) Error() string {
	return fmt.Sprintf("%s changed since the decision (%s): nothing was sent; plan again", e.Object, e.Reason)
}

// TooLargeError is a statement that was not sent, because it, or the definition it leads to, exceeds the ceiling.
type TooLargeError struct {
	Object        string
	Size, Ceiling int // bytes
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s needs max_query_size = %d bytes, over the ceiling of %d: nothing was sent; raise DFE_ENGINE_CLICKHOUSE_DDL_MAX_QUERY_SIZE or split the object", e.Object, e.Size, e.Ceiling)
}

// RejectedError is a statement that the server answered with an error, to the last attempt.
type RejectedError struct {
	Object string
	// Code is ClickHouse's own; 0 where no attempt was answered.
	Code    int32
	Message string
	// Partial is true where the object changed nevertheless: a part of the statement took effect.
	Partial bool
	err     error
}

func (e *RejectedError) Error() string {
	effect := "it had no effect"
	if e.Partial {
		effect = "a part of it took effect"
	}
	return fmt.Sprintf("the server rejects the statement for %s, and %s: %s", e.Object, effect, e.Message)
}

// Unwrap returns the driver's error.
func (e *RejectedError) Unwrap() error { return e.err }

// NotSeenError is a statement that the server acknowledged and whose effect is not there.
type NotSeenError struct {
	Object  string
	Missing string
}

func (e *NotSeenError) Error() string {
	return fmt.Sprintf("the server accepted the statement for %s and the object still differs: %s", e.Object, e.Missing)
}

// NotSharedError is a SQL function that the connected server has and others of the cluster have not.
type NotSharedError struct {
	Object  string
	Without []string // hosts
}

func (e *NotSharedError) Error() string {
	return fmt.Sprintf("the %s is on the connected server alone and not, or not the same, on %s: SQL functions are kept on each server's disk, outside Keeper (configure <user_defined_zookeeper_path> on all of them)",
		e.Object, series.And(e.Without))
}

// ErrorCode is the error as one word.
func (e *NotSharedError) ErrorCode() string { return "clickhouse_not_replicated" }

// UnresolvedError is a statement that was sent and of which nobody can say whether it took effect.
type UnresolvedError struct {
	Object  string
	QueryID string
	err     error
}

func (e *UnresolvedError) Error() string {
	return fmt.Sprintf("it is not known whether the statement for %s took effect (query id %s): %v; the next pass reads the catalogue and finishes the work", e.Object, e.QueryID, e.err)
}

// Unwrap returns what kept the answer away.
func (e *UnresolvedError) Unwrap() error { return e.err }

// NotHeldError is a statement that was not sent, because the lease is not held any more or the pass was told to stop.
type NotHeldError struct {
	Object string
	err    error
}

func (e *NotHeldError) Error() string {
	return fmt.Sprintf("nothing was sent for %s: %v", e.Object, e.err)
}

// Unwrap returns why: a [*lease.LostError], that the lease was given back, or the cause of the pass's context.
func (e *NotHeldError) Unwrap() error { return e.err }
