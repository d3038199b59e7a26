package ddl

import (
	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/lex"
)

// ParseStatement reads one statement that defines an object. A semicolon may follow it and nothing else.
// Fragments it cannot read are Opaque nodes in the object; [ParseScript] also lists them. The error is an [*Error].
func ParseStatement(src string) (ast.Object, error) {
	st, err := parseOne(src)
	if err != nil {
		return nil, err
	}
	if st.Object == nil {
		return nil, &Error{Line: 1, Column: 1, Found: "ALTER", Expected: "a definition", Advice: adviceKinds}
	}
	return st.Object, nil
}

// ParseAlter reads one ALTER TABLE statement. A command it cannot read is [ast.OtherCommand] and keeps its tokens.
func ParseAlter(src string) (*ast.Alter, error) {
	st, err := parseOne(src)
	if err != nil {
		return nil, err
	}
	if st.Alter == nil {
		return nil, &Error{Line: 1, Column: 1, Found: "a definition", Expected: "ALTER TABLE"}
	}
	return st.Alter, nil
}

func parseOne(src string) (Statement, error) {
	list, err := ParseScript(src)
	switch {
	case err != nil:
		return Statement{}, err
	case len(list) == 0:
		return Statement{}, &Error{Offset: len(src), Line: 1, Column: 1, Found: "the end of the text", Expected: "a statement"}
	case list[0].Err != nil:
		return Statement{}, list[0].Err
	case len(list) > 1:
		line, column := lex.Place(src, list[1].Pos)
		return Statement{}, &Error{Offset: list[1].Pos, Line: line, Column: column, Found: "a second statement", Expected: "one statement"}
	}
	return list[0], nil
}

// maxText is the longest text that offsets of 32 bits can point into.
const maxText = 1<<31 - 1

// ParseScript reads the statements of a script, which semicolons (or PARALLEL WITH) separate. A statement that cannot be read is returned
// with its error and its text and never stops the ones after it; the error of ParseScript itself is for a text beyond 2 GiB.
func ParseScript(src string) ([]Statement, error) {
	if len(src) > maxText {
		return nil, &Error{Line: 1, Column: 1, Found: "more than 2 GiB of text", Expected: "a shorter script"}
	}
	var list []Statement
	s := splitter{lexer: lex.New(src), toks: make([]lex.Token, 0, min(len(src)/4+16, 1<<16))}
	for s.next() {
		list = append(list, s.statement(src))
	}
	return list, nil
}

// splitter cuts a script into the tokens of its statements; it reuses one slice for all of them.
type splitter struct {
	lexer lex.Lexer
	toks  []lex.Token
	bad   lex.Token // the first token that is none
	err   string
	done  bool
}

// next collects the tokens of the next statement that has any, and EOF behind them.
func (s *splitter) next() bool {
	for !s.done {
		s.toks, s.err = s.toks[:0], ""
		for {
			t := s.lexer.Next()
			if t.Kind == lex.Error && s.err == "" {
				s.bad, s.err = t, s.lexer.Err()
			}
			parallel := t.Word == lex.KwWith && len(s.toks) > 0 && s.toks[len(s.toks)-1].Word == lex.KwParallel
			if parallel { // CREATE .. PARALLEL WITH CREATE ..
				s.toks = s.toks[:len(s.toks)-1]
			}
			if t.Kind == lex.EOF || t.Kind == lex.Semicolon || parallel {
				s.done = t.Kind == lex.EOF
				if len(s.toks) == 0 {
					break
				}
				s.toks = append(s.toks, lex.Token{Kind: lex.EOF, Pos: t.Pos, End: t.Pos})
				return true
			}
			s.toks = append(s.toks, t)
		}
	}
	return false
}

func (s *splitter) statement(src string) Statement {
	st := Statement{Pos: int(s.toks[0].Pos), End: int(s.toks[len(s.toks)-2].End)}
	st.Text = src[st.Pos:st.End]
	p := newParser(src, s.toks)
	switch {
	case s.err != "":
		st.Err = p.errorAt(s.bad, "a token", s.err)
	default:
		if err := p.balance(); err != nil {
			st.Err = err
		} else if !p.statement(&st) {
			st.Object, st.Alter = nil, nil
			st.Err = p.error()
		}
	}
	st.Unreadable = p.unreadable
	return st
}

// balance checks that brackets match: an object whose brackets do not cannot be told from what stands around it.
func (p *parser) balance() error {
	var small [64]int32
	open := small[:0]
	for i, t := range p.toks {
		var opener lex.Kind
		switch t.Kind {
		case lex.LParen, lex.LBracket, lex.LBrace:
			open = append(open, int32(i))
			continue
		case lex.RParen:
			opener = lex.LParen
		case lex.RBracket:
			opener = lex.LBracket
		case lex.RBrace:
			opener = lex.LBrace
		default:
			continue
		}
		if len(open) == 0 || p.toks[open[len(open)-1]].Kind != opener {
			return p.errorAt(t, "its opening bracket before it", "brackets must match")
		}
		open = open[:len(open)-1]
	}
	if len(open) > 0 {
		return p.errorAt(p.toks[open[len(open)-1]], "its closing bracket behind it", "brackets must match")
	}
	return nil
}
