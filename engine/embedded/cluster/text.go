package cluster

import (
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine/embedded"
	"github.com/dfe-engine/dfe/lang/lex"
)

// text is a statement in tokens. Nothing here understands an expression: the engine does.
type text struct {
	src    string
	tokens []lex.Token
	// depth of each token in parentheses, brackets and braces; that of a bracket is the depth outside of it.
	depth []int
}

func readText(src string) (*text, error) {
	tokens, problem := lex.All(nil, src)
	if problem != "" {
		return nil, embedded.NewException(62, "SYNTAX_ERROR", "Syntax error: "+problem)
	}
	for len(tokens) > 0 && (tokens[len(tokens)-1].Kind == lex.EOF || tokens[len(tokens)-1].Kind == lex.Semicolon) {
		tokens = tokens[:len(tokens)-1]
	}
	t := &text{src: src, tokens: tokens, depth: make([]int, len(tokens))}
	d := 0
	for i, token := range tokens {
		switch token.Kind {
		case lex.LParen, lex.LBracket, lex.LBrace:
			t.depth[i] = d
			d++
		case lex.RParen, lex.RBracket, lex.RBrace:
			d--
			t.depth[i] = d
		default:
			t.depth[i] = d
		}
	}
	return t, nil
}

func (t *text) len() int { return len(t.tokens) }

// kind is a token's kind, EOF beyond the text.
func (t *text) kind(i int) lex.Kind {
	if i < 0 || i >= len(t.tokens) {
		return lex.EOF
	}
	return t.tokens[i].Kind
}

// word is a bare word in capitals; "" for any other token.
func (t *text) word(i int) string {
	if t.kind(i) != lex.Word {
		return ""
	}
	return strings.ToUpper(t.tokens[i].Text(t.src))
}

// words reports whether these bare words follow one another.
func (t *text) words(i int, list ...string) bool {
	for k, w := range list {
		if t.word(i+k) != w {
			return false
		}
	}
	return true
}

// name is what an identifier stands for; "" for any other token.
func (t *text) name(i int) string {
	if k := t.kind(i); k != lex.Word && k != lex.Quoted {
		return ""
	}
	return t.tokens[i].Value(t.src)
}

// value is a name or a string.
func (t *text) value(i int) string {
	if t.kind(i) == lex.String {
		return t.tokens[i].Value(t.src)
	}
	return t.name(i)
}

func (t *text) pos(i int) int {
	if i >= len(t.tokens) {
		return t.end()
	}
	return int(t.tokens[i].Pos)
}

// end is where the last token ends.
func (t *text) end() int {
	if len(t.tokens) == 0 {
		return 0
	}
	return int(t.tokens[len(t.tokens)-1].End)
}

// between is the text from token i up to token j, without it.
func (t *text) between(i, j int) string {
	if i >= j {
		return ""
	}
	return t.src[t.tokens[i].Pos:t.tokens[j-1].End]
}

// closing is the bracket that closes the one at i.
func (t *text) closing(i int) int {
	for k := i + 1; k < len(t.tokens); k++ {
		if t.depth[k] == t.depth[i] {
			return k
		}
	}
	return len(t.tokens)
}

// edit is a piece of the text that becomes another.
type edit struct {
	from, to int // bytes
	with     string
}

func (t *text) replace(i, j int, with string) edit {
	return edit{int(t.tokens[i].Pos), int(t.tokens[j-1].End), with}
}

func (t *text) insertAt(i int, with string) edit {
	if i >= len(t.tokens) {
		return edit{t.end(), t.end(), " " + with}
	}
	return edit{t.pos(i), t.pos(i), with + " "}
}

// apply carries out edits, which do not overlap. What follows the last token (a comment, a semicolon) is left out.
func (t *text) apply(edits []edit) string {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.from - b.from })
	var out strings.Builder
	at := 0
	for _, e := range edits {
		out.WriteString(t.src[at:e.from])
		out.WriteString(e.with)
		at = e.to
	}
	out.WriteString(t.src[at:max(at, t.end())])
	return out.String()
}

// full is a name at i, qualified or not, and the token after it.
func (t *text) full(i int) (n ast.Name, next int) {
	n.Name = t.value(i)
	if t.kind(i+1) == lex.Dot {
		return ast.Name{Database: n.Name, Name: t.value(i + 2)}, i + 3
	}
	return n, i + 1
}

// settings are the pairs of the SETTINGS clauses at depth 0 from token i on, by name.
func (t *text) settings(i int) map[string]string {
	found := map[string]string{}
	for ; i < len(t.tokens); i++ {
		if t.depth[i] != 0 || t.word(i) != "SETTINGS" {
			continue
		}
		for k := i + 1; t.name(k) != "" && t.kind(k+1) == lex.Equal; {
			v := k + 2
			if t.kind(v) == lex.Minus {
				found[t.name(k)] = "-" + t.tokens[v+1].Text(t.src)
				v++
			} else if v < len(t.tokens) {
				found[t.name(k)] = t.tokens[v].Value(t.src)
			}
			if t.kind(v+1) != lex.Comma {
				break
			}
			k = v + 2
		}
	}
	return found
}

// unsupported answers what the stage cannot do as a server does.
func unsupported(what string) error {
	return embedded.NewException(48, "NOT_IMPLEMENTED", what+" is not emulated by the cluster of embedded members: use a real cluster for it")
}

func sorted(names []string) []string {
	slices.Sort(names)
	return names
}
