package tree

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/dfe-engine/dfe/ast"
)

// partBlocks are the blocks a table and an included file share.
var partBlocks = map[string]int{"column": 1, "index": 1, "projection": 1, "constraint": 1}

var includeShape = shape{what: "an included file", attrs: []string{"include", "drop"}, blocks: partBlocks}

// part is one column, index, projection or constraint on its way into a table.
type part struct {
	kind, name string
	block      *hclsyntax.Block
	scope      *scope
}

// at is where its name stands.
func (p part) at() hcl.Range { return p.block.LabelRanges[0] }

// parts collects the blocks of a table's body in order: what its includes bring, less what it drops, then its own. path
// holds the files being read, outermost first.
func (s *scope) parts(d *definition, c content, path []string) []part {
	included := s.included(d, c, path)
	included = s.drop(c, included)
	included = slices.Grow(included, len(c.blocks))
	seen := make(map[[2]string]int, cap(included)) // where it is among the included
	for i, p := range included {
		seen[[2]string{p.kind, p.name}] = i
	}
	for _, block := range c.blocks {
		if partBlocks[block.Type] == 0 {
			continue
		}
		p := part{kind: block.Type, name: block.Labels[0], block: block, scope: s}
		key := [2]string{p.kind, p.name}
		if first, twice := seen[key]; twice {
			s.twice(p, included[first])
			continue
		}
		seen[key] = len(included)
		included = append(included, p)
	}
	return included
}

func (s *scope) twice(p, first part) {
	advice := "Remove one of the two."
	if first.at().Filename != p.at().Filename {
		advice = fmt.Sprintf("To replace what the include brings, drop it first: drop = [%q].", p.name)
	}
	s.fault(CodeDuplicate, p.at(), fmt.Sprintf("%s %q is declared twice", capital(p.kind), p.name),
		fmt.Sprintf("It was declared at %s:%d. %s", first.at().Filename, first.at().Start.Line, advice))
}

func (s *scope) included(d *definition, c content, path []string) []part {
	files, _, _ := s.texts(c.attrs["include"])
	var out []part
	seen := map[[2]string]part{}
	for _, file := range files {
		inner, ok, bad := d.loader.header(s, file.value)
		if bad != nil {
			d.loader.badFile(d.declared, file.whole(), bad)
			continue
		}
		src := inner.source
		if i := slices.Index(path, src.name); i >= 0 {
			loop := append(slices.Clone(path[i:]), src.name)
			s.fault(CodeInclude, file.whole(), "Includes loop", strings.Join(loop, " includes ")+". Take one of the includes out.")
			continue
		}
		if len(path) > s.limits.IncludeDepth {
			s.fault(CodeLimit, file.whole(), "Includes nest too deeply", fmt.Sprintf("Includes may nest %d levels deep.", s.limits.IncludeDepth))
			continue
		}
		if !ok {
			d.declared.Broken = true
			continue
		}
		body := inner.read(src.body, src.span(0, 0), includeShape)
		for _, p := range inner.parts(d, body, append(slices.Clone(path), src.name)) {
			key := [2]string{p.kind, p.name}
			if first, twice := seen[key]; twice {
				s.fault(CodeDuplicate, file.whole(), fmt.Sprintf("Two includes bring %s %q", p.kind, p.name),
					fmt.Sprintf("It is declared at %s:%d and at %s:%d. Take it out of one of the files.", first.at().Filename, first.at().Start.Line, p.at().Filename, p.at().Start.Line))
				continue
			}
			seen[key] = p
			out = append(out, p)
		}
	}
	return out
}

// drop removes the named parts from what the includes brought.
func (s *scope) drop(c content, included []part) []part {
	names, _, _ := s.texts(c.attrs["drop"])
	for _, name := range names {
		kept := slices.DeleteFunc(slices.Clone(included), func(p part) bool { return p.name == name.value })
		if len(kept) == len(included) {
			known := make([]string, 0, len(included))
			for _, p := range included {
				known = append(known, p.name)
			}
			s.fault(CodeInclude, name.whole(), fmt.Sprintf("Nothing to drop under %q", name.value),
				fmt.Sprintf("No include brings a column, index, projection or constraint %q.", name.value)+suggest(name.value, known))
		}
		included = kept
	}
	return included
}

// into reads the parts into a table.
func (d *definition) into(t *ast.Table, parts []part) {
	attributes := len(d.content.attrs)
	for _, p := range parts {
		attributes += len(p.block.Body.Attributes)
	}
	d.declared.places.grow(attributes, len(parts))
	t.Columns = slices.Grow(t.Columns, len(parts))
	for _, p := range parts {
		switch p.kind {
		case "column":
			t.Columns = append(t.Columns, p.scope.column(d, p.block, columnShape))
		case "index":
			t.Indexes = append(t.Indexes, p.scope.index(d, p.block))
		case "projection":
			t.Projections = append(t.Projections, p.scope.projection(d, p.block))
		case "constraint":
			t.Constraints = append(t.Constraints, p.scope.constraint(d, p.block))
		}
	}
}
