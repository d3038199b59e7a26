package tree

import (
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/deps"
)

// check looks at the tree as a whole once every definition was read: what each object rests on, and whether its words
// are ClickHouse's. An object with a fault of its own is not looked at further.
func (l *loader) check() {
	position := make(map[*Declared]int, len(l.tree.Objects))
	for i, d := range l.tree.Objects {
		position[d] = i
		d.refs = d.Refs()
	}
	l.cycles()
	for _, d := range l.tree.Objects {
		l.checkDatabase(d, position)
		if d.Object == nil {
			continue
		}
		before := l.errors
		l.checkSecrets(d)
		if d.Kind.IsAccess() {
			l.checkAccess(d, position)
			d.Broken = d.Broken || l.errors > before
			continue
		}
		l.checkParts(d)
		l.checkReferences(d, position)
		l.checkUnions(d)
		if !d.Broken {
			l.checkWords(d)
			l.checkColumns(d)
		}
		d.Broken = d.Broken || l.errors > before
	}
	l.checkTopicNames()
	l.leaveOut()
}

// foreignDatabases exist on every server and are no schema object's home, but default is one for those who want it.
var foreignDatabases = []string{"system", "INFORMATION_SCHEMA", "information_schema"}

func (l *loader) checkDatabase(d *Declared, position map[*Declared]int) {
	name := d.Name.Database
	if name == "" || name == "default" {
		return
	}
	if slices.Contains(foreignDatabases, name) {
		l.fault(CodeName, d.Entry, fmt.Sprintf("Database %q is the server's own", name), "No object is declared in it.")
		return
	}
	db := l.find(ast.KindDatabase, ast.Name{Name: name})
	switch {
	case db == nil:
		l.fault(CodeUndeclared, d.Entry, fmt.Sprintf("Database %q is not declared", name),
			fmt.Sprintf("Declare it before its first object: database %q {}.", name)+suggest(name, l.declaredNames(ast.KindDatabase, "")))
	case l.isLater(db, d, position):
		l.fault(CodeOrder, d.Entry, fmt.Sprintf("Database %q is declared after %s", name, d.Name),
			fmt.Sprintf("The manifest is in dependency order: move the database, line %d, before this entry.", db.Entry.Start.Line))
	default:
		d.Depends = append(d.Depends, db)
	}
}

// find looks a name up in this tree, then in the one it is laid over.
func (l *loader) find(kind ast.Kind, name ast.Name) *Declared {
	if d := l.tree.Find(kind, name); d != nil {
		return d
	}
	return l.opts.Base.Find(kind, name)
}

// isLater tells whether an object comes at or after another in the manifest. What the base declares comes before.
func (l *loader) isLater(of, than *Declared, position map[*Declared]int) bool {
	i, own := position[of]
	return own && i >= position[than]
}

// declaredNames lists the declared names of a kind; of one database where it is given.
func (l *loader) declaredNames(kind ast.Kind, database string) []string {
	var names []string
	for _, t := range []*Tree{l.tree, l.opts.Base} {
		if t == nil {
			continue
		}
		for _, d := range t.Objects {
			if keyOf(d.Kind, d.Name).space == keyOf(kind, ast.Name{}).space && (database == "" || d.Name.Database == database) {
				names = append(names, d.Name.String())
			}
		}
	}
	return names
}

// checkReferences finds what an object uses and demands that it is declared before.
func (l *loader) checkReferences(d *Declared, position map[*Declared]int) {
	for _, ref := range d.Refs() {
		if d.Kind == ast.KindDictionary && ref.Bare && ref.Path == (ast.Path{Part: "source", Attr: "query"}) {
			// Measured: whatever DB says beside it, the query is run in the database of the user it connects as.
			l.fault(CodeName, d.Place(ref.Path, ref.Node), fmt.Sprintf("The query of %s does not say in which database %s is", d.Name, ref.Name.Name),
				"A dictionary's query runs as a session of its own, in no database of the dictionary's: write the database before the name, as in "+d.Name.Database+"."+ref.Name.Name+".")
			continue
		}
		target := l.find(kindOf(ref.Kind), ref.Name)
		if target == nil {
			if ref.Kind == deps.Collection {
				l.unknownCollection(d, ref.Name.Name, d.Place(ref.Path, ref.Node))
				continue
			}
			if !ref.Perhaps && ref.Kind != deps.Function && !slices.Contains(foreignDatabases, ref.Name.Database) {
				l.undeclared(d, ref)
			}
			continue
		}
		if target != d && l.inCycle[d] && l.inCycle[target] {
			continue // the circle is reported as one
		}
		if target.refused {
			l.refuse(d, CodeUndeclared, d.Place(ref.Path, ref.Node), fmt.Sprintf("%s uses %s, which is refused", d.Name, target.Name),
				"An object of an overlay comes only with everything it uses.")
			continue
		}
		if l.isLater(target, d, position) {
			if ref.Perhaps && target == d {
				continue
			}
			l.outOfOrder(d, ref, target)
			continue
		}
		if !slices.Contains(d.Depends, target) {
			d.Depends = append(d.Depends, target)
		}
	}
}

// unknownCollection warns of a named collection that nothing declares: the server's configuration may define it.
func (l *loader) unknownCollection(d *Declared, name string, at hcl.Range) {
	l.warn(CodeUndeclared, at, fmt.Sprintf("%s uses the named collection %s, which is not declared", d.Name, name),
		"It has to be in the configuration of every server, or in the manifest before what uses it."+suggest(name, l.declaredNames(ast.KindNamedCollection, "")))
}

func (l *loader) undeclared(d *Declared, ref deps.Ref) {
	at := d.Place(ref.Path, ref.Node)
	detail := fmt.Sprintf("Nothing in the manifest declares %s. Everything a deployment uses is declared, before what uses it.", ref.Name)
	l.fault(CodeUndeclared, at, fmt.Sprintf("%s uses %s, which is not declared", d.Name, ref.Name),
		detail+suggest(ref.Name.String(), l.declaredNames(ast.KindTable, "")))
}

func (l *loader) outOfOrder(d *Declared, ref deps.Ref, target *Declared) {
	at := d.Place(ref.Path, ref.Node)
	if target == d {
		l.fault(CodeOrder, at, fmt.Sprintf("%s uses itself", d.Name), "An object cannot be made out of itself.")
		return
	}
	l.fault(CodeOrder, at, fmt.Sprintf("%s uses %s before it is declared", d.Name, target.Name),
		fmt.Sprintf("The manifest is in dependency order: move the %s %s, %s line %d, before the %s %s, line %d.",
			target.Kind, target.Name, target.Entry.Filename, target.Entry.Start.Line, d.Kind, d.Name, d.Entry.Start.Line))
}
