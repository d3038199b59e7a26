package ledger

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Hasher remembers values that nobody may read: as HMAC-SHA-256 under a key that is not in the ledger, with a salt for each,
// so that equal values do not look alike.
type Hasher struct{ key []byte }

const (
	hashVersion = "1"
	saltBytes   = 8
	markBytes   = 4 // of the key's mark
)

// NewHasher returns a hasher with a key of any length. One without a key protects a value by nothing but its own
// randomness.
func NewHasher(key []byte) Hasher { return Hasher{hmacOf(key, "dfe ledger value hash")} }

// Hash returns what is remembered of a value that stands at a path: version, mark of the key, salt and HMAC, all but the
// first in hex, with dots between them.
func (h Hasher) Hash(path, value string) string {
	var salt [saltBytes]byte
	_, _ = rand.Read(salt[:]) // crypto/rand does not fail
	return h.with(hex.EncodeToString(salt[:]), path, value)
}

func (h Hasher) with(salt, path, value string) string {
	mark := hex.EncodeToString(hmacOf(h.key, "mark")[:markBytes])
	return strings.Join([]string{hashVersion, mark, salt, hex.EncodeToString(hmacOf(h.key, salt+"\x00"+path+"\x00"+value))}, ".")
}

// Same reports whether a value is the remembered one. known is false where that cannot be told: nothing is remembered, or it
// was remembered under another key.
func (h Hasher) Same(remembered, path, value string) (same, known bool) {
	parts := strings.Split(remembered, ".")
	if len(parts) != 4 || parts[0] != hashVersion {
		return false, false
	}
	again := h.with(parts[2], path, value)
	if !strings.HasPrefix(again, hashVersion+"."+parts[1]+".") {
		return false, false
	}
	return hmac.Equal([]byte(again), []byte(remembered)), true
}

func hmacOf(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
