package ledger_test

import (
	"strings"
	"testing"

	"github.com/dfe-engine/dfe/engine/ledger"
)

func TestARememberedValueIsKnownAgainAndNotShown(t *testing.T) {
	h := ledger.NewHasher([]byte("key"))
	first, second := h.Hash("key.password", "open sesame"), h.Hash("key.password", "open sesame")
	if first == second {
		t.Error("equal values look alike")
	}
	if strings.Contains(first, "sesame") {
		t.Error("the value is in the hash")
	}
	for _, c := range []struct {
		h                       ledger.Hasher
		remembered, path, value string
		same, known             bool
	}{
		{h, first, "key.password", "open sesame", true, true},
		{h, second, "key.password", "open sesame", true, true},
		{h, first, "key.password", "open barley", false, true},
		{h, first, "key.user", "open sesame", false, true},
		{ledger.NewHasher([]byte("another")), first, "key.password", "open sesame", false, false},
		{ledger.NewHasher(nil), first, "key.password", "open sesame", false, false},
		{h, "", "key.password", "open sesame", false, false},
		{h, "2.x.y.z", "key.password", "open sesame", false, false},
	} {
		if same, known := c.h.Same(c.remembered, c.path, c.value); same != c.same || known != c.known {
			t.Errorf("%s %s: same %t, known %t", c.path, c.value, same, known)
		}
	}
}
