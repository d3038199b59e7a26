package tree

import (
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/dfe-engine/dfe/ast"
)

// places knows where the parts of an object were written.
type places struct {
	entry hcl.Range
	file  text // the whole text of a .sql definition
	texts map[ast.Path][]rooted
	spots map[ast.Path]hcl.Range
}

// rooted is a text and the tree it was parsed into. A key or a TTL is made of several.
type rooted struct {
	text
	root *ast.Node
}

func (p *places) setText(path ast.Path, t text, root *ast.Node) {
	if p.texts == nil {
		p.texts = map[ast.Path][]rooted{}
	}
	p.texts[path] = append(p.texts[path], rooted{t, root})
}

// holds tells whether a node is part of a tree.
func (r rooted) holds(node *ast.Node) bool {
	found := false
	r.root.Walk(func(n *ast.Node) bool {
		found = found || n == node
		return !found
	})
	return found
}

func (p *places) setSpot(path ast.Path, at hcl.Range) {
	if p.spots == nil {
		p.spots = map[ast.Path]hcl.Range{}
	}
	p.spots[path] = at
}

// Place returns where a part or attribute of the object is written. node, when not nil, narrows it to a node of that
// value's tree as it was parsed; of an object from a .sql file, only the node tells the place inside the file.
func (d *Declared) Place(path ast.Path, node *ast.Node) hcl.Range {
	offset, length := -1, 0
	if node != nil {
		offset, length = int(node.Pos), nodeLength(node)
	}
	if texts := d.places.texts[path]; len(texts) > 0 {
		i := slices.IndexFunc(texts, func(r rooted) bool { return r.holds(node) })
		if i < 0 {
			return texts[0].whole()
		}
		return texts[i].at(offset, length)
	}
	if file := d.places.file; file.source != nil {
		if offset < 0 {
			offset, length = keywordOf(path, file.value)
		}
		return file.at(offset, length)
	}
	part := ast.Path{Part: path.Part, Name: path.Name}
	if texts := d.places.texts[part]; len(texts) > 0 {
		return texts[0].whole()
	}
	for _, p := range []ast.Path{path, part} {
		if at, ok := d.places.spots[p]; ok {
			return at
		}
	}
	return d.places.entry
}

// keywords are the words that open the clause of a part the statement has once.
var keywords = map[string]string{"engine": "ENGINE", "order_by": "ORDER BY", "primary_key": "PRIMARY KEY",
	"partition_by": "PARTITION BY", "sample_by": "SAMPLE BY", "ttl": "TTL", "comment": "COMMENT", "query": "SELECT"}

// keywordOf finds the first mention of a part in a statement: its name, or the word that opens its clause.
func keywordOf(path ast.Path, statement string) (offset, length int) {
	word := path.Name
	if word == "" {
		word = keywords[path.Part]
	}
	if word == "" {
		return 0, 0
	}
	pattern := `(?i)\b` + strings.ReplaceAll(regexp.QuoteMeta(word), " ", `\s+`) + `\b`
	at, err := regexp.Compile(pattern)
	if err != nil {
		return 0, 0
	}
	if m := at.FindStringIndex(statement); m != nil {
		return m[0], m[1] - m[0]
	}
	return 0, 0
}

// nodeLength is how much of the source a fault marks: the word itself where the node is one.
func nodeLength(n *ast.Node) int {
	switch n.Kind {
	case ast.Ident:
		if len(n.Kids) > 0 {
			last := n.Kids[len(n.Kids)-1]
			if last.Pos >= n.Pos {
				return int(last.Pos-n.Pos) + nodeLength(last)
			}
		}
		if n.Quote {
			return len(n.Text) + 2
		}
		return len(n.Text)
	case ast.String:
		return len(ast.QuoteString(n.Text))
	case ast.Func, ast.Type, ast.Keyword, ast.Number, ast.NamedType:
		return len(n.Text)
	}
	return 1
}
