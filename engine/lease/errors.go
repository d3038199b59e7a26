package lease

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrLagging is the cause of a read that shows less than this client knew to be
// stored for longer than FollowerLag. Such a read counts as failed.
var ErrLagging = errors.New("the member's answer lags by more than " + FollowerLag.String() +
	": its Keeper follower is behind; look at the member's Keeper")

// ErrUnresolved is why a release is not sent: a statement's outcome is unknown, and
// the next holder must not start before it can no longer arrive.
var ErrUnresolved = errors.New("a statement's outcome is unknown")

// errGone is the end of a machine whose caller went away; Acquire returns the
// context's own error.
var errGone = errors.New("the caller went away")

// ObservedError says that the lease could not be had until the wait ran out. It
// names the holder, or how long the client's own claim took, or why no read said
// anything.
type ObservedError struct {
	Scope       string
	Waited      time.Duration
	Holder      string        // owner of the claim that stands; empty if none was seen last
	HolderClaim string        // its id
	HolderSeen  time.Duration // how long ago its latest row was first seen here
	ClaimTook   time.Duration // of the last claim of this client that was not kept; zero if none
	Cause       error         // of the last operation, if it failed
}

// majority is what an operator looks at where a claim is not acknowledged in time.
const majority = "a majority of the members has to answer, both of two: see whether one is down, and look at their load and Keeper's"

func (e *ObservedError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the lease %q could not be had within %s", e.Scope, e.Waited.Round(time.Second))
	switch {
	case e.Holder != "":
		fmt.Fprintf(&b, ": held by %s (claim %s, last seen to act %s ago); wait for it, or for %s after it stops",
			e.Holder, e.HolderClaim, e.HolderSeen.Round(time.Second), TTL)
	case e.ClaimTook >= KeepWithin:
		fmt.Fprintf(&b, ": a claim took %s, and one is kept only within %s of the read before it; %s", e.ClaimTook.Round(time.Millisecond), KeepWithin, majority)
	case e.ClaimTook > 0:
		fmt.Fprintf(&b, ": a claim, which took %s, was not acknowledged; %s", e.ClaimTook.Round(time.Millisecond), majority)
	case e.Cause != nil:
		b.WriteString(": no read of the claims was answered; wait longer for it, or correct what the answer names")
	}
	if e.Cause != nil {
		fmt.Fprintf(&b, " (last answer: %v)", e.Cause)
	}
	return b.String()
}

// ErrorCode is the error as one word.
func (e *ObservedError) ErrorCode() string { return "schema_locked" }

func (e *ObservedError) Unwrap() error { return e.Cause }

// LostError says that a lease ended without its holder's doing: the holder's own
// count ran out before a renewal was acknowledged.
type LostError struct {
	Scope   string
	ClaimID string
	Clock   string // the clocks that said so
	Cause   error  // of the last renewal, if it failed
}

func (e *LostError) Error() string {
	s := fmt.Sprintf("the lease %q (claim %s) is lost: %s passed by the %s clock since the last renewal that counts was sent; take it anew",
		e.Scope, e.ClaimID, TTL, e.Clock)
	if e.Cause != nil {
		s += fmt.Sprintf(" (last answer: %v)", e.Cause)
	}
	return s
}

// ErrorCode is the error as one word.
func (e *LostError) ErrorCode() string { return "lease_lost" }

func (e *LostError) Unwrap() error { return e.Cause }

// ReleaseError says that a lease was not released and lapses by itself: the next
// holder waits for up to TTL and FollowerLag longer.
type ReleaseError struct {
	Scope   string
	ClaimID string
	Cause   error // ErrUnresolved, or why the release was not acknowledged
}

func (e *ReleaseError) Error() string {
	return fmt.Sprintf("the lease %q (claim %s) was not released and lapses within %s: %v",
		e.Scope, e.ClaimID, TTL+FollowerLag, e.Cause)
}

func (e *ReleaseError) Unwrap() error { return e.Cause }
