package rulelang

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// chunk is the text of one statement, its comments blanked out so that offsets stay true, and those comments.
type chunk struct {
	text   string
	offset int // of text in the file, in bytes
	line   int // of its first line, from 1
	above  []string
	after  string
	inner  []comment
}

type comment struct {
	line int
	own  bool // it has the line to itself
	text string
}

// blankLine stands in a list of comment lines for a blank line between two comments; no comment holds a newline.
const blankLine = "\n"

// at returns the place in the file of a byte offset in the chunk. Columns count characters, from 1.
func (c chunk) at(filename string, offset int) lexer.Position {
	offset = min(offset, len(c.text))
	before := c.text[:offset]
	newline := strings.LastIndexByte(before, '\n')
	return lexer.Position{
		Filename: filename,
		Offset:   c.offset + offset,
		Line:     c.line + strings.Count(before, "\n"),
		Column:   utf8.RuneCountInString(before[newline+1:]) + 1,
	}
}

// split cuts a file into statements: one starts at each line that is not indented, and the lines below it that are
// indented, or start with the "]" of a list, belong to it. It returns the comment lines after the last one too.
func split(source []byte) (chunks []chunk, trailing []string) {
	var (
		pending []string // comment lines not yet given to a statement
		held    []comment
		current *chunk
		start   int
		blanked = bytes.Clone(source)
	)
	flush := func(end int) {
		if current == nil {
			return
		}
		current.text = strings.TrimRight(string(blanked[start:end]), " \t\r\n")
		last := current.line + strings.Count(current.text, "\n")
		for _, c := range current.inner {
			if c.line == last && !c.own {
				current.after = c.text
				continue
			}
			held = append(held, c)
		}
		// Comment lines below the last line of the text belong to what follows.
		current.inner = nil
		for _, c := range held {
			if c.line > last {
				pending = append(pending, c.text)
			} else {
				current.inner = append(current.inner, c)
			}
		}
		held = nil
		chunks = append(chunks, *current)
		current = nil
	}
	line := 0
	for from := 0; from < len(source); {
		line++
		to := len(source)
		if n := bytes.IndexByte(source[from:], '\n'); n >= 0 {
			to = from + n + 1
		}
		text, note, hasNote := cutComment(blanked[from:to])
		blank := strings.TrimSpace(text) == ""
		indented := text != "" && (text[0] == ' ' || text[0] == '\t' || text[0] == ']')
		switch {
		case blank && !hasNote:
			if current == nil && len(pending) > 0 && pending[len(pending)-1] != blankLine {
				pending = append(pending, blankLine)
			}
		case blank && source[from] == '#':
			flush(from)
			pending = append(pending, note)
		case blank && current != nil:
			current.inner = append(current.inner, comment{line, true, note})
		case blank:
			pending = append(pending, note)
		default:
			if !indented || current == nil {
				flush(from)
				start = from
				current = &chunk{offset: from, line: line, above: pending}
				pending = nil
			}
			if hasNote {
				current.inner = append(current.inner, comment{line, false, note})
			}
		}
		from = to
	}
	flush(len(source))
	return chunks, trimBlank(pending)
}

// cutComment blanks the comment of a line in place and returns what is left of the line and the comment's text.
func cutComment(line []byte) (text, note string, found bool) {
	inString := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case c == '#' && !inString:
			note = strings.TrimSpace(string(line[i+1:]))
			for j := i; j < len(line) && line[j] != '\n'; j++ {
				line[j] = ' '
			}
			return string(line), note, true
		}
	}
	return string(line), "", false
}

func trimBlank(lines []string) []string {
	for len(lines) > 0 && lines[len(lines)-1] == blankLine {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// itemDocs gives each comment of a set to the item it is about: one on a line of its own to the next item, one behind
// an item to that item. Comments with no item to go to stay with the last one.
func itemDocs(set *Set, comments []comment) []ItemDoc {
	if len(set.Items) == 0 || len(comments) == 0 {
		return nil
	}
	docs := make([]ItemDoc, len(set.Items))
	for _, c := range comments {
		next := len(set.Items)
		for i, item := range set.Items {
			if item.Pos.Line >= c.line {
				next = i
				break
			}
		}
		switch {
		case c.own && next < len(docs):
			docs[next].Above = append(docs[next].Above, c.text)
		case !c.own:
			last := -1
			for i, item := range set.Items {
				if item.Pos.Line <= c.line {
					last = i
				}
			}
			if last < 0 {
				docs[0].Above = append(docs[0].Above, c.text)
			} else {
				docs[last].After = join(docs[last].After, c.text)
			}
		default:
			docs[len(docs)-1].After = join(docs[len(docs)-1].After, c.text)
		}
	}
	return docs
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}
