package engine

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/lang/canon"
	"github.com/dfe-engine/dfe/rules"
	"github.com/dfe-engine/dfe/rules/plan"
)

// comparison is what a plan is made from: the schema, the live catalogue and what the ledger has.
type comparison struct {
	schema  *schema
	live    *catalog.Catalog
	records map[ledger.Key]*ledger.Record
	// anyScope finds a record by what it is about, whoever declares it.
	anyScope map[object]*ledger.Record
	platform rules.Platform
	options  rules.Options
	// unread are live objects that were not read in full, and sums the checksums of their declarations.
	unread map[ast.Name]*catalog.Object
	sums   map[*declared]string
	// declaredFunctions are the declared SQL functions by name.
	declaredFunctions map[string]*ast.Function
	// values are what is known of hidden values.
	values map[*declared]collectionValues
}

type object struct {
	kind ast.Kind
	name string
}

func (e *Engine) comparison(s *schema, live *catalog.Catalog, records map[ledger.Key]*ledger.Record) *comparison {
	c := &comparison{schema: s, live: live, records: records, anyScope: map[object]*ledger.Record{}, platform: e.platform(live.Facts),
		declaredFunctions: map[string]*ast.Function{}}
	for _, d := range s.objects {
		if f, ok := d.Object.(*ast.Function); ok {
			c.declaredFunctions[f.Name] = f
		}
	}
	for key, r := range records {
		c.anyScope[object{key.Kind, key.Name}] = r
	}
	beside := s.grantedBeside()
	c.options = rules.Options{
		Platform: c.platform, AllowDrift: e.options.AllowDrift, LedgerRead: true,
		AcceptLoss: map[string]bool{},
		Env:        canon.Env{User: live.Facts.User, Lookup: c.lookup, Function: c.function, Granted: func(to string) []ast.Right { return beside[to] }},
		Server:     rules.ServerFacts{MergeTreeSettings: live.Facts.TableSettings, Servers: len(live.Facts.Cluster)},
	}
	if live.Access != nil {
		c.options.Env.Privileges = live.Access.Privileges
	}
	c.options.Database = c.database
	for _, column := range e.options.AcceptLoss {
		c.options.AcceptLoss[column] = true
	}
	return c
}

// lookup finds what a definition copies its structure from: as declared, else as live.
func (c *comparison) lookup(name ast.Name) ast.Object {
	if d := c.schema.relations[name]; d != nil {
		return d.Object
	}
	if o := c.live.Relations[name]; o != nil {
		return o.Tree
	}
	return nil
}

// database finds a database as it is live, else as it is declared.
func (c *comparison) database(name string) *ast.Database {
	id := ast.Name{Name: name}
	if o := c.live.Find(ast.KindDatabase, id); o != nil {
		d, _ := o.Tree.(*ast.Database)
		return d
	}
	for _, d := range c.schema.objects {
		if d.Kind == ast.KindDatabase && d.Name == id {
			rendered, _ := rules.Render(d.Object, c.platform).(*ast.Database)
			return rendered
		}
	}
	return nil
}

// function finds the body that a definition has copied in where it calls a function: the declared one, which the server has
// once the plan is carried out, else the live one.
func (c *comparison) function(name string) *ast.Function {
	if f := c.declaredFunctions[name]; f != nil {
		return f
	}
	if o := c.live.Functions[name]; o != nil {
		f, _ := o.Tree.(*ast.Function)
		return f
	}
	return nil
}

// plan decides about every declared object and, after them, about what is live in their databases and nothing
// declares.
func (c *comparison) plan() *plan.Document {
	doc := c.schema.book.Plan(append(c.declared(), c.undeclared()...), c.options)
	if len(c.unread) == 0 {
		return doc
	}
	// What was left unread takes its place among the others.
	decided := doc.Objects
	doc.Objects = make([]*plan.Object, 0, len(decided)+len(c.unread))
	for _, d := range c.schema.objects {
		if c.leaves(d) {
			o := &plan.Object{Kind: string(d.Kind), Name: d.Name.String(), Checksum: c.sums[d]}
			o.Settle()
			doc.Objects = append(doc.Objects, o)
			continue
		}
		doc.Objects = append(doc.Objects, decided[0])
		decided = decided[1:]
	}
	doc.Objects = append(doc.Objects, decided...)
	doc.Count()
	return doc
}

// declared are the declared objects that were read.
func (c *comparison) declared() []rules.Pair {
	pairs := make([]rules.Pair, 0, len(c.schema.objects))
	for _, d := range c.schema.objects {
		if !c.leaves(d) {
			pairs = append(pairs, c.pair(d, c.liveOf(d)))
		}
	}
	return pairs
}

func (c *comparison) pair(d *declared, live *catalog.Object) rules.Pair {
	p := rules.Pair{Kind: d.Kind, Name: d.Name, Desired: d.Object}
	r := c.records[d.key()]
	if r == nil && c.schema.part != nil {
		r = c.anyScope[object{d.Kind, d.Name.String()}] // another part made it
	}
	foreign := c.foreign(d)
	if foreign != nil {
		r = foreign
	}
	if r != nil && r.Existed() {
		p.Recorded = &rules.Recorded{Scope: string(r.Scope), Columns: r.Decisions.Columns, Foreign: foreign != nil}
		if d.Kind == ast.KindNamedCollection {
			p.Recorded.Columns = recordedKeys(r)
		}
	}
	p.Values = c.values[d].known
	seen(&p, live)
	switch d.Kind {
	case ast.KindFunction:
		p.Inlined = c.inlinedIn(p.Live, d)
	case ast.KindNamedCollection:
		p.Inlined = c.madeWith(p.Live, d)
	}
	return p
}

// foreign is the record of an object of the schema that a source or the tenants declare as well, or nil.
func (c *comparison) foreign(d *declared) *ledger.Record {
	if c.schema.part != nil {
		return nil // parts share the database of an organisation, and declare it alike
	}
	key := d.key()
	for _, key.Scope = range []ledger.Scope{ledger.ScopeSource, ledger.ScopeTenant} {
		if r := c.records[key]; r != nil && r.Existed() && r.Outcome != Undeclared {
			return r
		}
	}
	return nil
}

func seen(p *rules.Pair, live *catalog.Object) {
	if live == nil {
		return
	}
	p.Live, p.Seen = live.Tree, rules.Seen{Kind: live.Kind, Engine: live.Engine, UUID: live.UUID}
	if live.Unreadable != nil {
		p.Unreadable = &rules.Unreadable{Side: "live", Message: live.Unreadable.Error()}
	}
}

// undeclared lists the live tables, views and dictionaries of the declared databases that nothing declares, by name.
func (c *comparison) undeclared() []rules.Pair {
	if c.schema.part != nil {
		return c.takenOut()
	}
	databases := map[string]bool{}
	for _, d := range c.schema.objects {
		if d.Kind == ast.KindDatabase {
			databases[d.Name.Name] = true
		}
	}
	var pairs []rules.Pair
	for name, o := range c.live.Relations {
		if !databases[name.Database] || c.schema.relations[name] != nil {
			continue
		}
		p := rules.Pair{Kind: o.Kind, Name: name}
		if r := c.anyScope[object{o.Kind, name.String()}]; r != nil {
			p.Recorded = &rules.Recorded{Scope: string(r.Scope)}
		}
		seen(&p, o)
		pairs = append(pairs, p)
	}
	pairs = append(append(pairs, c.undeclaredPolicies(databases)...), c.unreadAccess()...)
	slices.SortFunc(pairs, inOrder)
	return pairs
}

// inOrder is by name, and of one name by kind: a user and a quota may share one, and a plan of the same things has the
// same text.
func inOrder(a, b rules.Pair) int {
	return cmp.Or(strings.Compare(a.Name.String(), b.Name.String()), strings.Compare(string(a.Kind), string(b.Kind)))
}

// reads is what has to be read to compare a schema: the databases its objects live in. Of a part it is the objects
// alone, and those of the records that it declares no more: others have theirs beside them.
func (s *schema) reads(records map[ledger.Key]*ledger.Record) catalog.Scope {
	databases := map[string]bool{}
	for _, d := range s.objects {
		switch {
		case d.Kind == ast.KindDatabase:
			databases[d.Name.Name] = true
		case d.Name.Database != "":
			databases[d.Name.Database] = true
		}
	}
	access := slices.ContainsFunc(s.objects, func(d *declared) bool { return d.Kind.IsAccess() })
	scope := catalog.Scope{
		Databases:   slices.Sorted(maps.Keys(databases)),
		Access:      access,
		Collections: s.kinds()[ast.KindNamedCollection],
	}
	if s.part != nil {
		scope.Names = []ast.Name{}
		for name := range s.relations {
			scope.Names = append(scope.Names, name)
		}
		for _, key := range s.takenOut(records) {
			scope.Access = scope.Access || key.Kind.IsAccess()
			if key.Kind.IsRelation() {
				scope.Names = append(scope.Names, relationName(key.Name))
			}
		}
	}
	return scope
}

// databases lists the declared databases.
func (s *schema) databases() []string {
	var names []string
	for _, d := range s.objects {
		if d.Kind == ast.KindDatabase {
			names = append(names, d.Name.Name)
		}
	}
	return names
}

// checksum is that of an object as read, or "" where it cannot be had. It is the canonical form's, so that neither the
// platform nor another server's words for the same thing change it.
func checksum(o *catalog.Object) string {
	if o == nil || o.Tree == nil {
		return ""
	}
	return canon.Checksum(canon.Object(o.Tree, canon.Env{}))
}
