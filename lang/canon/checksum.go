package canon

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/dfe-engine/dfe/ast"
)

// substreamMarks is the setting a platform decides (DESIGN.md, section 5).
const substreamMarks = "write_marks_for_substreams_in_compact_parts"

// Checksum returns SHA-256 in hex of a canonical object with the platform token removed: the Replicated or Shared prefix of an
// engine and its arguments, the engine of a database, and the setting that platforms differ in. One schema has one checksum on
// every platform. The object must be what [Object] returned.
func Checksum(o ast.Object) string {
	var buffer [4096]byte
	h := buffer[:0]
	id := o.ID()
	h = words(h, string(o.Kind()), id.Database, id.Name)
	for _, p := range o.Parts() {
		if p.Name == substreamMarks && (p.Kind == "setting" || p.Kind == "inner_setting") || o.Kind() == ast.KindDatabase && p.Kind == "engine" {
			continue
		}
		h = words(h, "part", p.Kind, p.Name)
		for _, a := range p.Attrs {
			if a.Name != "replication" {
				h = words(h, "attr", a.Name)
				h = tree(h, a.Value)
			}
		}
	}
	sum := sha256.Sum256(h)
	return hex.EncodeToString(sum[:])
}

// tree appends a node so that no two trees have the same bytes.
func tree(h []byte, n *ast.Node) []byte {
	if n == nil {
		return words(h, "nil")
	}
	h = words(h, strconv.Itoa(int(n.Kind)), n.Text, strconv.Itoa(len(n.Kids)))
	for _, k := range n.Kids {
		h = tree(h, k)
	}
	return h
}

// words appends each word behind its length.
func words(h []byte, list ...string) []byte {
	for _, w := range list {
		h = append(strconv.AppendInt(h, int64(len(w)), 10), ':')
		h = append(h, w...)
	}
	return h
}
