package canon

import "github.com/dfe-engine/dfe/ast"

// Object returns the canonical form of one object. Subtrees that are canonical already are shared with o, which is never
// changed. Nested columns are flattened, as flatten_nested = 1 does; [Pair] decides by the live shape.
func Object(o ast.Object, env Env) ast.Object {
	f := newForm(o, env)
	return f.object(o)
}

// form is one pass over one object.
type form struct {
	env Env
	db  string
	// query is true inside a SELECT: there a dotted name may be table.column, elsewhere it is one column or subcolumn.
	query bool
	scope *scope
	// nested names the columns whose live shape is an unflattened Nested.
	nested map[string]bool
	// facing is the live object the form is made for, if any.
	facing ast.Object
	// lossy: the live text was read by something that put U+FFFD for bytes that are no UTF-8.
	lossy bool
	// inlining is how deep SQL functions are inside each other.
	inlining int
	// copies is how many tables that copy each other led here.
	copies int
}

func newForm(o ast.Object, env Env) *form {
	f := &form{env: env, db: env.Database}
	if f.db == "" {
		f.db = o.ID().Database
	}
	return f
}

func (f *form) object(o ast.Object) ast.Object {
	switch o := o.(type) {
	case *ast.Table:
		return f.table(o)
	case *ast.View:
		return f.view(o)
	case *ast.MaterializedView:
		return f.materializedView(o)
	case *ast.Dictionary:
		return f.dictionary(o)
	case *ast.Function:
		return f.function(o)
	case *ast.Database:
		return f.database(o)
	case *ast.NamedCollection:
		return f.namedCollection(o)
	case *ast.Role:
		return f.role(o)
	case *ast.User:
		return f.user(o)
	case *ast.SettingsProfile:
		return f.settingsProfile(o)
	case *ast.Quota:
		return f.quota(o)
	case *ast.RowPolicy:
		return f.rowPolicy(o)
	case *ast.Grant:
		return f.grant(o)
	}
	return o
}

func (f *form) function(o *ast.Function) ast.Object {
	body := f.expr(o.Lambda)
	if body == o.Lambda {
		return o
	}
	c := *o
	c.Lambda = body
	return &c
}

func (f *form) database(o *ast.Database) ast.Object {
	engine := f.engine(o.Engine)
	if engine == o.Engine {
		return o
	}
	c := *o
	c.Engine = engine
	return &c
}

// each applies change to every node of list and returns list itself where nothing changed. A nil answer leaves the node out.
func each(list []*ast.Node, change func(*ast.Node) *ast.Node) []*ast.Node {
	for i, old := range list {
		node := change(old)
		if node == old {
			continue
		}
		out := make([]*ast.Node, i, len(list))
		copy(out, list)
		if node != nil {
			out = append(out, node)
		}
		for _, old := range list[i+1:] {
			if node := change(old); node != nil {
				out = append(out, node)
			}
		}
		return out
	}
	return list
}

// with returns n with other kids, or n itself where they are its own.
func with(n *ast.Node, kids []*ast.Node) *ast.Node {
	if same(n.Kids, kids) {
		return n
	}
	return &ast.Node{Kind: n.Kind, Pos: n.Pos, Text: n.Text, Kids: kids}
}

// same reports whether the two slices are one.
func same[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// at returns a node that stands where n stood.
func at(n *ast.Node, kind ast.NodeKind, text string, kids ...*ast.Node) *ast.Node {
	return &ast.Node{Kind: kind, Pos: n.Pos, Text: text, Kids: kids}
}

func equal(a, b *ast.Node) bool { return ast.Compare(a, b) == ast.Same }
