package service

import (
	"cmp"
	"slices"
	"strings"
)

// node is an object as the picture has it.
type node struct {
	*Object
	group, short string
	layer        int
	rank         float64 // place within its layer and group
	from, to     []*node // what its rows come from, and where they go
	ghost        bool    // of another group; it stands for the neighbour it is
	lane         bool    // no object: an arrow passes here, so that it does not run under a box
	// left and right are what arrows tie a node to, lanes included.
	left, right []*node
	x, y, w     int
}

func (n *node) linked() bool { return len(n.from)+len(n.to) > 0 }

// graph is the schema as rows flow through it.
type graph struct {
	nodes  []*node
	groups []string // databases in manifest order, and the kinds that live in none
	unfold bool     // every node is drawn
}

// newGraph lays an edge from each object to those that read it, and from each to those it writes.
func newGraph(objects []*Object) *graph {
	g := &graph{}
	byName := map[string]*node{}
	for _, o := range objects {
		if o.Kind == "database" {
			g.group(databaseOf(o.Name + ".x"))
			continue
		}
		n := &node{Object: o}
		n.group, n.short = place(o)
		g.group(n.group)
		g.nodes = append(g.nodes, n)
		byName[o.Name] = n
	}
	for _, n := range g.nodes {
		for _, name := range n.Reads {
			link(byName[name], n)
		}
		for _, name := range n.Writes {
			link(n, byName[name])
		}
	}
	layers(g.nodes)
	return g
}

func (g *graph) group(name string) {
	if !slices.Contains(g.groups, name) {
		g.groups = append(g.groups, name)
	}
}

func link(from, to *node) {
	if from == nil || to == nil || from == to || slices.Contains(from.to, to) {
		return
	}
	from.to = append(from.to, to)
	to.from = append(to.from, from)
}

// place returns the group of an object, and its name there.
func place(o *Object) (group, short string) {
	if database := databaseOf(o.Name); database != "" && o.Kind != "function" {
		return database, strings.TrimPrefix(o.Name, database+".")
	}
	return strings.ReplaceAll(o.Kind, "_", " ") + "s", o.Name
}

// databaseOf returns the database of a qualified name, quoted as it stands there; "" of a plain one.
func databaseOf(name string) string {
	quoted := false
	for i, r := range name {
		switch {
		case r == '`':
			quoted = !quoted
		case r == '.' && !quoted:
			return name[:i]
		}
	}
	return ""
}

// layers puts each node right of everything its rows come from. A cycle is cut where it is first closed.
func layers(nodes []*node) {
	const unseen, open, done = 0, 1, 2
	state := map[*node]int{}
	var visit func(n *node)
	visit = func(n *node) {
		state[n] = open
		n.layer = 0
		for _, f := range n.from {
			if state[f] == unseen {
				visit(f)
			}
			if state[f] == done {
				n.layer = max(n.layer, f.layer+1)
			}
		}
		state[n] = done
	}
	for _, n := range nodes {
		if state[n] == unseen {
			visit(n)
		}
	}
}

// way is where an arrow runs: the node it comes from, lanes, the node it goes to.
type way []*node

// ways lays every arrow. One that skips layers passes each of them in a lane of the group it goes to; arrows of one
// node share their lanes.
func (g *graph) ways() (ways []way, lanes []*node) {
	type key struct {
		from  *node
		group string
		layer int
	}
	shared := map[key]*node{}
	for _, n := range g.nodes {
		for _, t := range n.to {
			w := way{n}
			for layer := n.layer + 1; layer < t.layer; layer++ {
				k := key{n, t.group, layer}
				if shared[k] == nil {
					shared[k] = &node{group: t.group, layer: layer, lane: true}
					lanes = append(lanes, shared[k])
				}
				w = append(w, shared[k])
			}
			w = append(w, t)
			for i := range w[1:] {
				w[i].right = append(w[i].right, w[i+1])
				w[i+1].left = append(w[i+1].left, w[i])
			}
			ways = append(ways, w)
		}
	}
	return ways, lanes
}

// columns returns the nodes of a group that arrows touch, by layer. Each layer is ordered so that arrows cross little:
// by the mean place of their neighbours, left to right and back.
func columns(nodes []*node, group string) [][]*node {
	var columns [][]*node
	for _, n := range nodes {
		if n.group != group || len(n.left)+len(n.right) == 0 {
			continue
		}
		for len(columns) <= n.layer {
			columns = append(columns, nil)
		}
		n.rank = float64(len(columns[n.layer]))
		columns[n.layer] = append(columns[n.layer], n)
	}
	sort := func(column []*node, neighbours func(*node) []*node) {
		for _, n := range column {
			sum, count := 0.0, 0
			for _, other := range neighbours(n) {
				if other.group == group {
					sum += other.rank
					count++
				}
			}
			if count > 0 {
				n.rank = sum / float64(count)
			}
		}
		slices.SortStableFunc(column, func(a, b *node) int { return cmp.Compare(a.rank, b.rank) })
		for i, n := range column {
			n.rank = float64(i)
		}
	}
	for range 3 {
		for _, column := range columns {
			sort(column, func(n *node) []*node { return n.left })
		}
		for _, column := range slices.Backward(columns) {
			sort(column, func(n *node) []*node { return n.right })
		}
	}
	return columns
}

// around returns a graph of one group with the neighbours it has elsewhere as ghosts.
func (g *graph) around(group string) *graph {
	part := &graph{groups: []string{group}}
	twin := map[*node]*node{}
	copyOf := func(n *node) *node {
		if twin[n] == nil {
			c := &node{Object: n.Object, group: group, short: n.short, ghost: n.group != group}
			if c.ghost {
				c.short = n.Name
			}
			twin[n] = c
			part.nodes = append(part.nodes, c)
		}
		return twin[n]
	}
	for _, n := range g.nodes {
		if n.group != group {
			continue
		}
		own := copyOf(n)
		for _, f := range n.from {
			link(copyOf(f), own)
		}
		for _, t := range n.to {
			link(own, copyOf(t))
		}
	}
	layers(part.nodes)
	return part
}

// overview returns a graph whose nodes are the groups.
func (g *graph) overview() (*graph, map[[2]*node]int) {
	whole := &graph{groups: []string{""}, unfold: true}
	byGroup := map[string]*node{}
	for _, name := range g.groups {
		byGroup[name] = &node{Object: &Object{Name: name}, short: name}
		whole.nodes = append(whole.nodes, byGroup[name])
	}
	weight := map[[2]*node]int{}
	for _, n := range g.nodes {
		for _, t := range n.to {
			a, b := byGroup[n.group], byGroup[t.group]
			if a != b {
				weight[[2]*node{a, b}]++
				link(a, b)
			}
		}
	}
	layers(whole.nodes)
	return whole, weight
}
