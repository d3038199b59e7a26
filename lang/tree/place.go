package tree

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2"

	"github.com/dfe-engine/dfe/ast"
)

// places knows where the parts of an object were written. They are set down one after the other, for every object, and
// looked up by their path only where there is something to say.
type places struct {
	entry hcl.Range
	file  text // the whole text of a .sql definition
	texts []rooted
	spots []spot

	indexed sync.Once
	textsOf map[ast.Path][]rooted
	spotOf  map[ast.Path]hcl.Range
}

// rooted is a text and the tree it was parsed into. A key or a TTL is made of several.
type rooted struct {
	text
	path ast.Path
	root *ast.Node
}

type spot struct {
	path ast.Path
	at   hcl.Range
}

func (p *places) setText(path ast.Path, t text, root *ast.Node) {
	p.texts = append(p.texts, rooted{t, path, root})
}

// grow makes room for so many texts and spots more.
func (p *places) grow(texts, spots int) {
	p.texts, p.spots = slices.Grow(p.texts, texts), slices.Grow(p.spots, spots)
}

// index makes the places known by their path.
func (p *places) index() {
	p.textsOf, p.spotOf = make(map[ast.Path][]rooted, len(p.texts)), make(map[ast.Path]hcl.Range, len(p.spots))
	for _, t := range p.texts {
		p.textsOf[t.path] = append(p.textsOf[t.path], t)
	}
	for _, s := range p.spots {
		p.spotOf[s.path] = s.at
	}
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
	p.spots = append(p.spots, spot{path, at})
}

// Place returns where a part or attribute of the object is written. node, when not nil, narrows it to a node of that
// value's tree as it was parsed; of an object from a .sql file, only the node tells the place inside the file.
func (d *Declared) Place(path ast.Path, node *ast.Node) hcl.Range {
	d.places.indexed.Do(d.places.index)
	offset, length := -1, 0
	if node != nil {
		offset, length = int(node.Pos), nodeLength(node)
	}
	if texts := d.places.textsOf[path]; len(texts) > 0 {
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
	if texts := d.places.textsOf[part]; len(texts) > 0 {
		return texts[0].whole()
	}
	for _, p := range []ast.Path{path, part} {
		if at, ok := d.places.spotOf[p]; ok {
			return at
		}
	}
	return d.places.entry
}

// keywords are the words that open the clause of a part the statement has once.
var keywords = map[string]string{"engine": "ENGINE", "order_by": "ORDER BY", "primary_key": "PRIMARY KEY",
	"partition_by": "PARTITION BY", "sample_by": "SAMPLE BY", "unique_key": "UNIQUE KEY", "ttl": "TTL", "comment": "COMMENT", "query": "SELECT"}

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
