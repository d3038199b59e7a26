package access

import (
	"errors"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/dfe-engine/dfe/lang/ddl"
	"github.com/dfe-engine/dfe/lang/lex"
)

// The limits of a statement: participle descends recursively, so an unbounded depth would be an unbounded stack.
const (
	maxStatement = 1 << 20 // bytes
	maxNesting   = 200
)

// Parse reads one statement. The error is a [*ddl.Error]: place, what was found, what was expected.
func Parse(text string) (*Statement, error) { return parse(text, &builder{text: text}) }

// ParsePrinted is [Parse] for what a server prints: a privilege that is not known here, or that is granted on less than it
// can be here, is one of another version.
func ParsePrinted(text string) (*Statement, error) {
	return parse(text, &builder{text: text, printed: true})
}

func parse(text string, b *builder) (*Statement, error) {
	if len(text) > maxStatement {
		return nil, fault(text, 0, "a statement of at most 1 MiB", "")
	}
	if at := tooDeep(text); at >= 0 {
		return nil, fault(text, at, "at most 200 parentheses inside each other", "")
	}
	parsed, err := accessGrammar().parser.ParseString("", text)
	if err != nil {
		return nil, wordsOf(text, err)
	}
	st := b.statement(parsed)
	if b.err != nil {
		return nil, b.err
	}
	return st, nil
}

// IsAccess reports whether a statement is one that this package reads, by its first words.
func IsAccess(text string) bool {
	words := firstWords(text, 3)
	if len(words) == 0 {
		return false
	}
	switch words[0] {
	case "GRANT", "REVOKE":
		return true
	case "CREATE", "ALTER", "DROP":
	default:
		return false
	}
	rest := words[1:]
	if len(rest) == 0 {
		return false
	}
	switch rest[0] {
	case "ROLE", "USER", "QUOTA", "PROFILE", "POLICY":
		return true
	case "SETTINGS":
		return len(rest) > 1 && rest[1] == "PROFILE"
	case "ROW":
		return len(rest) > 1 && rest[1] == "POLICY"
	}
	return false
}

// firstWords returns the first words of a text in upper case, comments left out.
func firstWords(text string, n int) []string {
	words := accessGrammar().words
	if len(text) > 4096 {
		text = text[:4096]
	}
	stream, err := words.LexString("", text)
	if err != nil {
		return nil
	}
	symbols := words.Symbols()
	var list []string
	for len(list) < n {
		t, err := stream.Next()
		if err != nil || t.Type == lexer.EOF {
			break
		}
		if t.Type == symbols["Space"] || t.Type == symbols["Comment"] {
			continue
		}
		list = append(list, strings.ToUpper(t.Value))
	}
	return list
}

func tooDeep(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(':
			if depth++; depth > maxNesting {
				return i
			}
		case ')':
			depth--
		}
	}
	return -1
}

func fault(text string, offset int, expected, advice string) *ddl.Error {
	offset = min(max(offset, 0), len(text))
	for offset < len(text) && (text[offset] == ' ' || text[offset] >= '\t' && text[offset] <= '\r') {
		offset++
	}
	line, column := lex.Place(text, offset)
	return &ddl.Error{Offset: offset, Line: line, Column: column, Found: foundAt(text, offset), Expected: expected, Advice: advice}
}

// foundAt shows the word at an offset. A text in quotes is not shown: it may be a password.
func foundAt(text string, offset int) string {
	rest := text[offset:]
	if rest == "" {
		return "the end of the text"
	}
	if rest[0] == '\'' {
		return "a text in quotes"
	}
	end := strings.IndexFunc(rest, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
	})
	switch {
	case end == 0:
		for _, r := range rest {
			return string(r)
		}
	case end < 0:
		end = len(rest)
	}
	const maxFound = 40
	return rest[:min(end, maxFound)]
}

// wordsOf puts participle's error into ours.
func wordsOf(text string, err error) error {
	var failed participle.Error
	if !errors.As(err, &failed) {
		return fault(text, 0, "a statement of access", "")
	}
	expected := ""
	var unexpected *participle.UnexpectedTokenError
	if errors.As(err, &unexpected) {
		expected = expectation(text, failed.Position().Offset, unexpected)
	}
	if expected == "" {
		expected = "the rest of a statement of access"
		if failed.Position().Offset == 0 {
			expected = "CREATE, ALTER or DROP of a role, user, settings profile, quota or row policy, GRANT or REVOKE"
		}
	}
	return fault(text, failed.Position().Offset, expected, "")
}

// afterWord says what a clause expects behind its keyword.
var afterWord = map[string]string{
	"ON": "db.table, db.*, *.*, or the name the privilege is about", "TO": "the name of a user or role", "FROM": "the name of a user or role",
	"BY": "a text in quotes, or a reference such as secret('env:NAME')", "WITH": "a way of authentication, or GRANT, ADMIN or REPLACE OPTION",
	"MAX": "a limit, as in queries = 100", "INTERVAL": "a length of time, as in 1 hour", "FOR": "INTERVAL, or SELECT in a row policy",
	"USING": "a condition on the rows", "AS": "PERMISSIVE or RESTRICTIVE", "HOST": "ANY, NONE, LOCAL, IP, NAME, REGEXP or LIKE",
	"SETTINGS": "a setting with its value, PROFILE with a name, or NONE", "GRANT": "a privilege or a role", "REVOKE": "a privilege or a role",
	"ROLE": "a name", "USER": "a name", "QUOTA": "a name", "PROFILE": "a name", "POLICY": "a name", "DEFAULT": "ROLE or DATABASE",
	"IDENTIFIED": "WITH a way of authentication, or BY", "EXCEPT": "the name of a user or role", "KEYED": "BY",
	"CREATE": "ROLE, USER, SETTINGS PROFILE, QUOTA or ROW POLICY", "ALTER": "ROLE, USER, SETTINGS PROFILE, QUOTA or ROW POLICY",
	"DROP": "ROLE, USER, SETTINGS PROFILE, QUOTA or ROW POLICY", "MIN": "a value", "VALID": "UNTIL",
}

func expectation(text string, offset int, e *participle.UnexpectedTokenError) string {
	before := strings.TrimRight(text[:min(offset, len(text))], " \t\r\n")
	start := len(before)
	for start > 0 && (before[start-1]|0x20 >= 'a' && before[start-1]|0x20 <= 'z') {
		start--
	}
	if known := afterWord[strings.ToUpper(before[start:])]; known != "" {
		return known
	}
	if strings.HasPrefix(e.Expect, `"`) && strings.Count(e.Expect, `"`) == 2 && strings.HasSuffix(e.Expect, `"`) {
		return strings.Trim(e.Expect, `"`)
	}
	return ""
}
