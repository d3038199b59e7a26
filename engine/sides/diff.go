package sides

import (
	"slices"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/lang/canon"
	"github.com/dfe-engine/dfe/rules"
	"github.com/dfe-engine/dfe/rules/plan"
)

// slot is what can be occupied once on each side: relations share one name space, databases and functions have their
// own. A name that a script defines several times is compared occurrence by occurrence.
type slot struct {
	space ast.Kind
	name  ast.Name
	nth   int
}

// slots gives each object of a side its place.
func (s *Side) slots() []slot {
	seen := map[slot]int{}
	list := make([]slot, len(s.objects))
	for i, o := range s.objects {
		key := slot{space: o.kind.Space(), name: o.name}
		list[i] = slot{key.space, key.name, seen[key]}
		seen[key]++
	}
	return list
}

// Diff decides about every object that from, the live side, and to, the desired one, differ in. Of a server, only what
// lives in the databases the desired side names is looked at.
func Diff(from, to *Side, book *rules.Book, platform rules.Platform) *plan.Document {
	from, to = from.besides(to), to.besides(from)
	from, to = from.qualified(to).rendered(platform), to.qualified(from)
	from, to = from.withoutOwn(to), to.unlisted(from).withoutOwn(from)
	options := rules.Options{Platform: platform, Env: canon.Env{Lookup: lookup(to, from), Function: function(to, from), Granted: to.granted}}
	if from.facts != nil {
		options.Server = rules.ServerFacts{MergeTreeSettings: from.facts.TableSettings}
		options.Env.User = from.facts.User
		if from.access != nil {
			options.Env.Privileges = from.access.Privileges
		}
	}
	return book.Plan(pairs(from, to), options)
}

// besides is a side without what the other cannot have.
func (s *Side) besides(other *Side) *Side {
	if other.topics {
		return s
	}
	without := *s
	without.objects = slices.DeleteFunc(slices.Clone(s.objects), func(o object) bool { return !o.kind.InClickHouse() })
	return &without
}

// unlisted is a server's side without the column lists of views whose definition on the other side has none: a server
// prints one for every view. The other way round the differ knows.
func (s *Side) unlisted(written *Side) *Side {
	if s.facts == nil || written.facts != nil {
		return s
	}
	lists := map[ast.Name]bool{}
	for _, o := range written.objects {
		switch v := o.tree.(type) {
		case *ast.View:
			lists[o.name] = len(v.Columns) > 0
		case *ast.MaterializedView:
			lists[o.name] = len(v.Columns) > 0
		}
	}
	unlisted := *s
	unlisted.objects = slices.Clone(s.objects)
	for i, o := range unlisted.objects {
		listed, there := lists[o.name]
		if !there || listed {
			continue
		}
		switch v := o.tree.(type) {
		case *ast.View:
			bare := *v
			bare.Columns = nil
			unlisted.objects[i].tree = &bare
		case *ast.MaterializedView:
			bare := *v
			bare.Columns = nil
			unlisted.objects[i].tree = &bare
		}
	}
	return &unlisted
}

// withoutOwn is a server's side without the database, users, profiles and quotas that every server has of its own, where
// the other side is written and does not name them. The database of its own that two servers have is none to compare.
func (s *Side) withoutOwn(other *Side) *Side {
	if s.facts == nil {
		return s
	}
	named := map[slot]bool{}
	if other.facts == nil {
		for _, key := range other.slots() {
			named[key] = true
		}
	}
	without := *s
	without.objects = slices.DeleteFunc(slices.Clone(s.objects), func(o object) bool {
		if other.facts != nil && o.kind != ast.KindDatabase {
			return false
		}
		return catalog.ServersOwn(o.kind, o.name) && !named[slot{space: o.kind.Space(), name: o.name}]
	})
	return &without
}

// rendered gives definitions the form of the platform, as a plan does with the desired side. What a server has is as it is.
func (s *Side) rendered(platform rules.Platform) *Side {
	if s.facts != nil {
		return s
	}
	rendered := *s
	rendered.objects = make([]object, len(s.objects))
	for i, o := range s.objects {
		if o.tree != nil {
			o.tree = rules.Render(o.tree, platform)
		}
		rendered.objects[i] = o
	}
	return &rendered
}

func pairs(from, to *Side) []rules.Pair {
	live := map[slot]*object{}
	fromSlots := from.slots()
	for i := range from.objects {
		live[fromSlots[i]] = &from.objects[i]
	}
	named := map[string]bool{}
	var list []rules.Pair
	toSlots := to.slots()
	for i := range to.objects {
		desired := &to.objects[i]
		if desired.kind == ast.KindDatabase {
			named[desired.name.Name] = true
		}
		named[desired.name.Database] = true
		list = append(list, pair(from.holding(live[toSlots[i]], desired), desired))
		delete(live, toSlots[i])
	}
	for i := range from.objects {
		o := live[fromSlots[i]]
		if o == nil {
			continue
		}
		within := o.name.Database
		if o.kind == ast.KindDatabase {
			within = o.name.Name
		}
		if from.facts == nil || named[within] && within != "" || o.kind == ast.KindFunction && named[within] {
			list = append(list, pair(o, nil))
		}
	}
	return list
}

// granted is what the grants of a side give to a user or role.
func (s *Side) granted(to string) []ast.Right {
	var rights []ast.Right
	for _, o := range s.objects {
		if g, isGrant := o.tree.(*ast.Grant); isGrant {
			rights = append(rights, g.RightsOf(to)...)
		}
	}
	return rights
}

// holding is what a desired object is compared with: of a grant that the live side does not name, all that its grantees
// have there.
func (s *Side) holding(live, desired *object) *object {
	g, ok := desired.tree.(*ast.Grant)
	if !ok || live != nil {
		return live
	}
	have := &ast.Grant{Name: g.Name}
	fault := ""
	if s.access != nil && s.access.Unreadable != nil {
		fault = s.access.Unreadable.Error()
	}
	for _, o := range s.objects {
		if !slices.Contains(g.To, o.name.Name) || o.kind.Space() != ast.KindRole {
			continue
		}
		var rights []ast.Right
		switch t := o.tree.(type) {
		case *ast.Role:
			rights = t.Rights
		case *ast.User:
			rights = t.Rights
		default:
			fault = o.fault
		}
		have.To = append(have.To, o.name.Name)
		for _, r := range rights {
			r.To = o.name.Name
			have.Rights = append(have.Rights, r)
		}
	}
	if len(have.To) == 0 && fault == "" {
		return nil
	}
	return &object{kind: desired.kind, name: desired.name, tree: have, fault: fault}
}

func pair(live, desired *object) rules.Pair {
	var p rules.Pair
	if live != nil {
		p.Kind, p.Name, p.Live = live.kind, live.name, live.tree
		p.Seen = rules.Seen{Kind: live.kind, Engine: live.engine, UUID: live.uuid}
		if live.fault != "" {
			p.Unreadable = &rules.Unreadable{Side: "live", Message: live.fault, Line: live.line}
		}
	}
	if desired != nil {
		p.Kind, p.Name, p.Desired = desired.kind, desired.name, desired.tree
		if desired.fault != "" {
			p.Unreadable = &rules.Unreadable{Side: "desired", Message: desired.fault, Line: desired.line}
		}
	}
	return p
}

// qualified gives each relation that a script names without a database the database of the one relation of that name
// on the other side. Where there is none, or several, the name stays as it is.
func (s *Side) qualified(other *Side) *Side {
	databases := map[string][]string{}
	for _, o := range other.objects {
		if o.kind.IsRelation() && o.name.Database != "" {
			databases[o.name.Name] = append(databases[o.name.Name], o.name.Database)
		}
	}
	named := *s
	named.objects = make([]object, len(s.objects))
	for i, o := range s.objects {
		if found := databases[o.name.Name]; o.tree != nil && o.name.Database == "" && o.kind.IsRelation() && len(found) == 1 {
			o.name.Database = found[0]
			o.tree = renamed(o.tree, o.name)
		}
		named.objects[i] = o
	}
	return &named
}

// renamed returns a relation under another name.
func renamed(o ast.Object, name ast.Name) ast.Object {
	switch o := o.(type) {
	case *ast.Table:
		c := *o
		c.Name = name
		return &c
	case *ast.View:
		c := *o
		c.Name = name
		return &c
	case *ast.MaterializedView:
		c := *o
		c.Name = name
		return &c
	case *ast.Dictionary:
		c := *o
		c.Name = name
		return &c
	}
	return o
}

// lookup finds an object on the first side that has it.
func lookup(sides ...*Side) func(ast.Name) ast.Object {
	found := map[ast.Name]ast.Object{}
	for _, s := range sides {
		for _, o := range s.objects {
			if _, twice := found[o.name]; !twice && o.tree != nil && o.kind.IsRelation() {
				found[o.name] = o.tree
			}
		}
	}
	return func(name ast.Name) ast.Object { return found[name] }
}

func function(sides ...*Side) func(string) *ast.Function {
	return func(name string) *ast.Function {
		for _, s := range sides {
			if f := s.functions[name]; f != nil {
				return f
			}
		}
		return nil
	}
}

// ParsePlatform reads the platform of a diff; "" is that of the sides.
func ParsePlatform(name string, from, to *Side) (rules.Platform, error) {
	if name != "" {
		return rules.ParsePlatform(name)
	}
	for _, s := range []*Side{from, to} {
		switch f := s.facts; {
		case f == nil:
		case f.Cloud:
			return rules.Cloud, nil
		case f.Keeper:
			return rules.SelfHosted, nil
		}
	}
	return rules.Embedded, nil
}
