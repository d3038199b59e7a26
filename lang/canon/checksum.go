package canon

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strconv"

	"github.com/dfe-engine/dfe/ast"
)

// substreamMarks is the setting a platform decides (DESIGN.md, section 5).
const substreamMarks = "write_marks_for_substreams_in_compact_parts"

// Checksum returns SHA-256 in hex of a canonical object with the platform token removed: the Replicated or Shared prefix of an
// engine and its arguments, the engine of a database, and the setting that platforms differ in. One schema has one checksum on
// every platform. The object must be what [Object] returned.
func Checksum(o ast.Object) string {
	h := sha256.New()
	id := o.ID()
	words(h, string(o.Kind()), id.Database, id.Name)
	for _, p := range o.Parts() {
		if p.Name == substreamMarks && (p.Kind == "setting" || p.Kind == "inner_setting") || o.Kind() == ast.KindDatabase && p.Kind == "engine" {
			continue
		}
		words(h, "part", p.Kind, p.Name)
		for _, a := range p.Attrs {
			if a.Name != "replication" {
				words(h, "attr", a.Name)
				tree(h, a.Value)
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// tree writes a node so that no two trees have the same bytes.
func tree(h hash.Hash, n *ast.Node) {
	if n == nil {
		words(h, "nil")
		return
	}
	words(h, strconv.Itoa(int(n.Kind)), n.Text, strconv.Itoa(len(n.Kids)))
	for _, k := range n.Kids {
		tree(h, k)
	}
}

// words writes each word behind its length.
func words(h hash.Hash, list ...string) {
	var buffer [20]byte
	for _, w := range list {
		h.Write(append(strconv.AppendInt(buffer[:0], int64(len(w)), 10), ':'))
		h.Write([]byte(w))
	}
}
