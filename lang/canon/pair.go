package canon

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/facts"
)

// Pair returns both sides in canonical form, ready to be compared. The desired side takes over what its text leaves to the
// server and the live shape shows, where that is exactly what the server makes of the text: the column list of a view, an
// unflattened Nested, the default SQL security, hidden secrets. What the text does not determine becomes an ast.Unknown with
// the reason. Neither input is changed.
func Pair(live, desired ast.Object, env Env) (ast.Object, ast.Object) {
	lf, df := newForm(live, env), newForm(desired, env)
	if df.db == "" {
		df.db = lf.db
	}
	lf.nested = wholeNested(live)
	df.nested = lf.nested
	df.facing = live
	lf.lossy = replacementNames(live)
	df.lossy = lf.lossy
	l, d := lf.object(live), df.object(desired)
	l = concealed(l, d)
	p := pair{env: env}
	switch l := l.(type) {
	case *ast.Table:
		if d, ok := d.(*ast.Table); ok {
			return l, p.table(l, d)
		}
	case *ast.View:
		if d, ok := d.(*ast.View); ok {
			return l, p.view(l, d)
		}
	case *ast.MaterializedView:
		if d, ok := d.(*ast.MaterializedView); ok {
			return l, p.materializedView(l, d)
		}
	case *ast.Dictionary:
		if d, ok := d.(*ast.Dictionary); ok {
			return l, p.dictionary(l, d)
		}
	case *ast.Database:
		if d, ok := d.(*ast.Database); ok {
			c := *d
			c.Engine, c.Settings = p.engine(l.Engine, d.Engine), p.keyed(l.Settings, d.Settings)
			return l, &c
		}
	case *ast.Function:
		if d, ok := d.(*ast.Function); ok {
			c := *d
			c.Lambda = p.settle(l.Lambda, d.Lambda)
			return l, &c
		}
	case *ast.NamedCollection:
		if d, ok := d.(*ast.NamedCollection); ok {
			return p.namedCollection(l, d)
		}
	case *ast.RowPolicy:
		if d, ok := d.(*ast.RowPolicy); ok {
			d.Filter = p.settle(l.Filter, d.Filter)
			return l, d
		}
	case *ast.Role:
		if d, ok := d.(*ast.Role); ok {
			return p.role(l, d)
		}
	case *ast.User:
		if d, ok := d.(*ast.User); ok {
			return p.user(l, d)
		}
	case *ast.Grant:
		if d, ok := d.(*ast.Grant); ok {
			return p.grant(l, d)
		}
	}
	return l, d
}

// wholeNested names the live columns that are Nested as a whole: such a table was made with flatten_nested = 0, which its
// text does not say (case S11).
func wholeNested(o ast.Object) map[string]bool {
	var columns []*ast.Column
	switch o := o.(type) {
	case *ast.Table:
		columns = o.Columns
	case *ast.View:
		columns = o.Columns
	case *ast.MaterializedView:
		columns = o.Columns
	}
	var names map[string]bool
	for _, c := range columns {
		if c.Type != nil && c.Type.Kind == ast.Type && c.Type.Text == "Nested" {
			if names == nil {
				names = map[string]bool{}
			}
			names[c.Name] = true
		}
	}
	return names
}

// replacementNames reports whether a column's name has U+FFFD: what reads a server's text as JSON puts it for bytes that are
// no UTF-8, and the desired names then lose theirs the same way.
func replacementNames(o ast.Object) bool {
	t, ok := o.(*ast.Table)
	return ok && slices.ContainsFunc(t.Columns, func(c *ast.Column) bool { return strings.ContainsRune(c.Name, utf8.RuneError) })
}

// pair settles the desired side of canonical objects against the live side. It owns the top-level struct of the desired
// object, and copies what is below before it changes it.
type pair struct {
	env Env
}

func (p *pair) table(l, d *ast.Table) *ast.Table {
	switch {
	case d.Engine != nil && d.Engine.Name == timeSeries && l.Engine != nil && l.Engine.Name == timeSeries:
		p.timeSeries(l, d)
	case d.Structure != nil && d.Structure.Kind != ast.Func:
		p.copied(l, d)
	case len(d.Columns) > 0:
	case d.Structure != nil:
		d.Columns = unknownTypes(l.Columns, "the columns come from the table function "+d.Structure.Text+", whose structure the text does not say")
	case d.Engine != nil && d.Engine.Name == "Alias":
		d.Columns = l.Columns // the target's, whatever it has: the engine takes none of its own
	case d.Engine != nil && !mergeTree(d.Engine.Name):
		d.Columns = unknownTypes(l.Columns, "the definition lists no columns, and the engine "+d.Engine.Name+" takes them from elsewhere")
	}
	p.columns(l.Columns, d.Columns, &d.Columns)
	d.Structure = p.settle(l.Structure, d.Structure)
	p.storage(l, d)
	return d
}

// copied stands for a structure the text takes from elsewhere and that is not known here.
func (p *pair) copied(l, d *ast.Table) {
	if l.Structure != nil && equal(l.Structure, d.Structure) {
		return // two texts of one author, not a server's
	}
	query := d.Structure.Kind != ast.Ident
	source := "a query"
	if !query {
		source = "the table " + plain(d.Structure)
	}
	reason := "the structure is copied from " + source + ", which is not known here"
	if query || d.Engine != nil || l.Structure == nil {
		d.Structure = nil
	}
	if len(d.Columns) == 0 {
		d.Columns = unknownTypes(l.Columns, reason)
	}
	if query {
		return
	}
	if d.Comment == "" {
		d.Comment = l.Comment
	}
	d.Constraints = l.Constraints
	switch {
	case d.Engine == nil:
		if d.Structure != nil {
			d.Structure = ast.N(ast.Unknown, reason)
		}
		copyStorage(d, l)
	case l.Engine != nil && mergeTree(d.Engine.Name) && mergeTree(l.Engine.Name):
		d.Indexes, d.Projections = l.Indexes, l.Projections
		if d.OrderBy != nil && d.OrderBy.Kind == ast.Tuple && len(d.OrderBy.Kids) == 0 {
			d.OrderBy = nil // the text need not have said so
		}
		fillKeys(d, l)
	}
}

func plain(n *ast.Node) string {
	if len(n.Kids) > 0 {
		return joined(n).Text
	}
	return n.Text
}

// unknownTypes are the live columns with types the desired text does not say.
func unknownTypes(columns []*ast.Column, reason string) []*ast.Column {
	unknown := ast.N(ast.Unknown, reason)
	out := make([]*ast.Column, len(columns))
	for i, c := range columns {
		column := *c
		column.Type = unknown
		out[i] = &column
	}
	return out
}

func (p *pair) columns(live, desired []*ast.Column, target *[]*ast.Column) {
	var byName map[string]*ast.Column
	var out []*ast.Column
	for i, d := range desired {
		var l *ast.Column
		if i < len(live) && live[i].Name == d.Name {
			l = live[i]
		} else {
			if byName == nil {
				byName = make(map[string]*ast.Column, len(live))
				for _, c := range live {
					byName[c.Name] = c
				}
			}
			l = byName[d.Name]
		}
		if l == nil || l == d || l.Default == nil && l.TTL == nil {
			continue
		}
		value, ttl := p.settle(l.Default, d.Default), p.settle(l.TTL, d.TTL)
		if value == d.Default && ttl == d.TTL {
			continue
		}
		if out == nil {
			out = append(make([]*ast.Column, 0, len(desired)), desired...)
		}
		c := *d
		c.Default, c.TTL = value, ttl
		out[i] = &c
	}
	if out != nil {
		*target = out
	}
}

// storage settles engine, keys, TTL, settings and the elements beside the columns. It changes d, which is the caller's own.
func (p *pair) storage(l, d *ast.Table) {
	d.Engine = p.engine(l.Engine, d.Engine)
	d.PartitionBy, d.OrderBy = p.settle(l.PartitionBy, d.PartitionBy), p.settle(l.OrderBy, d.OrderBy)
	d.PrimaryKey, d.SampleBy = p.settle(l.PrimaryKey, d.PrimaryKey), p.settle(l.SampleBy, d.SampleBy)
	d.UniqueKey = p.settle(l.UniqueKey, d.UniqueKey)
	d.TTL = p.settle(l.TTL, d.TTL)
	d.Settings = p.keyed(l.Settings, d.Settings)
	for i, x := range d.Indexes {
		for _, y := range l.Indexes {
			if x.Name != y.Name {
				continue
			}
			expr, typ := p.settle(y.Expr, x.Expr), p.indexType(y.Type, x.Type)
			if expr != x.Expr || typ != x.Type {
				d.Indexes = replaced(d.Indexes, i, &ast.Index{Name: x.Name, Expr: expr, Type: typ, Granularity: x.Granularity})
			}
		}
	}
	for i, x := range d.Projections {
		for _, y := range l.Projections {
			if query := p.settle(y.Query, x.Query); x.Name == y.Name && query != x.Query {
				c := *x
				c.Query = query
				d.Projections = replaced(d.Projections, i, &c)
			}
		}
	}
	for i, x := range d.Constraints {
		for _, y := range l.Constraints {
			if expr := p.settle(y.Expr, x.Expr); x.Name == y.Name && expr != x.Expr {
				d.Constraints = replaced(d.Constraints, i, &ast.Constraint{Name: x.Name, Kind: x.Kind, Expr: expr})
			}
		}
	}
}

// indexType settles the arguments that are expressions; the type itself and its tokenizer are no functions.
func (p *pair) indexType(l, d *ast.Node) *ast.Node {
	if l == nil || d == nil || equal(l, d) || len(l.Kids) != len(d.Kids) {
		return d
	}
	i := -1
	return with(d, each(d.Kids, func(k *ast.Node) *ast.Node {
		i++
		if other := l.Kids[i]; k.Kind == ast.Equals && k.Text == "preprocessor" && other.Kind == ast.Equals && other.Text == k.Text {
			return with(k, []*ast.Node{p.settle(other.Kids[0], k.Kids[0])})
		}
		return k
	}))
}

func replaced[T any](list []T, i int, v T) []T {
	out := append(make([]T, 0, len(list)), list...)
	out[i] = v
	return out
}

// engine: a desired engine that names no replica path has the live one, and on a service that makes every table Shared any
// desired engine of the family is that (cases S67, S68).
func (p *pair) engine(l, d *ast.Engine) *ast.Engine {
	if l == nil || d == nil || l == d {
		return d
	}
	c := *d
	if len(d.ReplicationArgs) == 0 {
		if l.Replication == d.Replication || l.Replication == "Shared" {
			c.Replication, c.ReplicationArgs = l.Replication, l.ReplicationArgs
		}
	}
	if l.Name == d.Name {
		c.Args = formatted(l, d)
	}
	if len(l.Args) == len(c.Args) {
		d = &ast.Engine{Name: d.Name, Args: c.Args}
		for i := range d.Args {
			arg := p.settle(l.Args[i], d.Args[i])
			if computed(arg) && !computed(l.Args[i]) && !mergeTree(d.Name) {
				arg = ast.N(ast.Unknown, "the server evaluates the engine argument "+excerpt(arg.String())+" when it creates the table")
			}
			if arg != c.Args[i] {
				c.Args = replaced(c.Args, i, arg)
			}
		}
	}
	return &c
}

// formatted: an engine over files finds the format out by the name of the file, and stores it as one more argument or in place of
// 'auto'.
func formatted(l, d *ast.Engine) []*ast.Node {
	if !overFiles(l.Name) {
		return d.Args
	}
	text := func(n *ast.Node) bool {
		if n.Kind != ast.String {
			return false
		}
		_, ok := facts.Format(n.Text)
		return ok
	}
	if len(l.Args) == len(d.Args) {
		for i, a := range d.Args {
			if a.Kind == ast.String && a.Text == "auto" && text(l.Args[i]) {
				return replaced(d.Args, i, l.Args[i])
			}
		}
		return d.Args
	}
	if len(l.Args) != len(d.Args)+1 {
		return d.Args
	}
	for i := len(d.Args); i > 0; i-- {
		if text(l.Args[i]) && alike(l.Args[:i], d.Args[:i]) && alike(l.Args[i+1:], d.Args[i:]) {
			return slices.Insert(slices.Clone(d.Args), i, l.Args[i])
		}
	}
	return d.Args
}

func overFiles(engine string) bool {
	switch engine {
	case "File", "URL", "S3", "S3Queue", "GCS", "COSN", "OSS", "HDFS", "AzureBlobStorage", "AzureQueue", "Hudi":
		return true
	}
	return strings.HasPrefix(engine, "DeltaLake") || strings.HasPrefix(engine, "Iceberg") || strings.HasPrefix(engine, "Paimon")
}

// alike reports whether the two lists are the same but for hidden secrets.
func alike(live, desired []*ast.Node) bool {
	return slices.EqualFunc(live, desired, func(l, d *ast.Node) bool { return equal(l, hidden(l, d)) })
}

func computed(n *ast.Node) bool { return n.Kind == ast.Func || n.Kind == ast.Operator }

func (p *pair) keyed(live, desired []ast.Setting) []ast.Setting {
	out := desired
	for i, s := range desired {
		for _, l := range live {
			if l.Name != s.Name {
				continue
			}
			if value := p.settle(l.Value, s.Value); value != s.Value {
				if same(out, desired) {
					out = append(make([]ast.Setting, 0, len(desired)), desired...)
				}
				out[i].Value = value
			}
		}
	}
	return out
}

func (p *pair) view(l, d *ast.View) *ast.View {
	d.Columns = p.listed(l.Columns, d.Columns)
	d.Query = p.settle(l.Query, d.Query)
	d.Security = p.security(l.Security, d.Security, "INVOKER")
	return d
}

// listed: a column list the author left out is the one the server inferred from the same query (cases S75, S76, S79).
func (p *pair) listed(live, desired []*ast.Column) []*ast.Column {
	if len(desired) == 0 {
		return live
	}
	p.columns(live, desired, &desired)
	return desired
}

// security: what the author left out is the server's default, and CURRENT_USER is whoever applied the definition (cases S83,
// S84).
func (p *pair) security(l, d ast.Security, byDefault string) ast.Security {
	if d == (ast.Security{}) && l.Mode == byDefault {
		return l
	}
	if d.Definer == currentUser && l.Definer != "" && l.Definer != currentUser && p.env.User == "" && d.Mode == l.Mode {
		d.Reason = "the text says CURRENT_USER, and who applied it is not known here"
	}
	return d
}

func (p *pair) materializedView(l, d *ast.MaterializedView) *ast.MaterializedView {
	d.Columns = p.listed(l.Columns, d.Columns)
	d.Query = p.settle(l.Query, d.Query)
	d.Security = p.security(l.Security, d.Security, "DEFINER")
	if l.Inner != nil && d.Inner != nil {
		p.storage(l.Inner, d.Inner)
	}
	return d
}

func (p *pair) dictionary(l, d *ast.Dictionary) *ast.Dictionary {
	if l.Source != nil && d.Source != nil {
		d.Source = &ast.Source{Kind: d.Source.Kind, Args: p.evaluated(l.Source.Args, p.keyed(l.Source.Args, d.Source.Args))}
	}
	for i, x := range d.Attributes {
		for _, y := range l.Attributes {
			if x.Name != y.Name {
				continue
			}
			value, expression := p.settle(y.Default, x.Default), p.settle(y.Expression, x.Expression)
			if value != x.Default || expression != x.Expression {
				c := *x
				c.Default, c.Expression = value, expression
				d.Attributes = replaced(d.Attributes, i, &c)
			}
		}
	}
	return d
}

// evaluated: a call in a dictionary's source is a value by the time the server stores it.
func (p *pair) evaluated(live, desired []ast.Setting) []ast.Setting {
	out := slices.Clone(desired)
	for i, s := range out {
		for _, l := range live {
			if l.Name == s.Name && computed(s.Value) && !computed(l.Value) {
				out[i].Value = ast.N(ast.Unknown, "the server evaluates "+excerpt(s.Value.String())+" when it creates the dictionary")
			}
		}
	}
	return out
}
