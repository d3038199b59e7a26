package ddl

import (
	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/lex"
)

// Statement is one statement of a script.
type Statement struct {
	// Object is what a CREATE or ATTACH statement defines; Alter is an ALTER TABLE. Both are nil where Err is set.
	Object ast.Object
	Alter  *ast.Alter
	// Err is an [*Error]: the text is broken, or defines nothing that this package knows.
	Err error
	// Unreadable are the fragments of Object that are kept as tokens.
	Unreadable []*Error
	// Text is src[Pos:End], without the semicolon and without what surrounds it.
	Text     string
	Pos, End int

	// How the statement creates its object: no part of the object.
	Attach, Replace, IfNotExists, Temporary bool
	Cluster, UUID                           string
	Settings                                []ast.Setting // of the query: a second SETTINGS clause
}

// adviceKinds is what an error about a statement that defines no object says.
const adviceKinds = "definitions are CREATE DATABASE, TABLE, VIEW, MATERIALIZED VIEW, DICTIONARY, FUNCTION and NAMED COLLECTION"

// statement reads the statement into st; false leaves the reason in p.fault.
func (p *parser) statement(st *Statement) bool {
	switch {
	case p.atWord(lex.KwAlter):
		st.Alter = p.alter(st)
		return st.Alter != nil
	case p.skipWord(lex.KwCreate):
	case p.skipWord(lex.KwAttach):
		st.Attach = true
	case p.atWords(lex.KwReplace, lex.KwTable), p.atWords(lex.KwReplace, lex.KwDictionary), p.atWords(lex.KwReplace, lex.KwView):
		p.i++
		st.Replace = true
	default:
		p.failWith("CREATE, ATTACH or ALTER", adviceKinds)
		return false
	}
	if p.skipWords(lex.KwOr, lex.KwReplace) {
		st.Replace = true
	}
	st.Temporary = p.skipWord(lex.KwTemporary)
	var security ast.Security
	secured := p.i
	for p.atWord(lex.KwDefiner) || p.atWord(lex.KwSql) {
		if !p.security(&security) {
			return false
		}
	}
	create := p.creator()
	if create == nil {
		return false
	}
	if p.skipWord(lex.KwIf) {
		if !p.skipWords(lex.KwNot, lex.KwExists) {
			p.fail("NOT EXISTS")
			return false
		}
		st.IfNotExists = true
	}
	name, ok := p.name()
	if !ok {
		return false
	}
	if p.skipWord(lex.KwFrom) { // ATTACH TABLE t FROM 'path': where the data lies
		if _, ok := p.str(); !ok {
			return false
		}
	}
	object := create(p, st, name)
	if object == nil {
		return false
	}
	st.Object = object
	switch o := object.(type) {
	case *ast.View:
		merge(&o.Security, security)
	case *ast.MaterializedView:
		merge(&o.Security, security)
	default:
		if security != (ast.Security{}) {
			p.i = secured
			p.fail("a kind of object: views alone have SQL SECURITY")
			return false
		}
	}
	return true
}

// merge fills in what stood before the word VIEW.
func merge(s *ast.Security, before ast.Security) {
	if s.Mode == "" {
		s.Mode = before.Mode
	}
	if s.Definer == "" {
		s.Definer = before.Definer
	}
}

// atStatementEnd reports the end of the statement; it passes FORMAT name and the SETTINGS of the query, which say how the
// statement runs.
func (p *parser) atStatementEnd(st *Statement) bool {
	if p.atFormat() {
		p.i += 2
		if p.skipWord(lex.KwSettings) {
			st.Settings, _ = p.settings()
		}
	}
	return p.atEnd()
}

// atFormat reports whether FORMAT name ends the statement here.
func (p *parser) atFormat() bool {
	if !p.atWord(lex.KwFormat) || !isName(p.peek(1)) {
		return false
	}
	k := p.peek(2)
	return k.Kind == lex.EOF || k.Kind == lex.Semicolon || k.Word == lex.KwSettings
}

// creator passes the words that name a kind of object and returns what reads the rest of its definition.
func (p *parser) creator() func(*parser, *Statement, ast.Name) ast.Object {
	switch {
	case p.skipWord(lex.KwTable):
		return (*parser).createTable
	case p.skipWord(lex.KwView):
		return (*parser).createView
	case p.skipWords(lex.KwMaterialized, lex.KwView):
		return (*parser).createMaterializedView
	case p.skipWord(lex.KwDictionary):
		return (*parser).createDictionary
	case p.skipWord(lex.KwDatabase):
		return (*parser).createDatabase
	case p.skipWord(lex.KwFunction):
		return (*parser).createFunction
	case p.atText(0, "NAMED") && p.atText(1, "COLLECTION"):
		p.i += 2
		return (*parser).createNamedCollection
	case p.atWords(lex.KwLive, lex.KwView), p.atWords(lex.KwWindow, lex.KwView):
		p.failWith("a kind of object", "live and window views are experimental and not managed; "+adviceKinds)
	default:
		p.failWith("a kind of object", adviceKinds)
	}
	return nil
}
