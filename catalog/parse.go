package catalog

import (
	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/ddl"
)

// parse makes the tree of the object's text, or keeps the reason why there is none.
func (o *Object) parse() {
	o.Tree, o.Unreadable = ddl.ParseStatement(o.Text)
	if o.Unreadable != nil {
		o.Tree = nil
		return
	}
	o.Kind = o.Tree.Kind()
}

// parseDatabase makes the tree of a database from the columns of system.databases, which prints no statement for it.
func (o *Object) parseDatabase(engine, comment string) {
	o.Text = engine
	parsed, err := ddl.ParseEngine(engine)
	if err != nil {
		o.Unreadable = err
		return
	}
	o.Tree = &ast.Database{Name: o.Name.Name, Engine: parsed, Comment: comment}
}
