package adopt

import (
	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/lease"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/lang/deps"
)

// choose takes the objects that a tree would declare. What every server has by itself is not among them, nor are the
// controller's own books, which it makes for itself, unless something reads them.
func choose(list []*catalog.Object) (objects []ast.Object, unread []LeftOut) {
	books := map[ast.Name]bool{lease.Table(): true, ledger.Table(): true}
	for _, o := range list {
		if o.Tree == nil {
			continue
		}
		for _, ref := range deps.Of(o.Tree) {
			delete(books, ref.Name)
		}
	}
	lives := map[string]bool{}
	for _, o := range list {
		if !books[o.Name] {
			lives[o.Name.Database] = true
		}
	}
	for _, o := range list {
		name, database := o.Name.Name, o.Kind == ast.KindDatabase
		own := catalog.ServersOwn(o.Kind, o.Name) || database && name == ledger.Table().Database
		switch {
		case books[o.Name], own && !(database && lives[name]):
		case database && o.Text == "":
			objects = append(objects, &ast.Database{Name: name})
		case o.Unreadable != nil:
			unread = append(unread, LeftOut{Kind: o.Kind, Name: o.Name.String(), Reason: o.Unreadable.Error()})
		default:
			objects = append(objects, o.Tree)
		}
	}
	return objects, unread
}
