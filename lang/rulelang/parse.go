package rulelang

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
	"github.com/hashicorp/hcl/v2"
)

// maxSource is the size of a file, in bytes, beyond which Parse refuses it: a rule table is a few kilobytes, and a
// megabyte is something else.
const maxSource = 1 << 20

// maxNesting is how deep parentheses and `not` may nest in a guard. Participle descends recursively, so an unbounded
// depth would be an unbounded stack.
const maxNesting = 100

type grammar struct {
	words  *lexer.StatefulDefinition
	parser *participle.Parser[Statement]
}

var rulesGrammar = sync.OnceValue(func() grammar {
	words := lexer.MustSimple([]lexer.SimpleRule{
		{Name: "Space", Pattern: `[ \t\r\n]+`},
		{Name: "Arrow", Pattern: `->`},
		{Name: "Compare", Pattern: `==|!=`},
		{Name: "String", Pattern: `"(\\.|[^"\\\n])*"`},
		{Name: "Ident", Pattern: `[A-Za-z_][A-Za-z0-9_]*(-[A-Za-z0-9_]+)*`},
		{Name: "Punct", Pattern: `[][().,=]`},
	})
	return grammar{words, participle.MustBuild[Statement](
		participle.Lexer(words), participle.Elide("Space"), participle.UseLookahead(1))}
})

// Parse reads a `.rules` file. Each faulty statement is a diagnostic and is left out of the file; the others are read.
func Parse(filename string, source []byte) (*File, hcl.Diagnostics) {
	file := &File{Name: filename, Source: source}
	if len(source) > maxSource {
		return file, hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "Rule file too large",
			Detail:  fmt.Sprintf("A .rules file has at most %d bytes; this one has %d.", maxSource, len(source)),
			Subject: &hcl.Range{Filename: filename, Start: hcl.InitialPos, End: hcl.InitialPos}}}
	}
	var diags hcl.Diagnostics
	chunks, trailing := split(source)
	for _, c := range chunks {
		st, diag := parseStatement(filename, c)
		if diag != nil {
			diags = append(diags, diag)
			continue
		}
		st.Doc, st.Comment = c.above, c.after
		st.Range = rangeOf(c.at(filename, 0), c.at(filename, len(c.text)))
		if st.Set != nil {
			st.Set.Docs = itemDocs(st.Set, c.inner)
		}
		if st.Set == nil || st.Set.Docs == nil {
			for _, comment := range c.inner {
				st.Doc = append(st.Doc, comment.text)
			}
		}
		file.Statements = append(file.Statements, st)
	}
	file.Trailing = trailing
	return file, diags
}

func parseStatement(filename string, c chunk) (*Statement, *hcl.Diagnostic) {
	if at, deep := tooDeep(c.text); deep {
		pos := c.at(filename, at)
		return nil, syntaxFault(rangeOf(pos, pos), fmt.Sprintf("A guard nests at most %d deep.", maxNesting))
	}
	g := rulesGrammar()
	words, err := g.words.LexString(filename, c.text)
	if err == nil {
		var tokens *lexer.PeekingLexer
		tokens, err = lexer.Upgrade(placed{words, c}, g.words.Symbols()["Space"])
		if err == nil {
			var st *Statement
			if st, err = g.parser.ParseFromLexer(tokens); err == nil {
				return st, nil
			}
			return nil, participleFault(err)
		}
	}
	// A lexer's error carries the place in the chunk.
	var fault participle.Error
	if errors.As(err, &fault) {
		pos := c.at(filename, fault.Position().Offset)
		return nil, syntaxFault(rangeOf(pos, pos), sentence(fault.Message()))
	}
	pos := c.at(filename, 0)
	return nil, syntaxFault(rangeOf(pos, pos), sentence(err.Error()))
}

func participleFault(err error) *hcl.Diagnostic {
	var unexpected *participle.UnexpectedTokenError
	if errors.As(err, &unexpected) {
		at := span(unexpected.Unexpected.Pos, unexpected.Unexpected.Value)
		return syntaxFault(at, sentence(unexpected.Message()))
	}
	var fault participle.Error
	if errors.As(err, &fault) {
		return syntaxFault(rangeOf(fault.Position(), fault.Position()), sentence(fault.Message()))
	}
	return syntaxFault(hcl.Range{}, sentence(err.Error()))
}

// sentence makes a participle message read like the rest of our diagnostics, without its grammar's type names.
func sentence(message string) string {
	for from, to := range map[string]string{
		"<ident>": "a name", "<string>": "a text in double quotes", "<arrow>": `"->"`, "<EOF>": "end of statement",
		"Word": "a name", "Text": "a text in double quotes", "Outcome": "an action", "Expr": "a guard", "Term": "a guard",
	} {
		message = strings.ReplaceAll(message, from, to)
	}
	if message == "" {
		return "The statement cannot be read."
	}
	message = strings.ToUpper(message[:1]) + message[1:]
	return strings.TrimSuffix(message, ".") + `. A statement is one line that starts with kind, include, set, predicate or rule; ` +
		`lines that continue it are indented.`
}

func syntaxFault(at hcl.Range, detail string) *hcl.Diagnostic {
	return &hcl.Diagnostic{Severity: hcl.DiagError, Summary: "Syntax error in a rule file", Detail: detail, Subject: &at}
}

// tooDeep finds the first place where parentheses and `not` nest beyond maxNesting. It counts a run of `not` as depth.
func tooDeep(text string) (int, bool) {
	depth, nots := 0, 0
	inString := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString:
			if c == '\\' {
				i++
			} else if c == '"' {
				inString = false
			}
		case c == '"':
			inString, nots = true, 0
		case c == '(':
			depth++
		case c == ')':
			depth--
		case strings.HasPrefix(text[i:], "not") && (i == 0 || !wordByte(text[i-1])) && (i+3 == len(text) || !wordByte(text[i+3])):
			nots++
			i += 2
		case wordByte(c):
			nots = 0
		}
		if depth+nots > maxNesting {
			return i, true
		}
	}
	return 0, false
}

func wordByte(c byte) bool {
	return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
}

// placed moves the tokens of a chunk to their places in the file.
type placed struct {
	words lexer.Lexer
	chunk chunk
}

func (p placed) Next() (lexer.Token, error) {
	token, err := p.words.Next()
	token.Pos = p.chunk.at(token.Pos.Filename, token.Pos.Offset)
	return token, err
}
