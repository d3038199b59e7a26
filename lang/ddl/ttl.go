package ddl

import (
	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/lex"
)

// ttl reads the rules of a table's TTL.
func (p *parser) ttl() *node {
	start := p.i
	mark := p.mark()
	for {
		rule := p.ttlRule()
		if rule == nil {
			return p.drop(mark)
		}
		p.push(rule)
		if !p.skip(lex.Comma) {
			return p.list(ast.List, "", start, mark)
		}
	}
}

// ttlRule reads expr [DELETE | TO DISK 'd' | TO VOLUME 'v' | RECOMPRESS CODEC(..) | GROUP BY keys [SET ..]] [WHERE e].
func (p *parser) ttlRule() *node {
	e := p.expr()
	if e == nil {
		return nil
	}
	start := p.i
	mark := p.mark()
	p.push(e)
	text := ""
	switch p.tok().Word {
	case lex.KwDelete:
		p.i++
		text = "DELETE"
	case lex.KwTo:
		if text = p.ttlTarget(); text == "" {
			return p.drop(mark)
		}
	case lex.KwRecompress:
		p.i++
		text = "RECOMPRESS"
		if !p.wantWord(lex.KwCodec, "CODEC") {
			return p.drop(mark)
		}
		codecs := p.callList("a codec")
		if codecs == nil {
			return p.drop(mark)
		}
		p.push(codecs)
	case lex.KwGroup:
		text = "GROUP BY"
		if !p.ttlGroup() {
			return p.drop(mark)
		}
	}
	if p.atWord(lex.KwWhere) {
		if text == "" {
			text = "DELETE"
		}
		where := p.condition("WHERE")
		if where == nil {
			return p.drop(mark)
		}
		p.push(where)
	}
	if text == "" {
		p.drop(mark)
		return e
	}
	return p.list(ast.Clause, text, start, mark)
}

func (p *parser) ttlTarget() string {
	p.i++
	texts := [2]string{"TO DISK", "TO DISK IF EXISTS"}
	switch {
	case p.skipWord(lex.KwDisk):
	case p.skipWord(lex.KwVolume):
		texts = [2]string{"TO VOLUME", "TO VOLUME IF EXISTS"}
	default:
		p.fail("DISK or VOLUME")
		return ""
	}
	text := texts[0]
	if p.skipWords(lex.KwIf, lex.KwExists) {
		text = texts[1]
	}
	at := p.i
	name, ok := p.str()
	if !ok {
		return ""
	}
	p.push(p.leaf(ast.String, name, at))
	return text
}

// ttlGroup pushes the keys and the assignments of GROUP BY keys SET a = max(a), ..
func (p *parser) ttlGroup() bool {
	p.i++
	if !p.wantWord(lex.KwBy, "BY") {
		return false
	}
	start := p.i
	mark := p.mark()
	for {
		key := p.expr()
		if key == nil {
			p.drop(mark)
			return false
		}
		p.push(key)
		if !p.skip(lex.Comma) {
			break
		}
	}
	p.push(p.list(ast.List, "", start, mark))
	if !p.atWord(lex.KwSet) {
		return true
	}
	start = p.i
	p.i++
	mark = p.mark()
	for {
		if !p.assignment() {
			p.drop(mark)
			return false
		}
		// A comma may also begin the next rule; only name = goes on with the assignments.
		if !p.at(lex.Comma) || !isName(p.peek(1)) || p.peek(2).Kind != lex.Equal {
			break
		}
		p.i++
	}
	p.push(p.list(ast.Clause, "SET", start, mark))
	return true
}

// assignment pushes name = expr as Equals.
func (p *parser) assignment() bool {
	start := p.i
	name, ok := p.dottedName()
	if !ok || !p.want(lex.Equal, "an equals sign") {
		return false
	}
	value := p.expr()
	if value == nil {
		return false
	}
	p.push(p.node1(ast.Equals, name, start, value))
	return true
}
