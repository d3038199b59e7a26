package ident

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Most is the length of a shortened name, in bytes; any other name is shorter. ClickHouse keeps the definition of a
// dropped table in a file DATABASE.TABLE.UUID.sql, which a file system holds to 255 bytes: two names with a prefix of 16
// bytes and a suffix of 44 still fit. A topic of two names and such a suffix fits Kafka's 249.
const Most = 64

const (
	// shown is how much of a name is kept, at most, when it is shortened: all else are digits of the hash, 40 at least.
	shown = 23
	// separator joins names. It is part of none.
	separator = "__"
)

// Longest is how long an id may be, in bytes.
const Longest = 512

// Fault says why a text is no id, as in "an id is not empty"; "" where it is one.
func Fault(id string) string {
	switch {
	case id == "":
		return "is not empty"
	case len(id) > Longest:
		return fmt.Sprintf("has at most %d bytes", Longest)
	case !utf8.ValidString(id) || strings.ContainsRune(id, 0):
		return "is text in UTF-8 without a zero byte"
	case strings.ContainsRune(id, utf8.RuneError):
		// Parsers put it for what is no text, half a surrogate pair for one: ids that differ there would be one.
		return "has no U+FFFD, which stands where text was lost"
	}
	return ""
}

// Of returns the name of an id. An empty id has none: it is "", which the caller refuses.
func Of(id string) string {
	name := make([]byte, 0, Most)
	cut := 0 // the end of the last whole piece that may be shown
	for i := 0; i < len(id) && len(name) < Most; i++ {
		if len(name) <= shown {
			cut = len(name)
		}
		name = appendByte(name, id, i)
	}
	if len(name) < Most {
		return string(name)
	}
	sum := sha256.Sum256([]byte(id))
	short := strings.TrimSuffix(string(name[:cut]), "_") + "_"
	return short + hex.EncodeToString(sum[:])[:Most-len(short)]
}

// appendByte writes the byte at i of an id behind what was written of those before it.
func appendByte(name []byte, id string, i int) []byte {
	const digits = "0123456789abcdef"
	c, stays := id[i], false
	switch {
	case c == 'x':
		stays = !escapes(id[i:])
	case c >= 'a' && c <= 'z':
		stays = true
	case c >= '0' && c <= '9':
		stays = i > 0
	case c == '_':
		stays = i > 0 && i < len(id)-1 && name[len(name)-1] != '_'
	}
	if stays {
		return append(name, c)
	}
	return append(name, 'x', digits[c>>4], digits[c&15])
}

// escapes reports a text that begins with x and two digits.
func escapes(s string) bool { return len(s) > 2 && s[0] == 'x' && value(s[1]) >= 0 && value(s[2]) >= 0 }

// value is that of a hexadecimal digit, lower case; -1 for any other byte.
func value(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	}
	return -1
}

// What a name is that says no id.
var (
	ErrShortened = errors.New("the name is shortened and does not say its id")
	ErrNoName    = errors.New("no id has this name")
)

// ID returns the id of a name. The error is [ErrShortened] or [ErrNoName].
func ID(name string) (string, error) {
	if len(name) == Most {
		return "", ErrShortened
	}
	id := make([]byte, 0, len(name))
	for i := 0; i < len(name); i++ {
		if !escapes(name[i:]) {
			id = append(id, name[i])
			continue
		}
		id = append(id, byte(value(name[i+1])<<4|value(name[i+2])))
		i += 2
	}
	if len(id) == 0 || Of(string(id)) != name {
		return "", ErrNoName
	}
	return string(id), nil
}

// Join joins names, or words without two underscores in a row or one at either end, so that other parts never give the
// same text.
func Join(names ...string) string { return strings.Join(names, separator) }

// Split is the way back from [Join].
func Split(joined string) []string { return strings.Split(joined, separator) }
