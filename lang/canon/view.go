package canon

import "github.com/dfe-engine/dfe/ast"

func (f *form) view(v *ast.View) *ast.View {
	c := *v
	c.Query = aliased(f.stored(v.Query), v.Aliases)
	c.Aliases = nil
	c.Columns = f.inferred(f.columns(v.Columns))
	c.Security = f.security(v.Security)
	return &c
}

// aliased gives the outputs of a query the names of CREATE VIEW v (a, b) AS SELECT. The stored text has both the list and
// the aliases.
func aliased(query *ast.Node, names []string) *ast.Node {
	if query == nil || len(names) == 0 {
		return query
	}
	if query.Kind == ast.Union {
		return with(query, each(query.Kids, func(k *ast.Node) *ast.Node { return aliased(k, names) }))
	}
	return with(query, each(query.Kids, func(k *ast.Node) *ast.Node {
		if k.Kind != ast.Clause || k.Text != "SELECT" && k.Text != "SELECT DISTINCT" || len(k.Kids) != len(names) {
			return k
		}
		i := 0
		return with(k, each(k.Kids, func(e *ast.Node) *ast.Node {
			name := names[i]
			i++
			if e.Kind == ast.Alias {
				if e.Text == name {
					return e
				}
				e = e.Kids[0]
			}
			return at(e, ast.Alias, name, e)
		}))
	}))
}

func (f *form) security(s ast.Security) ast.Security {
	if s.Definer != "" && s.Mode == "" {
		s.Mode = "DEFINER"
	}
	if s.Mode == "DEFINER" && s.Definer == "" {
		s.Definer = currentUser
	}
	if s.Definer == currentUser && f.env.User != "" {
		s.Definer = f.env.User
	}
	return s
}

const currentUser = "CURRENT_USER"

func (f *form) materializedView(m *ast.MaterializedView) *ast.MaterializedView {
	c := *m
	c.Query = f.stored(m.Query)
	c.To = f.name(m.To)
	if m.Inner != nil {
		inner := *m.Inner
		if inner.PrimaryKey == nil {
			inner.PrimaryKey = primaryKey(m.Columns)
		}
		if inner.Engine == nil {
			inner.Engine = &ast.Engine{Name: "MergeTree"}
		}
		f.storage(&inner)
		c.Inner = &inner
	}
	c.Columns = f.inferred(f.columns(m.Columns))
	c.Refresh = f.refresh(m.Refresh)
	c.Security = f.security(m.Security)
	c.Populate, c.Empty = false, false // case S81
	return &c
}

// name qualifies the name of another object.
func (f *form) name(n ast.Name) ast.Name {
	if n.Name != "" && n.Database == "" {
		n.Database = f.db
	}
	return n
}

func (f *form) refresh(r *ast.Refresh) *ast.Refresh {
	if r == nil {
		return nil
	}
	c := *r
	c.Period, c.Offset, c.Randomize = f.period(r.Period), f.period(r.Offset), f.period(r.Randomize)
	if len(r.DependsOn) > 0 {
		c.DependsOn = make([]ast.Name, len(r.DependsOn))
		for i, n := range r.DependsOn {
			c.DependsOn[i] = f.name(n)
		}
	}
	c.Settings = f.settingList(r.Settings, nil)
	return &c
}

// period is a calendar time: the server prints 90 MINUTE as 1 HOUR 30 MINUTE and 9 DAY as 1 WEEK 2 DAY, and keeps months apart.
func (f *form) period(n *ast.Node) *ast.Node {
	if n == nil {
		return nil
	}
	intervals := []*ast.Node{n}
	if n.Kind == ast.List {
		intervals = n.Kids
	}
	var months, seconds uint64
	for _, k := range intervals {
		if k.Kind != ast.Interval || len(k.Kids) != 1 || k.Kids[0].Kind != ast.Number {
			return f.plainPeriod(n)
		}
		amount, ok := integer(k.Kids[0].Text)
		scale, known := calendar[k.Text]
		if !ok || !known || amount > 1<<32 {
			return f.plainPeriod(n)
		}
		months += amount * scale.months
		seconds += amount * scale.seconds
	}
	var parts []*ast.Node
	for _, unit := range []string{"YEAR", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"} {
		left, size := &months, calendar[unit].months
		if size == 0 {
			left, size = &seconds, calendar[unit].seconds
		}
		if count := *left / size; count > 0 {
			parts = append(parts, at(n, ast.Interval, unit, literal(count)))
			*left %= size
		}
	}
	switch len(parts) {
	case 0:
		return f.plainPeriod(n)
	case 1:
		return parts[0]
	}
	return at(n, ast.List, "", parts...)
}

// calendar is what the units of REFRESH are in months or in seconds.
var calendar = map[string]struct{ months, seconds uint64 }{
	"YEAR": {months: 12}, "QUARTER": {months: 3}, "MONTH": {months: 1}, "WEEK": {seconds: 604800}, "DAY": {seconds: 86400},
	"HOUR": {seconds: 3600}, "MINUTE": {seconds: 60}, "SECOND": {seconds: 1},
}

func (f *form) plainPeriod(n *ast.Node) *ast.Node {
	return with(n, each(n.Kids, func(k *ast.Node) *ast.Node {
		if k.Kind == ast.Interval {
			return with(k, each(k.Kids, f.expr))
		}
		return f.expr(k)
	}))
}
