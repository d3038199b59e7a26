package access

import (
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/dfe-engine/dfe/lang/ddl"
	"github.com/dfe-engine/dfe/lang/lex"
)

// Placed is a statement of a script and where it begins, in bytes.
type Placed struct {
	*Statement
	Offset int
}

// ParseScript reads statements with semicolons between them. The error is that of the first one that cannot be read, at
// its place in the whole text.
func ParseScript(text string) ([]Placed, error) {
	ends, err := ends(text)
	if err != nil {
		return nil, err
	}
	var list []Placed
	start := 0
	for _, end := range append(ends, len(text)) {
		part := text[start:end]
		if len(firstWords(part, 1)) > 0 {
			st, err := Parse(part)
			if err != nil {
				return nil, moved(text, start, err)
			}
			at := start
			for at < end && (text[at] == ' ' || text[at] >= '\t' && text[at] <= '\r') {
				at++
			}
			list = append(list, Placed{st, at})
		}
		start = end + 1
	}
	return list, nil
}

// ends returns the offsets of the semicolons between the statements.
func ends(text string) ([]int, error) {
	words := accessGrammar().words
	stream, err := words.LexString("", text)
	if err != nil {
		return nil, wordsOf(text, err)
	}
	var list []int
	for {
		t, err := stream.Next()
		if err != nil {
			return nil, wordsOf(text, err)
		}
		if t.Type == lexer.EOF {
			return list, nil
		}
		if t.Value == ";" {
			list = append(list, t.Pos.Offset)
		}
	}
}

func moved(text string, by int, err error) error {
	e, ok := err.(*ddl.Error)
	if !ok {
		return err
	}
	e.Offset += by
	e.Line, e.Column = lex.Place(text, e.Offset)
	return e
}
