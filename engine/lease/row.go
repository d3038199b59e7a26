package lease

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"time"
)

// Action is what a row of the lease table says about its claim.
type Action string

// The actions, in the words of the table's Enum8.
const (
	Claim   Action = "claim"
	Renew   Action = "renew"
	Release Action = "release"
)

// Row is one row of the lease table. ClaimID and Sequence together are unique, so
// that no two inserted blocks are equal: ClickHouse acknowledges an equal block
// and stores nothing.
type Row struct {
	Scope    string // what the lease guards
	Epoch    uint64 // larger for every later holder of a scope
	ClaimID  string // random; the smallest standing one wins
	Sequence uint64 // of this row within its claim, from 0
	Action   Action
	Owner    string        // who wrote the row, for people to find it
	TTL      time.Duration // how long the claim stands after this row was first seen
	Sent     time.Time     // the writer's own clock; shown to people, never compared

	Pass          string // the pass the claim was made for
	SchemaRelease string // what the owner wants to apply
	EngineRelease string // of the owner
}

// Store writes and reads the rows of the lease. Both calls return soon after
// their context is done, and may be called at the same time.
type Store interface {
	// Insert stores one row on a majority of the members. Any error means that the
	// row may be stored, now or later.
	Insert(ctx context.Context, row Row) error

	// Read returns one row of each claim of the scope: its release if it has one,
	// else the row with its highest sequence. It shows what was stored FollowerLag
	// before the call and may show more. Claims with a release may be folded into one
	// row without an id, which carries the highest epoch. An error says nothing about
	// the lease.
	Read(ctx context.Context, scope string) ([]Row, error)
}

// newClaimID returns 128 random bits as 32 hexadecimal digits.
func newClaimID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // crypto/rand does not fail: it ends the program
	return hex.EncodeToString(id[:])
}

func (r Row) String() string {
	return fmt.Sprintf("%s %s/%d epoch %d by %s", r.Action, r.ClaimID, r.Sequence, r.Epoch, r.Owner)
}
