package rules

import (
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/deps"
)

// A view over * shows the columns its table had when the view was written: the server stores their names (case S77).
// Whether it shows those the table has after the plan is not in its text, and found here.

// shape is the columns an object gives to SELECT *, in order.
type shape []*ast.Column

// shapes are what objects give to SELECT * once the plan is carried out.
type shapes struct {
	after map[ast.Name]shape
	live  func(ast.Name) ast.Object
}

func newShapes(pairs []Pair, options *Options) *shapes {
	byName := make(map[ast.Name]ast.Object, len(pairs))
	for i := range pairs {
		if pairs[i].Live != nil {
			byName[pairs[i].Name] = pairs[i].Live
		}
	}
	return &shapes{after: map[ast.Name]shape{}, live: func(name ast.Name) ast.Object {
		if o := byName[name]; o != nil || options.Live == nil {
			return o
		}
		return options.Live(name)
	}}
}

// of returns what an object gives to SELECT *, and false where that is not known.
func (s *shapes) of(name ast.Name) (shape, bool) {
	if after, ok := s.after[name]; ok {
		return after, after != nil
	}
	switch o := s.live(name).(type) {
	case *ast.Table:
		return given(o.Columns), len(o.Columns) > 0
	case *ast.View:
		return o.Columns, len(o.Columns) > 0
	case *ast.MaterializedView:
		return o.Columns, len(o.Columns) > 0
	}
	return nil, false
}

// given leaves out the columns that * does not show.
func given(columns []*ast.Column) shape {
	var list shape
	for _, c := range columns {
		if c.DefaultKind == ast.Plain || c.DefaultKind == ast.Default {
			list = append(list, c)
		}
	}
	return list
}

// planned notes what a planned object gives from now on: the columns the server has and those the plan adds.
func (s *shapes) planned(p *objectPlan) {
	name := p.pair.Name
	desired, isTable := p.desired.(*ast.Table)
	if !isTable {
		return
	}
	live, wasTable := p.live.(*ast.Table)
	if !wasTable {
		s.after[name] = given(desired.Columns)
		return
	}
	added := map[string]bool{}
	for i := range p.decisions {
		if d := &p.decisions[i]; d.Action == AddColumn {
			added[d.Change.Path.Name] = true
		}
	}
	if len(added) == 0 {
		return
	}
	order := make([]string, 0, len(live.Columns))
	columns := map[string]*ast.Column{}
	for _, c := range live.Columns {
		order = append(order, c.Name)
		columns[c.Name] = c
	}
	var names []string
	for _, c := range desired.Columns {
		if added[c.Name] {
			names = append(names, c.Name)
			columns[c.Name] = c
		}
	}
	for _, at := range placements(order, desired.Columns, names) {
		order = insertColumn(order, at)
	}
	all := make([]*ast.Column, len(order))
	for i, name := range order {
		all[i] = columns[name]
	}
	s.after[name] = given(all)
}

// stale lists the columns a live view over * lacks, or still shows although its table gives them no more. It finds
// nothing where the author wrote the list, or where the columns are not known.
func (s *shapes) stale(pair *Pair, live, desired ast.Object) []ast.Change {
	view, ok1 := live.(*ast.View)
	declared, ok2 := desired.(*ast.View)
	written, ok3 := pair.Desired.(*ast.View)
	if !ok1 || !ok2 || !ok3 || len(written.Columns) > 0 || len(written.Aliases) > 0 || len(view.Columns) == 0 {
		return nil
	}
	now, known := s.selected(declared.Query)
	if !known {
		return nil
	}
	s.after[pair.Name] = now
	var changes []ast.Change
	for _, c := range now {
		if findColumn(view.Columns, c.Name) == nil {
			changes = append(changes, ast.Change{Path: ast.Path{Part: "column", Name: c.Name}, Op: ast.Add, DesiredPart: columnPartOf(c)})
		}
	}
	for _, c := range view.Columns {
		if findColumn(now, c.Name) == nil {
			changes = append(changes, ast.Change{Path: ast.Path{Part: "column", Name: c.Name}, Op: ast.Remove, LivePart: columnPartOf(c)})
		}
	}
	return changes
}

func columnPartOf(c *ast.Column) *ast.Part {
	p := &ast.Part{Kind: "column", Name: c.Name}
	if c.Type != nil {
		p.Attrs = []ast.Attr{{Name: "type", Value: c.Type}}
	}
	return p
}

// selected is the columns of a query that selects nothing but * from one table or view, with or without EXCEPT: any
// other query names what it selects, or joins, and then the names are the server's to make.
func (s *shapes) selected(query *ast.Node) (shape, bool) {
	if query == nil || query.Kind != ast.Select {
		return nil, false
	}
	var list, from *ast.Node
	for _, clause := range query.Kids {
		switch clause.Text {
		case "SELECT", "SELECT DISTINCT":
			list = clause
		case "FROM":
			from = clause
		case "WITH", "WITH RECURSIVE":
			return nil, false
		}
	}
	if list == nil || from == nil || len(list.Kids) != 1 || len(from.Kids) != 1 || list.Kids[0].Kind != ast.Star {
		return nil, false
	}
	table := from.Kids[0]
	for (table.Kind == ast.Alias || table.Kind == ast.Clause && table.Text == "TABLE") && len(table.Kids) > 0 {
		table = table.Kids[0]
	}
	if table.Kind != ast.Ident || len(table.Kids) != 2 {
		return nil, false
	}
	columns, known := s.of(ast.Name{Database: table.Kids[0].Text, Name: table.Kids[1].Text})
	if !known {
		return nil, false
	}
	return except(columns, list.Kids[0].Kids)
}

// except applies the transformers of a * that only leave columns out.
func except(columns shape, transformers []*ast.Node) (shape, bool) {
	left := slices.Clone(columns)
	for _, t := range transformers {
		if t.Kind != ast.Clause || !strings.HasPrefix(t.Text, "EXCEPT") {
			return nil, false
		}
		for _, name := range t.Kids {
			if name.Kind != ast.Ident || len(name.Kids) > 0 {
				return nil, false
			}
			left = slices.DeleteFunc(left, func(c *ast.Column) bool { return c.Name == name.Text })
		}
	}
	return left, true
}

// viewsLast orders the pairs for planning: what views read is planned before them, so that what it will look like is
// known. Everything but plain views comes first, in any order; those follow one by one.
func viewsLast(pairs []Pair) (others, views []int) {
	at := map[ast.Name]int{}
	var declared []int
	for i := range pairs {
		if _, isView := pairs[i].Desired.(*ast.View); isView {
			at[pairs[i].Name] = i
			declared = append(declared, i)
		} else {
			others = append(others, i)
		}
	}
	visited := make(map[int]bool, len(declared))
	var visit func(int)
	visit = func(i int) {
		if visited[i] {
			return
		}
		visited[i] = true
		for _, ref := range deps.Of(pairs[i].Desired) {
			if needed, ok := at[ref.Name]; ok {
				visit(needed)
			}
		}
		views = append(views, i)
	}
	for _, i := range declared {
		visit(i)
	}
	return others, views
}
