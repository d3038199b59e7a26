package canon

import (
	"math/big"
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
)

// The arguments Replicated engines have on a server with no setting of its own (case S67).
const (
	defaultReplicaPath = "/clickhouse/tables/{uuid}/{shard}"
	defaultReplicaName = "{replica}"
)

// engine splits the Replicated or Shared prefix off and evaluates the arguments the way the engine does.
func (f *form) engine(e *ast.Engine) *ast.Engine {
	if e == nil {
		return nil
	}
	name, replication, args := e.Name, e.Replication, e.Args
	paths := e.ReplicationArgs
	if family, prefix, ok := split(name); ok {
		name, replication = family, prefix
		paths, args = replicationArgs(args)
	}
	args = f.engineArgs(name, args)
	if name == e.Name && replication == e.Replication && same(args, e.Args) && same(paths, e.ReplicationArgs) && !e.HasParens {
		return e
	}
	return &ast.Engine{Name: name, Args: args, Replication: replication, ReplicationArgs: paths}
}

// split takes the prefix of a replicated engine off its family.
func split(name string) (family, prefix string, ok bool) {
	for _, prefix := range []string{"Replicated", "Shared"} {
		if family, ok := strings.CutPrefix(name, prefix); ok && mergeTree(family) {
			return family, prefix, true
		}
	}
	return "", "", false
}

// Family returns an engine as a definition states it: without the Replicated or Shared prefix that a platform gives it, and
// without the path and the replica name that go with that.
func Family(e *ast.Engine) *ast.Engine {
	if e == nil {
		return nil
	}
	family, _, replicated := split(e.Name)
	if !replicated {
		return e
	}
	_, args := replicationArgs(e.Args)
	return &ast.Engine{Name: family, Args: args, HasParens: len(args) > 0}
}

// replicationArgs takes the path and the replica name off the arguments; they go where they are the server's defaults.
func replicationArgs(args []*ast.Node) (paths, rest []*ast.Node) {
	n := 0
	for n < 2 && n < len(args) && args[n].Kind == ast.String {
		n++
	}
	paths, rest = args[:n], args[n:]
	if n == 2 && paths[0].Text == defaultReplicaPath && paths[1].Text == defaultReplicaName {
		paths = nil
	}
	if n == 1 && paths[0].Text == defaultReplicaPath {
		paths = nil
	}
	if len(paths) == 0 {
		paths = nil
	}
	return paths, rest
}

func (f *form) engineArgs(engine string, args []*ast.Node) []*ast.Node {
	switch {
	case len(args) == 0:
		return nil
	case mergeTree(engine):
		return each(args, f.key)
	case engine == "Join":
		i := 0
		return each(args, func(n *ast.Node) *ast.Node {
			i++
			if i <= 2 && n.Kind == ast.Ident && n.Text != strings.ToUpper(n.Text) {
				return at(n, ast.Ident, strings.ToUpper(n.Text))
			}
			return f.expr(n)
		})
	}
	if overFiles(engine) {
		args = behind(args)
	}
	i := 0
	return each(args, func(n *ast.Node) *ast.Node {
		i++
		if engine == "Distributed" && i == 4 {
			return f.expr(n) // the sharding key: a name there is a column
		}
		value := f.constant(n)
		if value.Kind == ast.String && value.Text == "" && ((engine == "Buffer" || engine == "Merge") && i == 1 || engine == "Distributed" && i == 2) && f.db != "" {
			return at(n, ast.String, f.db)
		}
		return value
	})
}

// behind puts what has no place among the arguments of an engine over files behind those that have one, where the server
// prints it unless it had to fill in a format.
func behind(args []*ast.Node) []*ast.Node {
	placed := func(n *ast.Node) int {
		if n.Kind == ast.Func && unplaced[n.Text] {
			return 1
		}
		return 0
	}
	inOrder := func(a, b *ast.Node) int {
		if c := placed(a) - placed(b); c != 0 || placed(a) == 0 {
			return c
		}
		return strings.Compare(a.Text, b.Text)
	}
	if slices.IsSortedFunc(args, inOrder) {
		return args
	}
	args = slices.Clone(args)
	slices.SortStableFunc(args, inOrder)
	return args
}

// unplaced are the arguments of engines over files that may stand anywhere.
var unplaced = map[string]bool{"headers": true, "extra_credentials": true}

// constant evaluates an argument that names something: ClickHouse stores Buffer(db, t) as Buffer('db', 't').
func (f *form) constant(n *ast.Node) *ast.Node {
	if n.Kind == ast.Ident {
		if len(n.Kids) > 0 {
			n = joined(n)
		}
		if len(n.Kids) == 0 {
			return at(n, ast.String, n.Text)
		}
		return n
	}
	if n.Kind == ast.Paren && len(n.Kids) == 1 {
		return f.constant(n.Kids[0])
	}
	if n.Kind == ast.Equals {
		return with(n, each(n.Kids, f.constant))
	}
	if n.Kind == ast.Func && unplaced[n.Text] {
		return with(n, each(n.Kids, func(k *ast.Node) *ast.Node {
			if k.Kind == ast.Operator && k.Text == "=" {
				return with(k, each(k.Kids, f.constant))
			}
			return f.constant(k)
		}))
	}
	n = f.expr(n)
	if n.Kind == ast.Operator {
		return f.folded(n)
	}
	if n.Kind != ast.Func {
		return n
	}
	if n.Text == "currentDatabase" && len(n.Kids) == 0 && f.db != "" {
		return at(n, ast.String, f.db)
	}
	values := make([]string, len(n.Kids))
	for i, k := range n.Kids {
		k = f.constant(k)
		if k.Kind != ast.String {
			return n
		}
		values[i] = k.Text
	}
	switch {
	case n.Text == "concat":
		return at(n, ast.String, strings.Join(values, ""))
	case n.Text == "lower" && len(values) == 1:
		return at(n, ast.String, strings.ToLower(values[0]))
	case n.Text == "upper" && len(values) == 1:
		return at(n, ast.String, strings.ToUpper(values[0]))
	case n.Text == "toString" && len(values) == 1:
		return at(n, ast.String, values[0])
	}
	return n
}

// folded is the value of a sum, a difference or a product of two whole numbers.
func (f *form) folded(n *ast.Node) *ast.Node {
	if len(n.Kids) != 2 {
		return n
	}
	var terms [2]*big.Int
	for i, k := range n.Kids {
		k = f.constant(k)
		value, ok := new(big.Int).SetString(k.Text, 10)
		if k.Kind != ast.Number || !ok {
			return n
		}
		terms[i] = value
	}
	result := new(big.Int)
	switch n.Text {
	case "+":
		result.Add(terms[0], terms[1])
	case "-":
		result.Sub(terms[0], terms[1])
	case "*":
		result.Mul(terms[0], terms[1])
	default:
		return n
	}
	if !result.IsInt64() {
		return n
	}
	return at(n, ast.Number, result.String())
}
