package lease

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/internal/books"
	"github.com/dfe-engine/dfe/rules"
)

// Table returns the name of the lease table.
func Table() ast.Name { return ast.Name{Database: "dfe", Name: "schema_lock"} }

// ClickHouse is the store of the lease in its table.
//
// One row goes into each statement, so that one row is one block and is stored or
// not as a whole. What is not known to be stored counts as neither: a row is never
// sent again.
type ClickHouse struct {
	conn     *catalog.Conn
	platform rules.Platform
	columns  []column
}

// ShapeError is a live object under the lease table's name that is no lease table.
// A pass never drops or rebuilds it.
type ShapeError struct{ Reason string }

func (e *ShapeError) Error() string {
	return fmt.Sprintf("%s is not the lease table of any release: %s; move it away (RENAME TABLE) and run again", Table(), e.Reason)
}

// ErrorCode is the error as one word.
func (e *ShapeError) ErrorCode() string { return "lease_shape" }

// OpenClickHouse returns the store in the live lease table. A table with columns
// this release does not know is taken; one that lacks a column, has it of another
// type or does not keep every row is a *ShapeError, and so is an object of another
// kind or none.
//
// The connection is for the lease alone: a renewal waits neither behind DDL nor
// behind what was given up. It stays the caller's to close, after the last lease.
func OpenClickHouse(conn *catalog.Conn, platform rules.Platform, live *catalog.Object) (*ClickHouse, error) {
	switch {
	case live == nil:
		return nil, &ShapeError{"it does not exist"}
	case live.Unreadable != nil:
		return nil, &ShapeError{"its definition cannot be read: " + live.Unreadable.Error()}
	}
	table, ok := live.Tree.(*ast.Table)
	if !ok {
		return nil, &ShapeError{"it is a " + string(live.Kind)}
	}
	c := &ClickHouse{conn: conn, platform: platform}
	var needed []books.Column
	for _, col := range columns() {
		needed = append(needed, books.Column{Name: col.name, Types: col.types, Optional: col.optional})
		if table.Column(col.name) != nil {
			c.columns = append(c.columns, col)
		}
	}
	if fault := books.Fault(table, needed); fault != "" {
		return nil, &ShapeError{fault}
	}
	return c, nil
}

// column is a column that is written with each row. The server fills recorded_at.
type column struct {
	name     string
	types    []string // those that serve
	value    func(Row) any
	optional bool // a table without it serves
}

func columns() []column {
	text, number := []string{"String"}, []string{"UInt64"}
	return []column{
		{name: "scope", types: text, value: func(r Row) any { return r.Scope }},
		{name: "epoch", types: number, value: func(r Row) any { return r.Epoch }},
		{name: "claim_id", types: text, value: func(r Row) any { return r.ClaimID }},
		{name: "sequence", types: number, value: func(r Row) any { return r.Sequence }},
		{name: "action", types: []string{"Enum8", "Enum16", "String"}, value: func(r Row) any { return string(r.Action) }},
		{name: "owner", types: text, value: func(r Row) any { return r.Owner }},
		{name: "ttl_ms", types: []string{"UInt32"}, value: func(r Row) any { return uint32(r.TTL.Milliseconds()) }},
		{name: "owner_time", types: []string{"DateTime64"}, value: func(r Row) any { return r.Sent }},
		{name: "pass_id", types: text, value: func(r Row) any { return r.Pass }, optional: true},
		{name: "schema_release", types: text, value: func(r Row) any { return r.SchemaRelease }, optional: true},
		{name: "engine_release", types: text, value: func(r Row) any { return r.EngineRelease }, optional: true},
	}
}

// insertSettings are sent with every inserted row.
//
// self_hosted: the row is acknowledged when a majority of the replicas has it
// (insert_quorum), one insert after the other (insert_quorum_parallel = 0), which is
// what makes a sequential read possible at all, and fails after KeepWithin. Without
// async_insert = 0 a profile could make the server acknowledge what it only buffers.
//
// embedded: one node is its own majority. A plain MergeTree accepts the quorum
// settings and has no use for them; they are sent all the same, so that what tests
// run is what clusters get.
//
// cloud: the service is the quorum: inserts into a Shared engine are acknowledged
// by a majority of its Keeper, and insert_quorum does not apply to it.
// https://clickhouse.com/docs/reference/settings/session-settings/insert-quorum
func insertSettings(p rules.Platform) map[string]any {
	s := map[string]any{"async_insert": 0}
	if p != rules.Cloud {
		s["insert_quorum"] = "auto"
		s["insert_quorum_parallel"] = 0
		s["insert_quorum_timeout"] = KeepWithin.Milliseconds()
	}
	return s
}

// readSettings are sent with every read, on every platform: a member that lacks
// what a majority has fails the read (289) or, on Cloud, fetches it from Keeper
// first. Parallel replicas would read from members that were not asked. The driver
// adds max_execution_time: what is left of the context's time and 5 s.
func readSettings() clickhouse.Settings {
	return clickhouse.Settings{"select_sequential_consistency": 1, "max_parallel_replicas": 1}
}

// readRows folds the rows of a scope to what the lease needs of them: the latest
// row of each claim that has no release, and the highest epoch of those that have
// one. A claim that stands tells its epoch itself: among the others one's own would
// pass for a rival's and be raised for nothing. The outer query is an aggregate
// without a key, whose answer is always one row: an answer that was cut off is not
// an empty one.
const readRows = `SELECT
    groupArrayIf((claim, latest_epoch, latest_sequence, latest_owner, latest_ttl, latest_time), released = 0),
    maxIf(latest_epoch, released = 1)
FROM
(
    SELECT
        claim_id AS claim,
        max(epoch) AS latest_epoch,
        max(sequence) AS latest_sequence,
        argMax(owner, sequence) AS latest_owner,
        max(ttl_ms) AS latest_ttl,
        argMax(toUnixTimestamp64Milli(owner_time), sequence) AS latest_time,
        max(action = 'release') AS released
    FROM %s
    WHERE scope = {scope:String}
    GROUP BY claim_id
)`

// Insert stores one row. See Store.
func (c *ClickHouse) Insert(ctx context.Context, row Row) error {
	var (
		names  []string
		values []any
	)
	for _, col := range c.columns {
		names, values = append(names, col.name), append(values, col.value(row))
	}
	into := Table().SQL() + " (" + strings.Join(names, ", ") + ")"
	// No query id: an insert over HTTP first asks for the table's columns, and the
	// server may still count that query as running when the same id comes again (216).
	if err := c.conn.Insert(ctx, into, "", insertSettings(c.platform), [][]any{values}); err != nil {
		if e, answered := catalog.Exception(err); answered {
			return fmt.Errorf("the %s of the lease was not acknowledged: the server answers %s", row.Action, catalog.ServerMessage(e))
		}
		return fmt.Errorf("it is not known whether the %s of the lease was stored: %w", row.Action, err)
	}
	return nil
}

// Read returns the rows that matter. See Store.
func (c *ClickHouse) Read(ctx context.Context, scope string) ([]Row, error) {
	ctx, cancel := context.WithTimeout(ctx, ReadTimeout)
	defer cancel()
	ctx = clickhouse.Context(ctx, clickhouse.WithSettings(readSettings()))
	var rows []Row
	query := fmt.Sprintf(readRows, Table().SQL())
	err := c.conn.Select(ctx, query, []any{clickhouse.Named("scope", scope)}, func(scan func(...any) error) error {
		var (
			claims [][]any
			epoch  uint64
		)
		if err := scan(&claims, &epoch); err != nil {
			return err
		}
		for _, claim := range claims {
			row, err := readRow(scope, claim)
			if err != nil {
				return err
			}
			rows = append(rows, row)
		}
		// What has been released is one row, for its epoch.
		rows = append(rows, Row{Scope: scope, Action: Release, Epoch: epoch})
		return nil
	})
	if err == nil && len(rows) == 0 {
		err = errors.New("the answer has no row")
	}
	if err != nil {
		return nil, &catalog.ReadError{What: "the claims of the lease", Err: err}
	}
	return rows, nil
}

// readRow takes one claim's tuple apart.
func readRow(scope string, claim []any) (Row, error) {
	row := Row{Scope: scope, Action: Claim}
	if len(claim) != 6 {
		return row, fmt.Errorf("a claim of %d values; want 6", len(claim))
	}
	var (
		ok   [6]bool
		ttl  uint32
		sent int64
	)
	row.ClaimID, ok[0] = claim[0].(string)
	row.Epoch, ok[1] = claim[1].(uint64)
	row.Sequence, ok[2] = claim[2].(uint64)
	row.Owner, ok[3] = claim[3].(string)
	ttl, ok[4] = claim[4].(uint32)
	sent, ok[5] = claim[5].(int64)
	if ok != [6]bool{true, true, true, true, true, true} {
		return row, &ShapeError{fmt.Sprintf("a claim reads as %v, %v, %v, %v, %v and %v, of types %T, %T, %T, %T, %T and %T",
			claim[0], claim[1], claim[2], claim[3], claim[4], claim[5], claim[0], claim[1], claim[2], claim[3], claim[4], claim[5])}
	}
	if row.Sequence > 0 {
		row.Action = Renew
	}
	row.TTL, row.Sent = time.Duration(ttl)*time.Millisecond, time.UnixMilli(sent).UTC()
	return row, nil
}
