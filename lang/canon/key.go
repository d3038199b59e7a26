package canon

import "github.com/dfe-engine/dfe/ast"

// key returns a sorting, primary, partition or sampling key: one expression, or a Tuple of several or none. (k), tuple(k)
// and k are one key (case S50).
func (f *form) key(n *ast.Node) *ast.Node {
	if n == nil {
		return nil
	}
	n = f.keyElement(n)
	if n.Kind == ast.List {
		n = at(n, ast.Tuple, "", n.Kids...)
	}
	if n.Kind == ast.Tuple && len(n.Kids) == 1 {
		return n.Kids[0]
	}
	return n
}

func (f *form) keyElement(n *ast.Node) *ast.Node {
	switch {
	case n.Kind == ast.Paren:
		return f.keyElement(n.Kids[0])
	case n.Kind == ast.Clause && n.Text == "ASC" && len(n.Kids) == 1:
		return f.expr(n.Kids[0])
	case n.Kind == ast.Tuple || n.Kind == ast.List:
		return with(n, each(n.Kids, f.keyElement))
	case n.Kind == ast.Func && n.Text == "tuple":
		return at(n, ast.Tuple, "", each(n.Kids, f.keyElement)...)
	}
	return f.expr(n)
}

// undirected is the key without DESC: what an implied primary key has.
func undirected(n *ast.Node) *ast.Node {
	switch {
	case n == nil:
		return nil
	case n.Kind == ast.Clause && n.Text == "DESC":
		return n.Kids[0]
	case n.Kind == ast.Tuple:
		return with(n, each(n.Kids, undirected))
	}
	return n
}

// keys fills in what one key implies of the other (case S51) and leaves out a primary key that is the sorting key. sorted is
// whether the engine has a sorting key at all.
func (f *form) keys(t *ast.Table, sorted bool) {
	t.PartitionBy, t.OrderBy, t.PrimaryKey, t.SampleBy = f.key(t.PartitionBy), f.key(t.OrderBy), f.key(t.PrimaryKey), f.key(t.SampleBy)
	t.UniqueKey = f.key(t.UniqueKey)
	if t.PartitionBy != nil && t.PartitionBy.Kind == ast.Tuple && len(t.PartitionBy.Kids) == 0 {
		t.PartitionBy = nil
	}
	if !sorted {
		return
	}
	if t.OrderBy == nil {
		t.OrderBy = t.PrimaryKey
		if t.OrderBy == nil {
			t.OrderBy = ast.N(ast.Tuple, "")
		}
	}
	if t.PrimaryKey != nil && equal(t.PrimaryKey, undirected(t.OrderBy)) {
		t.PrimaryKey = nil
	}
}
