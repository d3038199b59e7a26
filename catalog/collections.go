package catalog

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/ddl"
)

const (
	selectCollections = `SELECT name, source, create_query, collection FROM system.named_collections`
	// Servers before 25.4 print no statement, and so not which keys may be overridden.
	selectCollectionKeys = `SELECT name, 'SQL', '', collection FROM system.named_collections`
	onlyCollection       = ` WHERE name = ?`
	// unknownIdentifier is ClickHouse's UNKNOWN_IDENTIFIER, unknownTable its UNKNOWN_TABLE.
	unknownIdentifier, unknownTable = 47, 60
)

// collections reads the named collections. Values are kept out of what is read even where the server would show them. A
// server that lets none be seen has none: what a pass needs is asked beforehand.
func collections(ctx context.Context, c *Conn, where string, args []any, keep func(*Object)) error {
	var answer error
	for _, query := range []string{selectCollections, selectCollectionKeys} {
		var found []*Object
		answer = c.Select(ctx, query+where, args, func(scan func(...any) error) error {
			var (
				name, source, text string
				values             map[string]string
			)
			if err := scan(&name, &source, &text, &values); err != nil {
				return err
			}
			found = append(found, collection(name, source, text, slices.Sorted(maps.Keys(values))))
			return nil
		})
		e, refused := Exception(answer)
		switch {
		case answer == nil:
			for _, o := range found {
				keep(o)
			}
			return nil
		case refused && e.Code == unknownIdentifier:
			continue
		case refused && e.Code == unknownTable:
			return nil
		}
		return answer
	}
	return answer
}

// collection makes the object of a row. Its text is our own print, in which no value stands.
func collection(name, source, text string, keys []string) *Object {
	o := &Object{Kind: ast.KindNamedCollection, Name: ast.Name{Name: name}}
	c := &ast.NamedCollection{Name: name}
	parsed, err := ddl.ParseStatement(text)
	switch tree, ok := parsed.(*ast.NamedCollection); {
	case text == "":
		c.FlagsUnknown = true
		for _, key := range keys {
			c.Keys = append(c.Keys, ast.CollectionKey{Name: key})
		}
	case err != nil || !ok:
		o.Text = "CREATE NAMED COLLECTION " + ast.QuoteIdent(name) + " AS ..."
		o.Unreadable = err
		if err == nil {
			o.Unreadable = &ddl.Error{Line: 1, Column: 1, Found: "another definition", Expected: "a named collection"}
		}
		return o
	default:
		for _, k := range tree.Keys {
			c.Keys = append(c.Keys, ast.CollectionKey{Name: k.Name, Overridable: k.Overridable})
		}
	}
	c.Configured = !strings.EqualFold(source, "SQL")
	o.Tree, o.Text = c, ast.Create(c, ast.Style{})
	if c.Configured {
		o.Text += " -- of the server's configuration"
	}
	return o
}
