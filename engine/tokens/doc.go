// Package tokens says who may call a route that changes something: bearer tokens, of which a file of the deployment
// keeps the hashes.
//
//	token "ci" {
//	  hash          = "sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
//	  permissions   = ["source.deploy"]
//	  organisations = ["acme"] # optional: the only ones it may deploy for
//	}
//
// A token is made by [New] out of 32 random bytes. That is why one SHA-256 is enough: a slow hash protects what people
// choose and others may guess, and nobody guesses 256 bits; it would cost every call its time, those of an attacker
// included. A token that was not made here is not accepted, so that none is ever one that people chose.
//
// [Find] compares a token with every hash, each in constant time. A [File] looks at its file at every call, so that a
// token that is taken out is refused from then on; while the file cannot be read or has a fault nobody has access. The
// package never logs, and no error holds what stands in a hash or was presented as a token.
package tokens
