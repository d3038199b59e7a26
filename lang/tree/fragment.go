package tree

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/ddl"
)

// Each function parses one piece of ClickHouse text, reports a fault at its place in the file, and remembers where the
// tree came from.

func parseExpr(d *definition, t text, path ast.Path) *ast.Node {
	return d.parse(t, path, "expression", ddl.ParseExpr)
}

func parseType(d *definition, t text, path ast.Path) *ast.Node {
	return d.parse(t, path, "type", ddl.ParseType)
}

func parseCodec(d *definition, t text, path ast.Path) *ast.Node {
	return d.parse(t, path, "codec", ddl.ParseCodec)
}

func parseStatistics(d *definition, t text, path ast.Path) *ast.Node {
	return d.parse(t, path, "statistics", ddl.ParseStatistics)
}

func parseOrderBy(d *definition, t text, path ast.Path) *ast.Node {
	return d.parse(t, path, "key", ddl.ParseOrderBy)
}

func parseTTL(d *definition, t text, path ast.Path) *ast.Node {
	return d.parse(t, path, "TTL", ddl.ParseTTL)
}

func parseIndexType(d *definition, t text, path ast.Path) *ast.Node {
	return d.parse(t, path, "index type", ddl.ParseIndexType)
}

func parseQuery(d *definition, t text, path ast.Path) *ast.Node {
	return d.parse(t, path, "query", ddl.ParseQuery)
}

func parsePeriod(d *definition, t text, path ast.Path) *ast.Node {
	return d.parse(t, path, "period", ddl.ParsePeriod)
}

// fragment is a text and the grammar it is read by.
type fragment struct{ grammar, text string }

// sharedBytes is the longest text whose tree is kept for the next one like it. Types and codecs repeat in a tree of
// definitions, column by column, and nodes may be shared: they never change.
const sharedBytes = 128

func (d *definition) parse(t text, path ast.Path, grammar string, parse func(string) (*ast.Node, error)) *ast.Node {
	key := fragment{grammar, t.value}
	n, known := d.loader.fragments[key]
	if !known {
		var err error
		if n, err = parse(t.value); err != nil {
			d.syntax(t, err, grammar)
			return nil
		}
		if len(t.value) <= sharedBytes {
			d.loader.fragments[key] = n
		}
	}
	d.declared.places.setText(path, t, n)
	return n
}

func parseEngine(d *definition, t text) *ast.Engine {
	e, err := ddl.ParseEngine(t.value)
	if err != nil {
		d.syntax(t, err, "engine")
		return nil
	}
	root := ast.N(ast.List, "", e.Args...)
	d.declared.places.setText(ast.Path{Part: "engine"}, t, nil)
	d.declared.places.setText(ast.Path{Part: "engine", Attr: "args"}, t, root)
	return e
}

func parseSettings(d *definition, t text, path func(string) ast.Path) []ast.Setting {
	settings, err := ddl.ParseSettings(t.value)
	if err != nil {
		d.syntax(t, err, "settings")
		return nil
	}
	for _, s := range settings {
		d.declared.places.setText(path(s.Name), t, s.Value)
	}
	return settings
}

// syntax reports an error of the ClickHouse parser at its place in the file.
func (f *faults) syntax(t text, err error, what string) {
	var at *ddl.Error
	if !errors.As(err, &at) {
		f.fault(CodeSyntax, t.whole(), fmt.Sprintf("Syntax error in %s", what), err.Error()+".")
		return
	}
	found := at.Found
	if at.Offset < len(t.value) && strings.HasPrefix(t.value[at.Offset:], found) {
		found = strconv.Quote(found)
	}
	detail := fmt.Sprintf("Found %s; expected %s.", found, at.Expected)
	if at.Advice != "" {
		detail += " " + capital(at.Advice) + "."
	}
	f.fault(CodeSyntax, t.at(at.Offset, foundLength(t.value, at)), fmt.Sprintf("Syntax error in %s", what), detail)
}

// foundLength is how many bytes the found word takes; 1 where the message shows only a part of it or none.
func foundLength(src string, at *ddl.Error) int {
	if at.Offset < len(src) && strings.HasPrefix(src[at.Offset:], at.Found) {
		return len(at.Found)
	}
	return 1
}
