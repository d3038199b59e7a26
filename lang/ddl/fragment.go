package ddl

import (
	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/lex"
)

// fragment reads all of src with parse.
func fragment[T any](src string, parse func(*parser) (T, bool)) (T, error) {
	var zero T
	if len(src) > maxText {
		return zero, &Error{Line: 1, Column: 1, Found: "more than 2 GiB of text", Expected: "a shorter text"}
	}
	toks, problem := lex.All(make([]lex.Token, 0, len(src)/3+4), src)
	p := newParser(src, toks)
	if problem != "" {
		return zero, p.errorAt(toks[len(toks)-2], "a token", problem)
	}
	v, ok := parse(&p)
	if !ok {
		return zero, p.error()
	}
	if !p.at(lex.EOF) {
		p.fail("the end of the text")
		return zero, p.error()
	}
	return v, nil
}

func nodeFragment(src string, parse func(*parser) *node) (*ast.Node, error) {
	return fragment(src, func(p *parser) (*ast.Node, bool) {
		n := parse(p)
		return n, n != nil
	})
}

// ParseExpr reads one expression; AS and an alias may follow it. As with all fragments, nothing else may, and the error is
// an [*Error] whose offset is in src.
func ParseExpr(src string) (*ast.Node, error) { return nodeFragment(src, (*parser).exprAs) }

// ParseExprList reads expressions separated by commas, with aliases, as a List.
func ParseExprList(src string) (*ast.Node, error) {
	return nodeFragment(src, func(p *parser) *node {
		mark := p.mark()
		if !p.exprs(true) {
			return p.drop(mark)
		}
		return p.list(ast.List, "", 0, mark)
	})
}

// ParseType reads a data type; NULL or NOT NULL may follow it.
func ParseType(src string) (*ast.Node, error) {
	return nodeFragment(src, func(p *parser) *node {
		typ := p.dataType()
		if typ == nil {
			return nil
		}
		return p.nullModifier(typ)
	})
}

// ParseEngine reads an engine, MergeTree or ReplacingMergeTree(v).
func ParseEngine(src string) (*ast.Engine, error) {
	return fragment(src, func(p *parser) (*ast.Engine, bool) {
		e := p.engine()
		return e, e != nil
	})
}

// ParseOrderBy reads a key of a table: ORDER BY, PRIMARY KEY, PARTITION BY or SAMPLE BY, without these words.
func ParseOrderBy(src string) (*ast.Node, error) { return nodeFragment(src, (*parser).key) }

// ParseTTL reads the rules of a table's TTL as a List.
func ParseTTL(src string) (*ast.Node, error) { return nodeFragment(src, (*parser).ttl) }

// ParseCodec reads codecs separated by commas, with or without CODEC( ) around them, as a List.
func ParseCodec(src string) (*ast.Node, error) {
	return nodeFragment(src, func(p *parser) *node { return p.bareCallList(lex.KwCodec, "a codec") })
}

// ParseStatistics reads kinds of statistics separated by commas, with or without STATISTICS( ) around them, as a List.
func ParseStatistics(src string) (*ast.Node, error) {
	return nodeFragment(src, func(p *parser) *node { return p.bareCallList(lex.KwStatistics, "a kind of statistics") })
}

func (p *parser) bareCallList(w lex.Keyword, what string) *node {
	if p.atWord(w) && p.peek(1).Kind == lex.LParen {
		p.i++
		return p.callList(what)
	}
	start, mark := p.i, p.mark()
	for {
		item := p.callOrName(what)
		if item == nil {
			return p.drop(mark)
		}
		p.push(item)
		if !p.skip(lex.Comma) {
			return p.list(ast.List, "", start, mark)
		}
	}
}

// ParseIndexType reads the type of an index: minmax or set(100).
func ParseIndexType(src string) (*ast.Node, error) {
	return nodeFragment(src, func(p *parser) *node { return p.callOrName("an index type") })
}

// ParseQuery reads a query.
func ParseQuery(src string) (*ast.Node, error) { return nodeFragment(src, (*parser).query) }

// ParseColumn reads the definition of a column: name type and clauses.
func ParseColumn(src string) (*ast.Column, error) {
	return fragment(src, func(p *parser) (*ast.Column, bool) {
		if p.balance() != nil {
			p.fail("brackets that match")
			return nil, false
		}
		c := p.column(0)
		if c != nil && len(p.unreadable) > 0 {
			p.fault = p.unreadFault
			return nil, false
		}
		return c, c != nil
	})
}

// ParseIndex reads the definition of an index; the word INDEX may be left out, as for all parts of a table.
func ParseIndex(src string) (*ast.Index, error) {
	return fragment(src, func(p *parser) (*ast.Index, bool) {
		p.skipWord(lex.KwIndex)
		i := p.index()
		return i, i != nil
	})
}

// ParseProjection reads the definition of a projection.
func ParseProjection(src string) (*ast.Projection, error) {
	return fragment(src, func(p *parser) (*ast.Projection, bool) {
		p.skipWord(lex.KwProjection)
		pr := p.projection()
		return pr, pr != nil
	})
}

// ParseConstraint reads the definition of a constraint.
func ParseConstraint(src string) (*ast.Constraint, error) {
	return fragment(src, func(p *parser) (*ast.Constraint, bool) {
		p.skipWord(lex.KwConstraint)
		c := p.constraint()
		return c, c != nil
	})
}

// ParseSettings reads a = 1, b = 'x'; the word SETTINGS may be left out.
func ParseSettings(src string) ([]ast.Setting, error) {
	return fragment(src, func(p *parser) ([]ast.Setting, bool) {
		p.skipWord(lex.KwSettings)
		return p.settings()
	})
}

// ParseSettingValue reads the value of a setting: a literal, a bare word or disk(..).
func ParseSettingValue(src string) (*ast.Node, error) {
	return nodeFragment(src, (*parser).settingValue)
}
