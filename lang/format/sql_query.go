package format

import "github.com/dfe-engine/dfe/lang/lex"

// clause is one clause of a query: its keywords [from, body) and what they rule [body, to).
type clause struct {
	kind           clauseKind
	from, body, to int
}

type clauseKind uint8

const (
	plainClause  clauseKind = iota // keywords and content on one line
	listClause                     // each element on a line of its own where there are several
	tableClause                    // FROM and JOIN: a subquery begins on a line of its own
	deepClause                     // WITH TOTALS and its like: a step deeper
	switchClause                   // UNION and its like: between two queries
	commaClause                    // a comma between tables
)

// query lays out the query [i, j), which begins where the printer stands.
func (p *printer) query(i, j, indent int) {
	for n, c := range p.clauses(i, j) {
		switch {
		case n == 0:
		case c.kind == deepClause:
			p.line(indent + step)
		default:
			p.line(indent)
		}
		for k := c.from; k < c.body; k++ {
			p.pieces[k].keyword = p.pieces[k].keyword || p.pieces[k].Kind == lex.Word
			p.put(k)
		}
		switch {
		case c.kind == listClause:
			p.list(c, indent)
		default:
			if (c.kind == tableClause || c.kind == switchClause) && c.body < c.to && p.pieces[c.body].query {
				p.line(indent)
			}
			p.expression(c.body, c.to, indent)
		}
	}
}

// list lays out the elements of a clause: one behind its keyword, several, and those of WITH, each on a line.
func (p *printer) list(c clause, indent int) {
	elements := p.split(c.body, c.to)
	with := p.pieces[c.from].is(lex.KwWith)
	if len(elements) < 2 && !with {
		p.expression(c.body, c.to, indent)
		return
	}
	for _, e := range elements {
		p.line(indent + step)
		if k := e[0] + 2; with && k < e[1] && p.pieces[k-1].is(lex.KwAs) && p.pieces[k].query { // name AS (query)
			p.pieces[k-1].keyword = true
			p.put(e[0])
			p.put(k - 1)
			p.line(indent + step)
			p.expression(k, e[1], indent+step)
			continue
		}
		p.expression(e[0], e[1], indent+step)
	}
}

// split cuts [i, j) at its commas; an element keeps the comma behind it.
func (p *printer) split(i, j int) [][2]int {
	var elements [][2]int
	from := i
	for k := i; k < j; k = p.after(k) {
		if p.pieces[k].Kind == lex.Comma {
			elements = append(elements, [2]int{from, k + 1})
			from = k + 1
		}
	}
	if from < j {
		elements = append(elements, [2]int{from, j})
	}
	return elements
}

// after is the index behind a piece, and behind all its bracket holds.
func (p *printer) after(k int) int {
	if mate := p.pieces[k].mate; mate > k {
		return mate + 1
	}
	return k + 1
}

// expression writes [i, j) on one line, but for the queries in it and, in a list of columns, its tuples.
func (p *printer) expression(i, j, indent int) {
	for k := i; k < j; k++ {
		if p.types && p.pieces[k].text == "Tuple" && p.pieces[k+1].Kind == lex.LParen && p.pieces[k+1].mate < j {
			k = p.tuple(k, indent)
			continue
		}
		if !p.pieces[k].query || p.pieces[k].mate >= j {
			p.put(k)
			continue
		}
		mate := p.pieces[k].mate
		p.put(k)
		p.line(indent + step)
		p.query(k+1, mate, indent+step)
		p.line(indent)
		p.notes = indent + step
		p.put(mate)
		p.indent = indent + step
		k = mate
	}
}

// tuple lays out a Tuple type, each element on a line where there are several, and returns the index of its last piece.
func (p *printer) tuple(k, indent int) int {
	mate := p.pieces[k+1].mate
	p.put(k)
	p.put(k + 1)
	elements := p.split(k+2, mate)
	if len(elements) > 1 {
		indent += step
	}
	for _, e := range elements {
		if len(elements) > 1 {
			p.line(indent)
		}
		p.expression(e[0], e[1], indent)
	}
	p.put(mate)
	return mate
}

// clauses cuts the query [i, j) into its clauses.
func (p *printer) clauses(i, j int) []clause {
	list := []clause{{from: i, body: i, to: j}}
	tables := false // inside FROM
	for k := i; k < j; {
		kind, length := p.clauseAt(k, k == i || list[len(list)-1].kind == switchClause && list[len(list)-1].body == k, tables)
		if length == 0 {
			k = p.after(k)
			continue
		}
		if k == i {
			list = list[:0]
		} else {
			list[len(list)-1].to = k
		}
		list = append(list, clause{kind: kind, from: k, body: min(k+length, j), to: j})
		switch {
		case kind == tableClause:
			tables = true
		case kind != commaClause && !p.pieces[k].is(lex.KwFinal, lex.KwSample, lex.KwArray, lex.KwLeft):
			tables = false
		}
		k += length
		if kind == commaClause && k < j && p.pieces[k].query {
			continue
		}
	}
	return list
}

// clauseAt reads the keywords of a clause at k: how many there are, 0 for none. first is true where a query begins.
func (p *printer) clauseAt(k int, first, tables bool) (clauseKind, int) {
	t := p.pieces[k]
	next := p.pieces[min(k+1, len(p.pieces)-1)]
	switch {
	case t.Kind == lex.Comma && tables:
		return commaClause, 1
	case t.Kind != lex.Word || t.Word == 0:
		return 0, 0
	case t.is(lex.KwSelect) && (first || !t.operand || t.keyword):
		n := 1
		if next.is(lex.KwDistinct) {
			n++
		}
		return listClause, n
	case t.is(lex.KwWith) && first:
		if next.is(lex.KwRecursive) {
			return listClause, 2
		}
		return listClause, 1
	case t.operand || k > 0 && p.pieces[k-1].is(lex.KwAs) && p.pieces[k-1].keyword || k > 0 && p.pieces[k-1].Kind == lex.Dot:
		return 0, 0
	}
	return p.innerClause(k, t, next, tables)
}

// innerClause reads the keywords of a clause that is not the first of its query.
func (p *printer) innerClause(k int, t, next piece, tables bool) (clauseKind, int) {
	before := p.pieces[max(k-1, 0)]
	switch {
	case t.is(lex.KwFrom) && !before.is(lex.KwDistinct, lex.KwFill):
		return tableClause, 1
	case t.is(lex.KwPrewhere, lex.KwWhere, lex.KwHaving, lex.KwQualify, lex.KwOffset):
		return plainClause, 1
	case t.is(lex.KwGroup, lex.KwOrder) && next.is(lex.KwBy):
		return listClause, 2
	case t.is(lex.KwWindow) && next.name():
		return listClause, 1
	case t.is(lex.KwLimit):
		return p.limit(k)
	case t.is(lex.KwSettings) && next.name(), t.is(lex.KwFormat) && next.name(), t.is(lex.KwInterpolate):
		return plainClause, 1
	case t.is(lex.KwWith) && next.is(lex.KwTotals, lex.KwRollup, lex.KwCube):
		return deepClause, 2
	case t.is(lex.KwUnion, lex.KwIntersect), t.is(lex.KwExcept) && p.queryFollows(k+1):
		if next.is(lex.KwAll, lex.KwDistinct) {
			return switchClause, 2
		}
		return switchClause, 1
	case tables && t.is(lex.KwFinal, lex.KwSample):
		return plainClause, 1
	}
	return p.join(k)
}

// limit is LIMIT n, or LIMIT n BY with a list.
func (p *printer) limit(k int) (clauseKind, int) {
	for i := k + 1; i < len(p.pieces) && i < k+6; i++ {
		switch {
		case p.pieces[i].is(lex.KwBy):
			return listClause, i - k + 1
		case p.pieces[i].Kind == lex.Number, p.pieces[i].Kind == lex.Comma, p.pieces[i].is(lex.KwOffset):
		default:
			return plainClause, 1
		}
	}
	return plainClause, 1
}

// queryFollows reports that a query begins at k, perhaps behind ALL or DISTINCT.
func (p *printer) queryFollows(k int) bool {
	if k < len(p.pieces) && p.pieces[k].is(lex.KwAll, lex.KwDistinct) {
		k++
	}
	return k < len(p.pieces) && (p.pieces[k].is(lex.KwSelect, lex.KwWith) || p.pieces[k].query)
}

// join reads the words of a join.
func (p *printer) join(k int) (clauseKind, int) {
	for i := k; i < len(p.pieces) && i < k+6; i++ {
		t := p.pieces[i]
		switch {
		case t.is(lex.KwJoin) && i > k && p.pieces[i-1].is(lex.KwArray):
			return listClause, i - k + 1
		case t.is(lex.KwJoin):
			return tableClause, i - k + 1
		case !t.is(lex.KwGlobal, lex.KwLocal, lex.KwNatural, lex.KwAny, lex.KwAll, lex.KwAsof, lex.KwSemi, lex.KwAnti, lex.KwInner, lex.KwLeft, lex.KwRight,
			lex.KwFull, lex.KwCross, lex.KwPaste, lex.KwOuter, lex.KwArray):
			return 0, 0
		}
	}
	return 0, 0
}
