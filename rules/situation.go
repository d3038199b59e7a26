package rules

import (
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/facts"
	"github.com/dfe-engine/dfe/lang/rulelang"
)

// situation is what the facts are about: one change of one pair of objects. It keeps what was found.
type situation struct {
	table   []fact
	options *Options
	pair    *Pair
	// live and desired are canonical.
	live, desired ast.Object
	changes       []ast.Change
	change        *ast.Change

	values []rulelang.FactValue
	have   []bool

	keyColumns    map[string]bool
	engineColumns map[string]bool     // the sign and version columns
	leftover      map[string][]string // by type: the live columns that nothing declares
	newKey        map[string]bool     // the added columns with which the declared sorting key extends the live one
	keyKnown      bool
}

func newSituation(table []fact, options *Options) *situation {
	return &situation{table: table, options: options,
		values: make([]rulelang.FactValue, len(table)), have: make([]bool, len(table))}
}

// about turns to another pair of objects.
func (s *situation) about(pair *Pair, live, desired ast.Object, changes []ast.Change) {
	s.pair, s.live, s.desired, s.changes, s.change = pair, live, desired, changes, nil
	clear(s.have)
	s.keyColumns, s.engineColumns, s.leftover, s.newKey, s.keyKnown = nil, nil, nil, nil, false
}

// turn turns to another change of the same pair.
func (s *situation) turn(change *ast.Change) {
	s.change = change
	for i := range s.table {
		if s.table[i].perChange {
			s.have[i] = false
		}
	}
}

// fact returns the value of a fact, found when first asked for.
func (s *situation) fact(index int) rulelang.FactValue {
	if !s.have[index] {
		s.values[index], s.have[index] = s.table[index].find(s), true
	}
	return s.values[index]
}

func (s *situation) engine() string {
	if name := familyOf(s.live); name != "" {
		return name
	}
	return familyOf(s.desired)
}

// setting returns what the server says of the setting at the change's path: of a MergeTree table from
// system.merge_tree_settings, or from the release the facts were read from where that was not read. Other engines have
// settings of their own, of which nothing is known: they are taken to be there.
func (s *situation) setting() (known, readOnly bool) {
	if !strings.HasSuffix(s.engine(), "MergeTree") {
		return true, false
	}
	name := s.change.Path.Name
	if server := s.options.Server.MergeTreeSettings; server != nil {
		readOnly, known = server[name]
		return known, readOnly
	}
	setting, known := facts.MergeTreeSetting(name)
	return known, setting.ReadOnly
}

// inKey reports whether the change's column is part of a key of the live table or the sign or version column of its
// engine: the server changes the type of such a column only where the order of stored rows cannot change with it (case
// S33).
func (s *situation) inKey() bool {
	if s.keyColumns == nil {
		s.keyColumns, s.engineColumns = map[string]bool{}, map[string]bool{}
		if t, ok := s.live.(*ast.Table); ok {
			for _, key := range []*ast.Node{t.OrderBy, t.PrimaryKey, t.PartitionBy, t.SampleBy, t.UniqueKey} {
				identsOf(key, s.keyColumns)
			}
			switch familyOf(t) {
			case "ReplacingMergeTree", "CollapsingMergeTree", "VersionedCollapsingMergeTree":
				for _, arg := range t.Engine.Args {
					identsOf(arg, s.engineColumns)
				}
			}
		}
	}
	return s.keyColumns[s.change.Path.Name] || s.engineColumns[s.change.Path.Name]
}

// identsOf adds the names of the columns an expression reads.
func identsOf(n *ast.Node, into map[string]bool) {
	n.Walk(func(n *ast.Node) bool {
		if n.Kind != ast.Ident {
			return true
		}
		into[identName(n)] = true
		return false
	})
}

// identName is the name of a column as the expression writes it; the parts of a compound one are joined by dots, as a
// Nested element's are in its column name.
func identName(n *ast.Node) string {
	if len(n.Kids) == 0 {
		return n.Text
	}
	name := n.Kids[0].Text
	for _, kid := range n.Kids[1:] {
		name += "." + kid.Text
	}
	return name
}

// extendsKey reports whether the declared sorting key is the live one followed by columns that are to be added, and the
// change is that key's or one of those columns'. ClickHouse takes such a key only in the ALTER that adds the columns
// (case S52), so neither is done without the other.
func (s *situation) extendsKey() bool {
	if !s.keyKnown {
		s.keyKnown = true
		s.newKey = s.keyExtension()
	}
	if len(s.newKey) == 0 {
		return false
	}
	switch s.change.Path.Part {
	case "order_by":
		return true
	case "column":
		return s.change.Op == ast.Add && s.change.Path.Attr == "" && s.newKey[s.change.Path.Name]
	}
	return false
}

func (s *situation) keyExtension() map[string]bool {
	live, ok1 := s.live.(*ast.Table)
	desired, ok2 := s.desired.(*ast.Table)
	if !ok1 || !ok2 {
		return nil
	}
	before, after := keyElements(live.OrderBy), keyElements(desired.OrderBy)
	if len(after) <= len(before) {
		return nil
	}
	for i, element := range before {
		if ast.Compare(element, after[i]) != ast.Same {
			return nil
		}
	}
	added := map[string]bool{}
	for _, element := range after[len(before):] {
		names := map[string]bool{}
		identsOf(element, names)
		if len(names) == 0 {
			return nil
		}
		for name := range names {
			if live.Column(name) != nil || desired.Column(name) == nil {
				return nil
			}
			added[name] = true
		}
	}
	return added
}

// keyElements lists the elements of a key.
func keyElements(key *ast.Node) []*ast.Node {
	switch {
	case key == nil:
		return nil
	case key.Kind == ast.Tuple || key.Kind == ast.List || key.Kind == ast.Func && key.Text == "tuple":
		return key.Kids
	default:
		return []*ast.Node{key}
	}
}

// nestedTaking returns the column by which the server takes an added one for there already, or "". A name without a dot
// stands for every column name.* beside it, and ADD COLUMN IF NOT EXISTS does nothing; an element of a Nested that is one
// column shares its files (error 36). Measured on 26.7.2.
func (s *situation) nestedTaking() string {
	live, ok := s.live.(*ast.Table)
	if !ok || s.change.Op != ast.Add || s.change.Path.Part != "column" || s.change.Path.Attr != "" {
		return ""
	}
	name := s.change.Path.Name
	for _, c := range live.Columns {
		element := strings.HasPrefix(c.Name, name+".")
		whole := strings.HasPrefix(name, c.Name+".") && c.Type != nil && c.Type.Kind == ast.Type && c.Type.Text == "Nested"
		if element || whole {
			return c.Name
		}
	}
	return ""
}

// renameOf returns a live column that nothing declares and that has the added column's type, or "".
func (s *situation) renameOf() string {
	if s.leftover == nil {
		s.leftover = map[string][]string{}
		for i := range s.changes {
			c := &s.changes[i]
			if c.Op == ast.Remove && c.Path.Part == "column" && c.Path.Attr == "" && c.LivePart != nil {
				key := c.LivePart.Attr("type").String()
				s.leftover[key] = append(s.leftover[key], c.Path.Name)
			}
		}
	}
	if s.change.Op != ast.Add || s.change.Path.Part != "column" || s.change.DesiredPart == nil || len(s.leftover) == 0 {
		return ""
	}
	if names := s.leftover[s.change.DesiredPart.Attr("type").String()]; len(names) > 0 {
		return names[0]
	}
	return ""
}

func (s *situation) recorded() bool {
	r := s.pair.Recorded
	switch {
	case r == nil:
		return false
	case s.change.Path == (ast.Path{}):
		return true
	}
	return slices.Contains(r.Columns, s.change.Path.Name) && (s.change.Path.Part == "column" || s.change.Path.Part == "key")
}

func (s *situation) dropsNull() bool {
	if s.change.Live == nil || s.change.Desired == nil {
		return false
	}
	return nullable(s.change.Live) && !nullable(s.change.Desired)
}

func nullable(t *ast.Node) bool {
	if inner, ok := unwrap(t, "LowCardinality"); ok {
		t = inner
	}
	_, ok := unwrap(t, "Nullable")
	return ok
}

func (s *situation) hasDefault() bool {
	c := columnOf(s.desired, s.change.Path.Name)
	return c != nil && c.DefaultKind == ast.Default
}

// plainColumn is the kind of a column without an expression.
const plainColumn = "PLAIN"

func (s *situation) columnKind() string {
	if c := columnOf(s.live, s.change.Path.Name); c != nil && c.DefaultKind != ast.Plain {
		return string(c.DefaultKind)
	}
	return plainColumn
}

func (s *situation) addsProjection() bool {
	return slices.ContainsFunc(s.changes, func(c ast.Change) bool {
		return c.Op == ast.Add && c.Path.Part == "projection" && c.Path.Attr == ""
	})
}

// columnOf returns the named column of a table or a view, or nil.
func columnOf(o ast.Object, name string) *ast.Column {
	switch o := o.(type) {
	case *ast.Table:
		return o.Column(name)
	case *ast.View:
		return findColumn(o.Columns, name)
	case *ast.MaterializedView:
		return findColumn(o.Columns, name)
	}
	return nil
}

func findColumn(columns []*ast.Column, name string) *ast.Column {
	for _, c := range columns {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// hiddenValue is what a server prints in place of a secret.
const hiddenValue = "[HIDDEN]"

// hiddenSecrets lists the keys of a dictionary's source that are hidden in the live object and that the definition
// leaves out: writing the dictionary anew would lose them (case S87).
func (s *situation) hiddenSecrets() []string {
	live, ok1 := s.live.(*ast.Dictionary)
	desired, ok2 := s.pair.Desired.(*ast.Dictionary)
	if !ok1 || !ok2 || live.Source == nil {
		return nil
	}
	supplied := map[string]bool{}
	if desired.Source != nil {
		for _, a := range desired.Source.Args {
			supplied[strings.ToLower(a.Name)] = a.Value != nil && !hides(a.Value)
		}
	}
	var secrets []string
	for _, a := range live.Source.Args {
		if hides(a.Value) && !supplied[strings.ToLower(a.Name)] {
			secrets = append(secrets, a.Name)
		}
	}
	return secrets
}

// unsupplied lists the keys of the declared named collection whose values are set by hand.
func (s *situation) unsupplied() []string {
	c, ok := s.pair.Desired.(*ast.NamedCollection)
	if !ok {
		return nil
	}
	var names []string
	for i := range c.Keys {
		if c.Keys[i].Hidden() {
			names = append(names, c.Keys[i].Name)
		}
	}
	return names
}

// collectionKey is the declared key at the change's path, or nil.
func (s *situation) collectionKey() *ast.CollectionKey {
	c, ok := s.pair.Desired.(*ast.NamedCollection)
	if !ok || s.change.Path.Part != "key" {
		return nil
	}
	return c.Key(s.change.Path.Name)
}

// hides reports whether a value holds what a server prints in place of a secret.
func hides(value *ast.Node) bool {
	found := false
	value.Walk(func(n *ast.Node) bool {
		found = found || strings.Contains(n.Text, hiddenValue)
		return !found
	})
	return found
}

func (s *situation) inDictionaryKey() bool {
	for _, o := range [...]ast.Object{s.live, s.desired} {
		if d, ok := o.(*ast.Dictionary); ok && slices.Contains(d.PrimaryKey, s.change.Path.Name) {
			return true
		}
	}
	return false
}

// keepsKey reports whether the server takes the type change of a key column: where the order of the stored values
// stays what it is. Measured on 26.7.2: an enum that keeps all its numbers or becomes the integer it is stored as, a
// time zone, LowCardinality; of a version column, a wider integer of the same sign.
func (s *situation) keepsKey() bool {
	live, desired := s.change.Live, s.change.Desired
	if live == nil || desired == nil {
		return false
	}
	s.inKey()
	if s.engineColumns[s.change.Path.Name] {
		from, to := numberOf(live), numberOf(desired)
		widens := from.bits > 0 && to.bits > from.bits && from.signed == to.signed && !from.float && !to.float
		return widens && !s.keyColumns[s.change.Path.Name]
	}
	if inner, ok := unwrap(live, "LowCardinality"); ok {
		live = inner
	}
	if inner, ok := unwrap(desired, "LowCardinality"); ok {
		desired = inner
	}
	switch {
	case ast.Compare(live, desired) == ast.Same:
		return true
	case isEnum(live) && desired.Text == "Int"+strings.TrimPrefix(live.Text, "Enum"):
		return true
	case live.Text != desired.Text:
		return false
	case live.Text == "DateTime64":
		return timeScale(live) == timeScale(desired)
	}
	return live.Text == "DateTime" || isEnum(live) && keepsNumbers(live, desired)
}

// keepsNumbers reports whether every number of an enum is one of another too, under whatever name.
func keepsNumbers(live, desired *ast.Node) bool {
	for _, value := range live.Kids {
		if !slices.ContainsFunc(desired.Kids, func(d *ast.Node) bool {
			return len(d.Kids) == 1 && len(value.Kids) == 1 && ast.Compare(d.Kids[0], value.Kids[0]) == ast.Same
		}) {
			return false
		}
	}
	return true
}

// renumbers reports whether an enum gives another number to a name it has: the server refuses that (error 70).
func (s *situation) renumbers() bool {
	live, desired := s.change.Live, s.change.Desired
	if live == nil || desired == nil || !isEnum(live) || !isEnum(desired) {
		return false
	}
	for _, missing := range enumMissing(live, desired) {
		if slices.ContainsFunc(desired.Kids, func(d *ast.Node) bool { return d.Text == missing.Text }) {
			return true
		}
	}
	return false
}

// breaksProjection reports whether a live projection that aggregates keeps values of the column, as a key or in a state:
// the server changes no type under it. What count() counts is not kept.
func (s *situation) breaksProjection() bool {
	t, ok := s.live.(*ast.Table)
	if !ok {
		return false
	}
	for _, p := range t.Projections {
		if p.Query == nil || !aggregates(p.Query) {
			continue
		}
		kept := false
		p.Query.Walk(func(n *ast.Node) bool {
			if n.Kind == ast.Ident && identName(n) == s.change.Path.Name {
				kept = true
			}
			return !kept && n.Kind != ast.Ident && !(n.Kind == ast.Func && n.Text == "count")
		})
		if kept {
			return true
		}
	}
	return false
}

// aggregates reports whether a projection groups, or aggregates all rows of a part into one.
func aggregates(query *ast.Node) bool {
	grouped, sorted := false, false
	for _, clause := range query.Kids {
		grouped = grouped || clause.Text == "GROUP BY"
		sorted = sorted || clause.Text == "ORDER BY"
	}
	if grouped || sorted {
		return grouped
	}
	found := false
	query.Walk(func(n *ast.Node) bool {
		if n.Kind == ast.Func {
			f, known := facts.FindFunction(n.Text)
			found = found || known && f.Aggregate
		}
		return !found
	})
	return found
}
