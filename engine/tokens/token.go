package tokens

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
)

// Permission is what a token allows.
type Permission string

// The permissions, one for each kind of call.
const (
	// SourceDeploy allows to apply the configuration of a data source, SourcePlan to ask what that would do.
	SourceDeploy Permission = "source.deploy"
	SourcePlan   Permission = "source.plan"
)

// Permissions lists every permission.
func Permissions() []Permission { return []Permission{SourceDeploy, SourcePlan} }

// Token is one entry of a file.
type Token struct {
	Name        string
	Permissions []Permission
	// Organisations are the only ones the token is good for; nil: all.
	Organisations []string

	hash [sha256.Size]byte
}

// May reports whether the token allows a kind of call.
func (t *Token) May(p Permission) bool { return slices.Contains(t.Permissions, p) }

// For reports whether the token is good for an organisation.
func (t *Token) For(organisation string) bool {
	return t.Organisations == nil || slices.Contains(t.Organisations, organisation)
}

const (
	// prefix lets people and programs that look for leaked secrets know a token.
	prefix = "dfe_"
	// entropy is the size of what is random in a token, in bytes.
	entropy = 32
	// scheme begins the hash of a token.
	scheme = "sha256:"
)

// New makes a token. It is shown once and kept nowhere; the hash goes into the file.
func New() (token, hash string) {
	var random [entropy]byte
	_, _ = rand.Read(random[:]) // crypto/rand does not fail
	token = prefix + base64.RawURLEncoding.EncodeToString(random[:])
	sum := sha256.Sum256([]byte(token))
	return token, scheme + hex.EncodeToString(sum[:])
}

// made reports a text that [New] can have made.
func made(token string) bool {
	text, ok := strings.CutPrefix(token, prefix)
	random, err := base64.RawURLEncoding.Strict().DecodeString(text)
	return ok && err == nil && len(random) == entropy
}

// Find returns the token that was presented, or nil. It takes as long whichever it is, and where it is none.
func Find(list []*Token, presented string) *Token {
	sum := sha256.Sum256([]byte(presented))
	var found *Token
	for _, t := range list {
		if subtle.ConstantTimeCompare(t.hash[:], sum[:]) == 1 {
			found = t
		}
	}
	if !made(presented) {
		return nil
	}
	return found
}
