package format

import "github.com/dfe-engine/dfe/lang/lex"

// statement lays out the CREATE statement [i, j), which begins where the printer stands.
func (p *printer) statement(i, j int) {
	for k := i; k < j && p.pieces[k].Kind == lex.Word; k++ { // CREATE OR REPLACE TABLE IF NOT EXISTS
		if !p.pieces[k].is(lex.KwCreate, lex.KwAttach, lex.KwOr, lex.KwReplace, lex.KwTemporary, lex.KwTable, lex.KwMaterialized, lex.KwView,
			lex.KwDictionary, lex.KwDatabase, lex.KwFunction, lex.KwIf, lex.KwNot, lex.KwExists) {
			break
		}
		p.pieces[k].keyword = true
	}
	function := false
	columns := false // the column list was seen
	settled := false // a clause was: no column list follows
	for k := i; k < j; {
		t := p.pieces[k]
		function = function || !settled && t.is(lex.KwFunction) && t.keyword
		switch length := p.part(k); {
		case function || length == 0 && (t.Kind != lex.LParen || settled || columns):
			if p.pieces[k].query {
				p.expression(k, t.mate+1, 0)
				k = t.mate + 1
				continue
			}
			if end := p.after(k); end > k+1 && t.Kind == lex.LParen {
				p.expression(k, end, 0)
				k = end
				continue
			}
			t := &p.pieces[k]
			t.keyword = t.keyword || !t.operand && own[t.Word] && p.pieces[max(k-1, 0)].Kind != lex.Dot
			p.put(k)
			k++
		case length == 0:
			columns = true
			p.columns(k)
			k = t.mate + 1
		case t.is(lex.KwAs):
			p.line(0)
			p.word(k)
			end := p.queryEnd(k+1, j)
			p.query(k+1, end, 0)
			k = end
			settled = true
		default:
			settled = settled || !t.is(lex.KwRefresh)
			p.line(0)
			if mate := p.pieces[k+1].mate; t.is(lex.KwSource, lex.KwLayout) && mate > 0 {
				p.plain(k+2, mate) // what it takes are names and values
			}
			for ; length > 0; length-- {
				p.word(k)
				k++
			}
		}
	}
}

// plain takes words for names.
func (p *printer) plain(i, j int) {
	for ; i < j; i++ {
		p.pieces[i].keyword = false
	}
}

// own are words of a statement's own grammar behind a name.
var own = words(lex.KwTo, lex.KwEvery, lex.KwAfter, lex.KwRandomize, lex.KwDepends, lex.KwSql, lex.KwSecurity, lex.KwDefiner, lex.KwInvoker,
	lex.KwNone, lex.KwCluster, lex.KwUuid, lex.KwClone, lex.KwOn, lex.KwVolume, lex.KwDisk, lex.KwRecompress)

// word writes a word of the grammar.
func (p *printer) word(k int) {
	p.pieces[k].keyword = true
	p.put(k)
}

// part reads the keywords that begin a part of a statement at k: how many there are, 0 for none.
func (p *printer) part(k int) int {
	t, next := p.pieces[k], p.pieces[min(k+1, len(p.pieces)-1)]
	if t.Kind != lex.Word || t.operand && !t.is(lex.KwSource, lex.KwLayout, lex.KwLifetime, lex.KwRange) || k > 0 && p.pieces[k-1].Kind == lex.Dot {
		return 0
	}
	switch {
	case t.is(lex.KwEngine) && (next.Kind == lex.Equal || next.name()):
		return 1
	case t.is(lex.KwPartition, lex.KwOrder, lex.KwSample) && next.is(lex.KwBy), t.is(lex.KwPrimary) && next.is(lex.KwKey):
		return 2
	case t.is(lex.KwSql) && next.is(lex.KwSecurity) && !p.definerBefore(k):
		return 2
	case t.is(lex.KwTtl), t.is(lex.KwSettings), t.is(lex.KwRefresh), t.is(lex.KwDefiner) && next.Kind == lex.Equal:
		return 1
	case t.is(lex.KwComment) && (next.Kind == lex.String || next.Kind == lex.Heredoc):
		return 1
	case t.is(lex.KwSource, lex.KwLayout, lex.KwLifetime, lex.KwRange) && next.Kind == lex.LParen:
		return 1
	case t.is(lex.KwAs) && p.queryFollows(k+1):
		return 1
	}
	return 0
}

// definerBefore reports DEFINER = name right before k: SQL SECURITY stays on its line.
func (p *printer) definerBefore(k int) bool {
	for i := k - 1; i >= 0 && i > k-5; i-- {
		if p.pieces[i].is(lex.KwDefiner) {
			return true
		}
	}
	return false
}

// queryEnd is where the query of a view ends: at the COMMENT behind it.
func (p *printer) queryEnd(i, j int) int {
	for k := i; k < j; k = p.after(k) {
		t := p.pieces[k]
		if t.is(lex.KwComment) && !t.operand && p.pieces[k+1].Kind == lex.String && !p.pieces[k-1].is(lex.KwAs) && p.pieces[k-1].Kind != lex.Dot {
			return k
		}
	}
	return j
}

// columns lays out the list of columns that begins at the parenthesis k, each on its line.
func (p *printer) columns(k int) {
	mate := p.pieces[k].mate
	p.types = true
	p.line(0)
	p.put(k)
	for n, e := range p.split(k+1, mate) {
		p.line(step)
		p.blank = n > 0
		p.element(e[0], e[1])
	}
	p.line(0)
	p.notes = step
	p.put(mate)
	p.indent = step
	p.types = false
}

// element is one column, index, constraint or projection.
func (p *printer) element(i, j int) {
	if p.pieces[i].is(lex.KwProjection) && i+2 < j && p.pieces[i+1].name() && p.pieces[i+2].query {
		p.word(i)
		p.put(i + 1)
		p.line(step)
		p.expression(i+2, j, step)
		return
	}
	p.pieces[i].keyword = p.pieces[i].is(lex.KwIndex, lex.KwConstraint, lex.KwProjection) && p.pieces[min(i+1, j-1)].name()
	p.upper(i, j)
	p.expression(i, j, step)
}

// upper marks the words of a column's or an index's own grammar.
func (p *printer) upper(i, j int) {
	for k := i + 1; k < j; k = p.after(k) {
		t, next := &p.pieces[k], p.pieces[k+1]
		switch {
		case t.operand || p.pieces[k-1].Kind == lex.Dot:
		case t.is(lex.KwCodec, lex.KwStatistics) && next.Kind == lex.LParen, t.is(lex.KwComment) && next.Kind == lex.String,
			t.is(lex.KwType) && next.name(), t.is(lex.KwGranularity) && next.Kind == lex.Number:
			t.keyword = true
		}
	}
}
