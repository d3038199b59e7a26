package ddl

import (
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/lex"
)

// MaxDepth is how deep expressions, types and queries may nest. ClickHouse's own max_parser_depth is 1,000.
const MaxDepth = 1000

// fuelPerToken bounds the work that trying alternatives may cause: a text whose parsing looks at its tokens more often
// than this on average is refused. Statements in the corpus need fewer than three.
const fuelPerToken = 64

type node = ast.Node

// parser reads one statement or fragment. It looks at tokens by index, so going back is an assignment.
type parser struct {
	src   string
	toks  []lex.Token // the last one is EOF
	i     int
	depth int
	fuel  int
	fault fault
	// timeSeries: the statement is about a table of that engine, whose definition has clauses of its own.
	timeSeries bool
	// unreadable lists the fragments that became Opaque.
	unreadable  []*Error
	unreadFault fault // the last of them
	arena       arena
}

func newParser(src string, toks []lex.Token) parser {
	p := parser{src: src, toks: toks, fuel: len(toks)*fuelPerToken + 1000}
	p.arena.expect(len(toks))
	return p
}

func (p *parser) tok() lex.Token { return p.toks[p.i] }

// peek returns the token n places ahead, EOF beyond the end.
func (p *parser) peek(n int) lex.Token { return p.toks[min(p.i+n, len(p.toks)-1)] }

func (p *parser) at(k lex.Kind) bool { return p.toks[p.i].Kind == k }

func (p *parser) atWord(w lex.Keyword) bool { return p.toks[p.i].Word == w }

// atWords reports whether the two keywords stand here.
func (p *parser) atWords(a, b lex.Keyword) bool {
	return p.toks[p.i].Word == a && p.peek(1).Word == b
}

// skip passes the token if it is of kind k.
func (p *parser) skip(k lex.Kind) bool {
	if p.toks[p.i].Kind != k {
		return false
	}
	p.i++
	return true
}

// equals passes = or ==, which are one token to ClickHouse.
func (p *parser) equals() bool { return p.skip(lex.Equal) || p.skip(lex.DoubleEqual) }

// skipWord passes the keyword if it stands here.
func (p *parser) skipWord(w lex.Keyword) bool {
	if p.toks[p.i].Word != w {
		return false
	}
	p.i++
	return true
}

func (p *parser) skipWords(a, b lex.Keyword) bool {
	if !p.atWords(a, b) {
		return false
	}
	p.i += 2
	return true
}

// word passes the token and returns the keyword it spells. The end of the text is not passed: nothing lies behind it.
func (p *parser) word() lex.Keyword {
	t := p.toks[p.i]
	if t.Kind != lex.EOF {
		p.i++
	}
	return t.Word
}

// want passes the token or records that what was expected.
func (p *parser) want(k lex.Kind, what string) bool {
	if p.skip(k) {
		return true
	}
	p.fail(what)
	return false
}

func (p *parser) wantWord(w lex.Keyword, what string) bool {
	if p.skipWord(w) {
		return true
	}
	p.fail(what)
	return false
}

// enter guards against nesting and against work without bound; every enter that returns true is followed by leave.
func (p *parser) enter() bool {
	if p.depth >= MaxDepth {
		p.failWith("less nesting", "the limit is 1,000 levels of parentheses, subqueries or types")
		return false
	}
	if p.fuel--; p.fuel < 0 {
		p.failWith("a simpler text", "reading this one takes too many attempts")
		return false
	}
	p.depth++
	return true
}

// shallow guards against a chain of operators whose left operands nest: a - b - c ...
func (p *parser) shallow(links int) bool {
	if links < MaxDepth {
		return true
	}
	p.failWith("fewer operators in a row", "the limit is 1,000; AND, OR, || and UNION of one kind count once")
	return false
}

func (p *parser) leave() { p.depth-- }

// atEnd reports whether the statement's text is used up.
func (p *parser) atEnd() bool {
	k := p.toks[p.i].Kind
	return k == lex.EOF || k == lex.Semicolon
}

// ident reads one identifier, quoted or not.
func (p *parser) ident() (string, bool) {
	t := p.toks[p.i]
	if t.Kind == lex.Word || t.Kind == lex.Quoted {
		p.i++
		return t.Value(p.src), true
	}
	p.fail("a name")
	return "", false
}

// name reads an object's name, db.name or name.
func (p *parser) name() (ast.Name, bool) {
	first, ok := p.ident()
	if !ok {
		return ast.Name{}, false
	}
	if !p.skip(lex.Dot) {
		return ast.Name{Name: first}, true
	}
	second, ok := p.ident()
	if !ok {
		return ast.Name{}, false
	}
	return ast.Name{Database: first, Name: second}, true
}

// dottedName reads a column's name; the parts of n.a are joined, as ClickHouse stores them.
func (p *parser) dottedName() (string, bool) {
	first, ok := p.ident()
	if !ok || !p.at(lex.Dot) {
		return first, ok
	}
	var b strings.Builder
	b.WriteString(first)
	for p.at(lex.Dot) && isName(p.peek(1)) {
		p.i++
		b.WriteByte('.')
		b.WriteString(p.tok().Value(p.src))
		p.i++
	}
	return b.String(), true
}

func isName(t lex.Token) bool { return t.Kind == lex.Word || t.Kind == lex.Quoted }

// str reads a string literal's value.
func (p *parser) str() (string, bool) {
	if t := p.toks[p.i]; isString(t) {
		p.i++
		return t.Value(p.src), true
	}
	p.fail("a string in single quotes")
	return "", false
}

func isString(t lex.Token) bool {
	return t.Kind == lex.String || t.Kind == lex.Heredoc || t.Kind == lex.HexString || t.Kind == lex.BinString
}
