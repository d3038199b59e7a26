package lease

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// Platform says which server the lease table lives on. The values are those of the
// rendering.
type Platform string

// The platforms. What each is sent is in settings.
const (
	SelfHosted Platform = "self_hosted"
	Cloud      Platform = "cloud"
	Embedded   Platform = "embedded"
)

// ClickHouse is the store of the lease in dfe.schema_lock.
//
// One row goes into each statement, so that one row is one block and is stored or
// not as a whole. What is not known to be stored counts as neither: the caller
// never sends a row again.
type ClickHouse struct {
	conn     driver.Conn
	platform Platform
}

// NewClickHouse returns the store. The connection is for the lease alone: it must
// carry no settings of its own, and have room for two statements at a time, so that
// a renewal waits neither behind DDL nor behind an insert that has been given up.
// It stays the caller's to close, after the last lease has ended.
func NewClickHouse(conn driver.Conn, platform Platform) (*ClickHouse, error) {
	switch platform {
	case SelfHosted, Cloud, Embedded:
		return &ClickHouse{conn: conn, platform: platform}, nil
	}
	return nil, fmt.Errorf("lease: platform %q is none of %s, %s, %s", platform, SelfHosted, Cloud, Embedded)
}

// insertSettings are sent with every inserted row.
//
// self_hosted: the row is acknowledged when a majority of the replicas has it
// (insert_quorum), one insert after the other (insert_quorum_parallel = 0), which is
// what makes a sequential read possible at all. It fails after KeepWithin. Without
// async_insert = 0 a profile could make the server acknowledge what it only buffers.
//
// embedded: one node is its own majority. A plain MergeTree accepts the quorum
// settings and has no use for them; they are sent all the same, so that what tests
// run is what clusters get.
//
// cloud: the service is the quorum: inserts into a Shared engine are acknowledged
// by a majority of its Keeper, and insert_quorum does not apply to it.
// https://clickhouse.com/docs/reference/settings/session-settings/insert-quorum
func insertSettings(p Platform) clickhouse.Settings {
	s := clickhouse.Settings{"async_insert": 0}
	if p != Cloud {
		s["insert_quorum"] = "auto"
		s["insert_quorum_parallel"] = 0
		s["insert_quorum_timeout"] = KeepWithin.Milliseconds()
	}
	return s
}

// readSettings are sent with every read, on every platform: a member that lacks
// what a majority has fails the read (289) or, on Cloud, fetches it from Keeper
// first. Parallel replicas would read from members that were not asked.
func readSettings() clickhouse.Settings {
	return clickhouse.Settings{"select_sequential_consistency": 1, "max_parallel_replicas": 1}
}

const insertRow = `INSERT INTO dfe.schema_lock
(scope, epoch, claim_id, sequence, action, owner, ttl_ms, owner_time, pass_id, schema_release, engine_release)`

// readRows folds the rows of a scope to what the lease needs of them: the latest
// row of each claim that has no release, and the highest epoch of all. It is an
// aggregate without a key, whose answer is always one row: an answer that was cut
// off is not an empty one.
const readRows = `SELECT
    groupArrayIf((claim, latest_epoch, latest_sequence, latest_owner, latest_ttl, latest_time), released = 0),
    max(latest_epoch)
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
    FROM dfe.schema_lock
    WHERE scope = {scope:String}
    GROUP BY claim_id
)`

// Insert stores one row. See Store.
func (c *ClickHouse) Insert(ctx context.Context, row Row) error {
	ctx = clickhouse.Context(ctx, clickhouse.WithSettings(insertSettings(c.platform)))
	batch, err := c.conn.PrepareBatch(ctx, insertRow)
	if err != nil {
		return fmt.Errorf("insert %s: %w", row, err)
	}
	err = batch.Append(row.Scope, row.Epoch, row.ClaimID, row.Sequence, string(row.Action), row.Owner,
		uint32(row.TTL.Milliseconds()), row.Sent, row.Pass, row.SchemaRelease, row.EngineRelease)
	if err != nil {
		return fmt.Errorf("insert %s: %w", row, errors.Join(err, batch.Close()))
	}
	if err := batch.Send(); err != nil {
		return fmt.Errorf("insert %s: %w", row, err)
	}
	return nil
}

// Read returns the rows that matter. See Store.
func (c *ClickHouse) Read(ctx context.Context, scope string) ([]Row, error) {
	ctx = clickhouse.Context(ctx, clickhouse.WithSettings(readSettings()))
	var claims [][]any
	var epoch uint64
	err := c.conn.QueryRow(ctx, readRows, clickhouse.Named("scope", scope)).Scan(&claims, &epoch)
	if err != nil {
		return nil, fmt.Errorf("read the claims of lease %q: %w", scope, err)
	}
	rows := make([]Row, 0, len(claims)+1)
	for _, claim := range claims {
		row, err := readRow(scope, claim)
		if err != nil {
			return nil, fmt.Errorf("read the claims of lease %q: %w", scope, err)
		}
		rows = append(rows, row)
	}
	// What has been released is one row, for its epoch.
	return append(rows, Row{Scope: scope, Action: Release, Epoch: epoch}), nil
}

// readRow takes one claim's tuple apart.
func readRow(scope string, claim []any) (Row, error) {
	row := Row{Scope: scope, Action: Claim}
	if len(claim) != 6 {
		return row, fmt.Errorf("a claim of %d values; want 6", len(claim))
	}
	var ok [6]bool
	var ttl uint32
	var sent int64
	row.ClaimID, ok[0] = claim[0].(string)
	row.Epoch, ok[1] = claim[1].(uint64)
	row.Sequence, ok[2] = claim[2].(uint64)
	row.Owner, ok[3] = claim[3].(string)
	ttl, ok[4] = claim[4].(uint32)
	sent, ok[5] = claim[5].(int64)
	if ok != [6]bool{true, true, true, true, true, true} {
		return row, fmt.Errorf("dfe.schema_lock has not the column types of its release: a claim reads as %v (%T, %T, %T, %T, %T, %T)",
			claim, claim[0], claim[1], claim[2], claim[3], claim[4], claim[5])
	}
	if row.Sequence > 0 {
		row.Action = Renew
	}
	row.TTL, row.Sent = time.Duration(ttl)*time.Millisecond, time.UnixMilli(sent).UTC()
	return row, nil
}
