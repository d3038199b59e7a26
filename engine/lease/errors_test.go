package lease_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/dfe-engine/dfe/engine/lease"
)

func TestALeaseThatCouldNotBeHadIsToldByWhatStoodInTheWay(t *testing.T) {
	refused := errors.New("the server answers code 285")
	for _, c := range []struct {
		what       *lease.ObservedError
		told, kept string // kept back: what would lead away from the cause
	}{
		{&lease.ObservedError{Holder: "pod-2", ClaimTook: time.Second}, "held by pod-2", "majority"},
		{&lease.ObservedError{ClaimTook: 3 * time.Second}, "a claim took 3s, and one is kept only within 2s of the read before it; a majority of the members has to answer", "acknowledged"},
		{&lease.ObservedError{ClaimTook: 108 * time.Millisecond, Cause: refused}, "a claim, which took 108ms, was not acknowledged; a majority of the members has to answer, both of two", "kept only within"},
		{&lease.ObservedError{Cause: refused}, "no read of the claims was answered; wait longer for it", "majority"},
	} {
		c.what.Scope = "schema"
		text := c.what.Error()
		if !strings.Contains(text, c.told) || strings.Contains(text, c.kept) {
			t.Errorf("%q should tell %q, and nothing of %q", text, c.told, c.kept)
		}
		if c.what.Cause != nil && !strings.HasSuffix(text, "(last answer: the server answers code 285)") {
			t.Errorf("%q does not end in the last answer", text)
		}
	}
}
