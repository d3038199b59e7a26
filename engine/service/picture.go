package service

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Sizes of the picture, in its own units, which are CSS pixels at full size.
const (
	boxHeight   = 44
	rowGap      = 10
	columnGap   = 52
	bandPadding = 16
	bandTitle   = 30
	bandGap     = 18
	boxPadding  = 34 // the stripe on the left, the sign on the right, and air
	letter      = 7.3
	longestName = 32 // letters of a name that is not cut
	leastBox    = 132
	leastShelf  = 620
	laneHeight  = 8
	tipLength   = 7

	// drawnWhole is the most objects that one picture shows one by one; more are shown by database, each with a picture
	// of its own to unfold.
	drawnWhole = 60
	// drawnLinked is the most linked objects of one database that a picture still helps with.
	drawnLinked = 200
	// looseShown is the most objects without arrows that a band lists one by one.
	looseShown = 12
)

// picture is a drawing of the schema: boxes in bands, and arrows the way rows flow.
type picture struct {
	ID            string
	Title, About  string
	Width, Height int
	Bands         []band
	Boxes         []box
	Arrows        []arrow

	at map[*node]int // the index of a node's box
}

type band struct {
	X, Y, W, H int
	Name       string
}

type box struct {
	X, Y, W, H  int
	Kind, Label string
	Class       string // of the outcome
	Shape       string // of the kind
	Sign        string // the outcome as a sign, beside its colour
	SignX       int    // from the left edge
	Radius      int
	Href        string
	Full        string // what the box stands for, in words
}

type arrow struct {
	D, Class, Full string
	Width          float64
	Label          string
	LabelX, LabelY int
}

// pictures of a schema: one whole picture, or an overview and a part for each database.
type pictures struct {
	Whole *picture // nil where there is nothing to draw
	Parts []part
}

type part struct {
	Name, Count string
	Picture     *picture // nil where there are too many arrows for one
	Problem     string   // the worst outcome in it, "" where there is nothing to see
}

func draw(objects []*Object) *pictures {
	g := newGraph(objects)
	if len(g.nodes) == 0 {
		return &pictures{}
	}
	if len(g.nodes) <= drawnWhole {
		return &pictures{Whole: g.picture("schema", "The schema", fmt.Sprintf("%d objects in %d groups; arrows show how rows flow.", len(g.nodes), len(g.groups)))}
	}
	all := &pictures{Whole: g.drawOverview()}
	for i, name := range g.groups {
		own, linked, class := 0, 0, ""
		counts := map[string]int{}
		for _, n := range g.nodes {
			if n.group != name {
				continue
			}
			own++
			counts[n.Kind]++
			if n.linked() {
				linked++
			}
			class = worse(class, classOf(n.Object))
		}
		p := part{Name: name, Count: kindCounts(counts), Problem: problem(class)}
		if linked <= drawnLinked && own > 0 {
			p.Picture = g.around(name).picture(fmt.Sprintf("part%d", i), name, p.Count+"; arrows show how rows flow.")
		}
		all.Parts = append(all.Parts, p)
	}
	return all
}

// picture draws every node of the graph, group by group below each other, layer by layer from left to right.
func (g *graph) picture(id, title, about string) *picture {
	p := &picture{ID: id, Title: title, About: about, at: map[*node]int{}}
	ways, lanes := g.ways()
	placed := slices.Concat(g.nodes, lanes)
	widths := g.layerWidths()
	y := 0
	for _, group := range g.groups {
		columns := columns(placed, group)
		loose := g.loose(group)
		if len(columns)+len(loose) == 0 {
			continue
		}
		top := y
		below, right := p.stack(columns, widths, y+bandTitle)
		y = p.shelve(loose, below, max(right, leastShelf))
		y += bandPadding - rowGap
		p.Bands = append(p.Bands, band{0, top, 0, y - top, group})
		y += bandGap
		p.Height = y - bandGap
	}
	for _, b := range p.Boxes {
		p.Width = max(p.Width, b.X+b.W+bandPadding)
	}
	for i := range p.Bands {
		p.Bands[i].W = p.Width
	}
	for _, w := range ways {
		p.Arrows = append(p.Arrows, arrowAlong(w))
	}
	return p
}

// stack puts columns beside each other from a height on, and returns where they end below and on the right.
func (p *picture) stack(columns [][]*node, widths []int, top int) (below, right int) {
	below = top
	x := bandPadding
	for layer, column := range columns {
		y := top
		for _, n := range column {
			height := laneHeight
			if n.lane {
				n.x, n.y, n.w = x, y+laneHeight/2, widths[layer]
			} else {
				height = boxHeight
				p.add(n, x, y, widths[layer])
			}
			y += height + rowGap
		}
		below = max(below, y)
		right = x + widths[layer]
		x = right + columnGap
	}
	return below, right
}

// layerWidths returns the width of each layer's boxes. All groups share the layers, so that arrows run left to right.
func (g *graph) layerWidths() []int {
	var widths []int
	for _, n := range g.nodes {
		if !n.linked() {
			continue
		}
		for len(widths) <= n.layer {
			widths = append(widths, leastBox)
		}
		widths[n.layer] = max(widths[n.layer], widthOf(n))
	}
	return widths
}

func widthOf(n *node) int {
	return max(int(float64(min(utf8.RuneCountInString(n.short), longestName))*letter)+boxPadding, leastBox)
}

// loose are the nodes of a group that no arrow touches. Many of a kind become one.
func (g *graph) loose(group string) []*node {
	var loose []*node
	for _, n := range g.nodes {
		if n.group == group && !n.linked() {
			loose = append(loose, n)
		}
	}
	if len(loose) <= looseShown || g.unfold {
		return loose
	}
	var kinds []*node
	for _, n := range loose {
		i := slices.IndexFunc(kinds, func(k *node) bool { return k.Kind == n.Kind && classOf(k.Object) == classOf(n.Object) })
		if i < 0 {
			heap := *n.Object
			kinds = append(kinds, &node{Object: &heap, group: group, rank: 1})
			continue
		}
		kinds[i].rank++
	}
	for _, k := range kinds {
		k.short = fmt.Sprintf("%d without arrows", int(k.rank))
		if k.rank == 1 {
			k.short = strings.TrimPrefix(k.Name, group+".")
		} else {
			k.Name = k.short
		}
	}
	return kinds
}

// shelve puts boxes in rows of a width, and returns where the next thing may begin.
func (p *picture) shelve(loose []*node, y, width int) int {
	x := bandPadding
	for _, n := range loose {
		w := widthOf(n)
		if x > bandPadding && x+w > bandPadding+width {
			x, y = bandPadding, y+boxHeight+rowGap
		}
		p.add(n, x, y, w)
		x += w + rowGap
	}
	if len(loose) > 0 {
		y += boxHeight + rowGap
	}
	return y
}

func (p *picture) add(n *node, x, y, w int) {
	n.x, n.y, n.w = x, y+boxHeight/2, w
	p.at[n] = len(p.Boxes)
	p.Boxes = append(p.Boxes, boxOf(n, x, y, w))
}

func boxOf(n *node, x, y, w int) box {
	kind := strings.ReplaceAll(n.Kind, "_", " ")
	class := classOf(n.Object)
	b := box{
		X: x, Y: y, W: w, H: boxHeight, Kind: kind, Label: shorten(n.short), Class: class, Shape: "is-" + strings.ReplaceAll(n.Kind, "_", "-"),
		Sign: signOf(class), SignX: w - 16, Radius: 4, Href: "#" + anchor(n.Object), Full: fmt.Sprintf("%s %s: %s", kind, n.Name, told(n.Object)),
	}
	switch n.Kind {
	case "view", "materialized_view":
		b.Radius = boxHeight / 2
	case "dictionary":
		b.Radius = 12
	}
	if n.ghost {
		b.Class += " ghost"
	}
	return b
}

// shorten cuts the middle out of a name: its two ends tell it apart.
func shorten(name string) string {
	letters := []rune(name)
	if len(letters) <= longestName {
		return name
	}
	half := (longestName - 1) / 2
	return string(letters[:half]) + "…" + string(letters[len(letters)-half:])
}

// arrowAlong draws an arrow from the right of its first node to the left of its last, level through its lanes.
func arrowAlong(w way) arrow {
	from, to := w[0], w[len(w)-1]
	a := arrow{Class: "reads", Full: from.Name + " is read by " + to.Name, Width: 1.5}
	if slices.Contains(from.Writes, to.Name) {
		a.Class, a.Full = "writes", from.Name+" writes "+to.Name
	}
	var d strings.Builder
	fmt.Fprintf(&d, "M%d %d", from.x+from.w, from.y)
	for i, n := range w[1:] {
		before := w[i]
		x1, x2 := before.x+before.w, n.x
		if n == to {
			x2 -= tipLength
		}
		bend := max((x2-x1)/2, columnGap/2) // an arrow against the current swings out
		fmt.Fprintf(&d, "C%d %d %d %d %d %d", x1+bend, before.y, x2-bend, n.y, x2, n.y)
		if n.lane {
			fmt.Fprintf(&d, "H%d", n.x+n.w)
		}
	}
	a.D = d.String()
	return a
}

// drawOverview draws one box for each group, and arrows that say how many objects of one feed the other.
func (g *graph) drawOverview() *picture {
	whole, weight := g.overview()
	for _, w := range whole.nodes {
		own, class := 0, ""
		for _, n := range g.nodes {
			if n.group == w.Name {
				own++
				class = worse(class, classOf(n.Object))
			}
		}
		w.Kind, w.Outcome = plural(own, "object"), outcomeOf(class)
	}
	p := whole.picture("overview", "The databases", fmt.Sprintf("%d objects in %d groups; an arrow says how many links lead from one to the other.", len(g.nodes), len(g.groups)))
	p.Bands = nil
	for _, n := range whole.nodes {
		b := &p.Boxes[p.at[n]]
		b.Shape, b.Radius, b.Href, b.Full = "is-group", 8, "#group-"+n.Name, n.Name+": "+n.Kind
	}
	i := 0 // arrows are in the order of their nodes
	for _, n := range whole.nodes {
		for _, t := range n.to {
			links := weight[[2]*node{n, t}]
			a := &p.Arrows[i]
			i++
			a.Class, a.Full, a.Label = "many", fmt.Sprintf("%s from %s to %s", plural(links, "link"), n.Name, t.Name), fmt.Sprint(links)
			a.LabelX, a.LabelY = t.x-columnGap/2, t.y-6
			a.Width = min(1.5+float64(links)/8, 6)
		}
	}
	return p
}

func kindCounts(counts map[string]int) string {
	var parts []string
	for _, kind := range []string{"table", "view", "materialized_view", "dictionary", "function"} {
		if n := counts[kind]; n > 0 {
			parts = append(parts, plural(n, strings.ReplaceAll(kind, "_", " ")))
			delete(counts, kind)
		}
	}
	others := 0
	for _, n := range counts {
		others += n
	}
	if others > 0 {
		parts = append(parts, plural(others, "other"))
	}
	return strings.Join(parts, ", ")
}

func plural(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "y"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(noun, "y"))
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
