package ddl

import (
	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/lex"
)

// createTable reads what follows CREATE TABLE name.
func (p *parser) createTable(st *Statement, name ast.Name) ast.Object {
	t := &ast.Table{Name: name}
	for !p.atStatementEnd(st) {
		start := p.i
		if p.tableClause(st, t) {
			continue
		}
		p.i = start
		t.Unread = append(t.Unread, p.opaque(atStorageClause))
	}
	return t
}

func (p *parser) tableClause(st *Statement, t *ast.Table) bool {
	switch p.tok().Word {
	case lex.KwUuid, lex.KwOn:
		return p.placement(st)
	case lex.KwComment:
		return p.comment(&t.Comment)
	case lex.KwEmpty:
		t.Empty = true
		p.i++
		return p.atWord(lex.KwAs)
	case lex.KwClone:
		t.Clone = true
		p.i++
		return p.atWord(lex.KwAs)
	case lex.KwAs:
		if t.Structure != nil {
			p.fail("one structure")
			return false
		}
		p.i++
		return p.structure(t)
	}
	if p.at(lex.LParen) && len(t.Columns) == 0 {
		return p.elements(t)
	}
	if kind := p.targetKind(); kind != "" {
		return p.target(st, t, kind)
	}
	return p.storageClause(st, t)
}

// placement reads UUID 'x' and ON CLUSTER name, which say where an object is created and not what it is.
func (p *parser) placement(st *Statement) bool {
	var ok bool
	switch {
	case p.skipWord(lex.KwUuid):
		st.UUID, ok = p.str()
	case p.skipWords(lex.KwOn, lex.KwCluster):
		if isString(p.tok()) {
			st.Cluster, ok = p.str()
		} else {
			st.Cluster, ok = p.ident()
		}
	default:
		p.fail("ON CLUSTER")
	}
	return ok
}

func (p *parser) comment(into *string) bool {
	if *into != "" {
		p.fail("one comment")
		return false
	}
	p.i++
	text, ok := p.str()
	*into = text
	return ok
}

// structure reads what follows AS: a query, a table function or another table.
func (p *parser) structure(t *ast.Table) bool {
	switch {
	case p.queryAt(0) || p.at(lex.LParen):
		t.Structure = p.readable((*parser).query, atQueryEnd)
	case isName(p.tok()) && p.peek(1).Kind == lex.LParen:
		t.Structure = p.call(true)
	default:
		t.Structure = p.identifier()
	}
	return t.Structure != nil
}

// atQueryEnd reports where a definition's query ends: at the end, or at the definition's comment.
func atQueryEnd(p *parser) bool {
	return p.atEnd() || p.atWord(lex.KwComment) && isString(p.peek(1))
}

// elements reads the list of columns, indexes, projections, constraints and keys.
func (p *parser) elements(t *ast.Table) bool {
	p.i++
	for !p.at(lex.RParen) && !p.atEnd() {
		start := p.i
		if !p.tableElement(t) || !atElementEnd(p) {
			p.i = start
			t.Unread = append(t.Unread, p.opaque(atElementEnd))
		}
		if !p.skip(lex.Comma) {
			break
		}
	}
	return p.want(lex.RParen, "a comma or a closing parenthesis")
}

// tableElement reads one element of the list. The words that begin one are also names of columns: where the element cannot be
// what its first word says, it is a column.
func (p *parser) tableElement(t *ast.Table) bool {
	start := p.i
	switch p.tok().Word {
	case lex.KwIndex:
		p.i++
		if i := p.index(); i != nil {
			t.Indexes = append(t.Indexes, i)
			return true
		}
	case lex.KwProjection:
		p.i++
		if pr := p.projection(); pr != nil {
			t.Projections = append(t.Projections, pr)
			return true
		}
	case lex.KwConstraint:
		p.i++
		if c := p.constraint(); c != nil {
			t.Constraints = append(t.Constraints, c)
			return true
		}
	case lex.KwPrimary:
		if p.skipWords(lex.KwPrimary, lex.KwKey) {
			t.PrimaryKey = p.keyElement()
			return t.PrimaryKey != nil
		}
	case lex.KwForeign:
		if p.skipWords(lex.KwForeign, lex.KwKey) {
			return p.foreignKey()
		}
	}
	if p.i != start {
		if !p.looksLikeColumn(start) {
			return false
		}
		p.i = start
		p.fault = fault{}
	}
	c := p.column(len(t.Columns))
	if c == nil {
		return false
	}
	t.Columns = append(t.Columns, c)
	return true
}

// looksLikeColumn tells a column named like an element (index UInt8 DEFAULT 1) from a faulty element (INDEX i x).
func (p *parser) looksLikeColumn(start int) bool {
	switch t := p.toks[min(start+2, len(p.toks)-1)]; t.Kind {
	case lex.Comma, lex.RParen:
		return true
	case lex.Word:
		switch t.Word {
		case lex.KwDefault, lex.KwMaterialized, lex.KwAlias, lex.KwEphemeral, lex.KwComment, lex.KwCodec, lex.KwTtl, lex.KwNull, lex.KwNot:
			return true
		}
	case lex.LParen: // index Array(UInt8): the closing parenthesis ends the element
		depth := 0
		for i := start + 2; i < len(p.toks); i++ {
			switch p.toks[i].Kind {
			case lex.LParen:
				depth++
			case lex.RParen:
				if depth--; depth == 0 {
					next := p.toks[min(i+1, len(p.toks)-1)]
					return next.Kind == lex.Comma || next.Kind == lex.RParen || next.Word == lex.KwDefault || next.Word == lex.KwCodec ||
						next.Word == lex.KwComment || next.Word == lex.KwMaterialized || next.Word == lex.KwAlias
				}
			}
		}
	}
	return false
}

// foreignKey passes FOREIGN KEY (a) REFERENCES t (b) .., which ClickHouse reads and forgets.
func (p *parser) foreignKey() bool {
	depth := 0
	for ; !p.atEnd(); p.i++ {
		switch p.tok().Kind {
		case lex.LParen:
			depth++
		case lex.RParen:
			if depth--; depth < 0 {
				return true
			}
		case lex.Comma:
			if depth == 0 {
				return true
			}
		}
	}
	return true
}
