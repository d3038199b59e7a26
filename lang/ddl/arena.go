package ddl

import "github.com/dfe-engine/dfe/ast"

// arena hands out nodes and lists of nodes from blocks, so that a statement costs a few allocations instead of one for
// each node. A block lives as long as any node in it; nodes are immutable, so that is all there is to know.
type arena struct {
	nodes   []ast.Node
	kids    []*ast.Node
	columns []ast.Column
	// stack holds the kids of lists being read; list moves them out.
	stack []*ast.Node
	next  int // size of the next block of nodes
}

const maxBlock = 512

// expect sizes the first block for a statement of so many tokens.
func (a *arena) expect(tokens int) {
	a.next = min(max(tokens/2, 8), maxBlock)
}

func (a *arena) node() *ast.Node {
	if len(a.nodes) == 0 {
		a.nodes = make([]ast.Node, a.next)
		a.next = min(max(a.next/2, 32), maxBlock)
	}
	n := &a.nodes[0]
	a.nodes = a.nodes[1:]
	return n
}

// list moves what was pushed since mark into a slice of its own.
func (a *arena) list(mark int) []*ast.Node {
	items := a.stack[mark:]
	a.stack = a.stack[:mark]
	return a.copyKids(items)
}

func (a *arena) copyKids(items []*ast.Node) []*ast.Node {
	n := len(items)
	if n == 0 {
		return nil
	}
	if n > len(a.kids) {
		if n > maxBlock/4 {
			return append([]*ast.Node(nil), items...)
		}
		a.kids = make([]*ast.Node, max(a.next, n))
	}
	out := a.kids[:n:n]
	a.kids = a.kids[n:]
	copy(out, items)
	return out
}

// column returns a fresh column.
func (a *arena) column(seen int) *ast.Column {
	if len(a.columns) == 0 {
		a.columns = make([]ast.Column, min(max(seen, 4), 128))
	}
	c := &a.columns[0]
	a.columns = a.columns[1:]
	return c
}

// leaf returns a node without kids at the token with index tok.
func (p *parser) leaf(kind ast.NodeKind, text string, tok int) *node {
	n := p.arena.node()
	n.Kind, n.Text, n.Pos = kind, text, p.toks[tok].Pos
	return n
}

// node1, node2 and node3 return nodes with so many kids, at the token with index tok.
func (p *parser) node1(kind ast.NodeKind, text string, tok int, a *node) *node {
	n := p.leaf(kind, text, tok)
	n.Kids = p.arena.copyKids([]*node{a})
	return n
}

func (p *parser) node2(kind ast.NodeKind, text string, tok int, a, b *node) *node {
	n := p.leaf(kind, text, tok)
	n.Kids = p.arena.copyKids([]*node{a, b})
	return n
}

func (p *parser) node3(kind ast.NodeKind, text string, tok int, a, b, c *node) *node {
	n := p.leaf(kind, text, tok)
	n.Kids = p.arena.copyKids([]*node{a, b, c})
	return n
}

// mark and push collect kids; list makes the node of those pushed since mark. A parsing function that gives up between
// them leaves its kids on the stack, where drop removes them.
func (p *parser) mark() int { return len(p.arena.stack) }

func (p *parser) push(n *node) { p.arena.stack = append(p.arena.stack, n) }

func (p *parser) list(kind ast.NodeKind, text string, tok, mark int) *node {
	n := p.leaf(kind, text, tok)
	n.Kids = p.arena.list(mark)
	return n
}

func (p *parser) drop(mark int) *node {
	p.arena.stack = p.arena.stack[:mark]
	return nil
}
