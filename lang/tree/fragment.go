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
	n, err := ddl.ParseExpr(t.value)
	return d.parsed(t, path, n, err, "expression")
}

func parseType(d *definition, t text, path ast.Path) *ast.Node {
	n, err := ddl.ParseType(t.value)
	return d.parsed(t, path, n, err, "type")
}

func parseCodec(d *definition, t text, path ast.Path) *ast.Node {
	n, err := ddl.ParseCodec(t.value)
	return d.parsed(t, path, n, err, path.Attr)
}

func parseStatistics(d *definition, t text, path ast.Path) *ast.Node {
	n, err := ddl.ParseStatistics(t.value)
	return d.parsed(t, path, n, err, path.Attr)
}

func parseOrderBy(d *definition, t text, path ast.Path) *ast.Node {
	n, err := ddl.ParseOrderBy(t.value)
	return d.parsed(t, path, n, err, "key")
}

func parseTTL(d *definition, t text, path ast.Path) *ast.Node {
	n, err := ddl.ParseTTL(t.value)
	return d.parsed(t, path, n, err, "TTL")
}

func parseIndexType(d *definition, t text, path ast.Path) *ast.Node {
	n, err := ddl.ParseIndexType(t.value)
	return d.parsed(t, path, n, err, "index type")
}

func parseQuery(d *definition, t text, path ast.Path) *ast.Node {
	n, err := ddl.ParseQuery(t.value)
	return d.parsed(t, path, n, err, "query")
}

func parsePeriod(d *definition, t text, path ast.Path) *ast.Node {
	n, err := ddl.ParsePeriod(t.value)
	return d.parsed(t, path, n, err, "period")
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

func (d *definition) parsed(t text, path ast.Path, n *ast.Node, err error, what string) *ast.Node {
	if err != nil {
		d.syntax(t, err, what)
		return nil
	}
	d.declared.places.setText(path, t, n)
	return n
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
