package ddl

import (
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/lex"
)

// targetKind is the target of a TimeSeries table whose clause begins here, or "". DATA is another word for SAMPLES. The words
// are no keywords anywhere else.
func (p *parser) targetKind() string {
	t := p.tok()
	if !p.timeSeries || t.Kind != lex.Word {
		return ""
	}
	switch kind := strings.ToUpper(t.Text(p.src)); kind {
	case "DATA":
		return ast.TargetSamples
	case ast.TargetSamples, ast.TargetTags, ast.TargetMetrics:
		return kind
	}
	return ""
}

// target reads SAMPLES db.table, SAMPLES INNER COLUMNS (..), SAMPLES INNER UUID '..' or SAMPLES [INNER] ENGINE = .. with the
// clauses of its storage.
func (p *parser) target(st *Statement, t *ast.Table, kind string) bool {
	p.i++
	to := targetOf(t, kind)
	inner := p.skipWord(lex.KwInner)
	switch {
	case inner && p.atWord(lex.KwUuid):
		p.i++
		_, ok := p.str()
		return ok
	case inner && p.skipWord(lex.KwColumns):
		if !p.at(lex.LParen) || len(to.Inner.Columns) > 0 {
			p.fail("one list of columns")
			return false
		}
		return p.elements(to.Inner)
	case p.atWord(lex.KwEngine):
		for p.atInnerClause() {
			if !p.storageClause(st, to.Inner) {
				return false
			}
		}
		return true
	case inner:
		p.fail("COLUMNS, ENGINE or UUID")
		return false
	}
	name, ok := p.name()
	to.To = name
	return ok
}

// atInnerClause reports whether a clause of storage begins here.
func (p *parser) atInnerClause() bool {
	switch p.tok().Word {
	case lex.KwEngine, lex.KwTtl, lex.KwSettings, lex.KwPartition, lex.KwPrimary, lex.KwOrder, lex.KwSample, lex.KwUnique:
		return true
	}
	return false
}

func targetOf(t *ast.Table, kind string) *ast.Target {
	for _, known := range t.Targets {
		if known.Kind == kind {
			return known
		}
	}
	to := &ast.Target{Kind: kind, Inner: &ast.Table{}}
	t.Targets = append(t.Targets, to)
	return to
}
