package trial

import (
	"regexp"
	"strings"

	"github.com/dfe-engine/dfe/ast"
)

// place finds the part of an object that a server's message is about: a column, index, projection, constraint or setting it
// names, else a clause it speaks of, else the engine or the query.
func place(o ast.Object, message string) (ast.Path, *ast.Node) {
	switch o := o.(type) {
	case *ast.Table:
		return tablePlace(o, message)
	case *ast.View:
		return ast.Path{Part: "query"}, named(o.Query, message)
	case *ast.MaterializedView:
		return ast.Path{Part: "query"}, named(o.Query, message)
	}
	return ast.Path{}, nil
}

func tablePlace(t *ast.Table, message string) (ast.Path, *ast.Node) {
	lower := strings.ToLower(message)
	for _, i := range t.Indexes {
		if strings.Contains(lower, "index") && names(message, i.Name) {
			return ast.Path{Part: "index", Name: i.Name, Attr: "type"}, i.Type
		}
	}
	for _, p := range t.Projections {
		if strings.Contains(lower, "projection") && names(message, p.Name) {
			return ast.Path{Part: "projection", Name: p.Name, Attr: "query"}, p.Query
		}
	}
	for _, c := range t.Constraints {
		if strings.Contains(lower, "constraint") && names(message, c.Name) {
			return ast.Path{Part: "constraint", Name: c.Name, Attr: "expr"}, c.Expr
		}
	}
	for _, s := range t.Settings {
		if strings.Contains(lower, "setting") && names(message, s.Name) {
			return ast.Path{Part: "setting", Name: s.Name}, s.Value
		}
	}
	for _, clause := range []struct {
		words, part string
		node        *ast.Node
	}{
		{"sorting key", "order_by", t.OrderBy}, {"order by", "order_by", t.OrderBy}, {"partition key", "partition_by", t.PartitionBy},
		{"primary key", "primary_key", t.PrimaryKey}, {"sampling", "sample_by", t.SampleBy}, {"ttl expression", "ttl", t.TTL},
		{"projections are", "projection", firstProjection(t)},
	} {
		if clause.node != nil && strings.Contains(lower, clause.words) {
			if clause.part == "projection" {
				return ast.Path{Part: "projection", Name: t.Projections[0].Name, Attr: "query"}, clause.node
			}
			return ast.Path{Part: clause.part}, nil
		}
	}
	if c := columnNamed(t, message); c != nil {
		return columnPlace(c, lower)
	}
	return ast.Path{Part: "engine"}, nil
}

func firstProjection(t *ast.Table) *ast.Node {
	if len(t.Projections) == 0 {
		return nil
	}
	return t.Projections[0].Query
}

// columnPlace is the attribute of a column that the message speaks of.
func columnPlace(c *ast.Column, lower string) (ast.Path, *ast.Node) {
	path := func(attr string) ast.Path { return ast.Path{Part: "column", Name: c.Name, Attr: attr} }
	switch {
	case c.Codec != nil && strings.Contains(lower, "codec"):
		return path("codec"), c.Codec
	case c.TTL != nil && strings.Contains(lower, "ttl"):
		return path("ttl"), c.TTL
	case c.Default != nil && (strings.Contains(lower, "default expression") || strings.Contains(lower, "in scope")):
		return path("default"), c.Default
	}
	return path("type"), c.Type
}

// columnNamed is the one column the message names. A message about a codec or a type names no column: where one column
// alone has it, that is the one.
func columnNamed(t *ast.Table, message string) *ast.Column {
	var best *ast.Column
	for _, c := range t.Columns {
		// The server gives a default it tries the column's name and a suffix.
		if (names(message, c.Name) || strings.Contains(message, " AS "+c.Name+"_tmp_alter")) && (best == nil || len(c.Name) > len(best.Name)) {
			best = c
		}
	}
	if best != nil {
		return best
	}
	word := ""
	if m := mentionedCodec.FindStringSubmatch(message); m != nil {
		word = strings.Trim(m[1]+m[2], "'")
	}
	for _, c := range t.Columns {
		has := false
		c.Codec.Walk(func(n *ast.Node) bool {
			has = has || word != "" && n.Text == word
			return !has
		})
		if has && best != nil {
			return nil
		}
		if has {
			best = c
		}
	}
	return best
}

var mentionedCodec = regexp.MustCompile(`[Cc]odec ('?\w+'?) (?:is|cannot|does)|(\w+) codec is`)

// names reports that a message mentions a name as one: in quotes, in parentheses, or behind the word that says what it is.
func names(message, name string) bool {
	quoted := regexp.QuoteMeta(name)
	found, err := regexp.MatchString("[`'\"(]"+quoted+"[`'\")]|\\b[Cc]olumns? "+quoted+"\\b|\\bidentifier "+quoted+"\\b|: "+quoted+"\\.", message)
	return err == nil && found
}

// named is the identifier of a query that the message mentions.
func named(query *ast.Node, message string) *ast.Node {
	at := query
	query.Walk(func(n *ast.Node) bool {
		if at == query && (n.Kind == ast.Ident || n.Kind == ast.Func) && n.Text != "" && names(message, n.Text) {
			at = n
		}
		return at == query
	})
	return at
}
