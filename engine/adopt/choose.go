package adopt

import (
	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/lease"
	"github.com/dfe-engine/dfe/engine/ledger"
)

// choose takes the objects that a tree would declare. What every server has by itself, and what the controller makes for
// its own books, is not among them.
func choose(list []*catalog.Object) (objects []ast.Object, unread []LeftOut) {
	lives := map[string]bool{}
	for _, o := range list {
		if o.Name != lease.Table() && o.Name != ledger.Table() {
			lives[o.Name.Database] = true
		}
	}
	for _, o := range list {
		name := o.Name.Name
		switch {
		case o.Name == lease.Table(), o.Name == ledger.Table():
		case o.Kind == ast.KindDatabase && !lives[name] && (name == defaultName || name == ledger.Table().Database):
		case o.Kind == ast.KindDatabase && o.Text == "":
			objects = append(objects, &ast.Database{Name: name})
		case name == defaultName && (o.Kind == ast.KindUser || o.Kind == ast.KindQuota || o.Kind == ast.KindSettingsProfile):
		case name == "readonly" && o.Kind == ast.KindSettingsProfile:
		case o.Unreadable != nil:
			unread = append(unread, LeftOut{Kind: o.Kind, Name: o.Name.String(), Reason: o.Unreadable.Error()})
		default:
			objects = append(objects, o.Tree)
		}
	}
	return objects, unread
}

// defaultName is that of the database, the user, the quota and the profile that every server has.
const defaultName = "default"
