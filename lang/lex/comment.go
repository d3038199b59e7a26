package lex

import "strings"

// Comment is a comment between tokens: the bytes [Pos, End) of the text. A line comment ends before its line break.
type Comment struct {
	Pos, End int
	Block    bool // /* .. */; otherwise it ends with its line
}

// Text returns the comment's bytes in src, its marks included.
func (c Comment) Text(src string) string { return src[c.Pos:c.End] }

// Words returns what the comment says: its text without the marks and the white space around.
func (c Comment) Words(src string) string {
	text := c.Text(src)
	if c.Block {
		text = strings.TrimSuffix(strings.TrimPrefix(text, "/*"), "*/")
	} else {
		text = strings.TrimLeft(text, "-#!")
	}
	return strings.TrimSpace(text)
}

// Comments returns the comments of src in order, up to the first text that is no token.
func Comments(src string) []Comment {
	var comments []Comment
	from := 0
	for l := New(src); ; {
		t := l.Next()
		if t.Kind == Error {
			return comments
		}
		comments = AppendComments(comments, src, from, int(t.Pos))
		if from = int(t.End); t.Kind == EOF {
			return comments
		}
	}
}

// AppendComments appends the comments of a gap between two tokens, which holds nothing but them and white space.
func AppendComments(dst []Comment, src string, from, to int) []Comment {
	for i := from; i < to; {
		c := src[i]
		switch {
		case c == '/' && strings.HasPrefix(src[i:to], "/*"):
			l := Lexer{src: src[:to], pos: i}
			l.skipBlockComment()
			dst = append(dst, Comment{Pos: i, End: l.pos, Block: true})
			i = l.pos
		case c == '-' && strings.HasPrefix(src[i:to], "--"), c == '#':
			end := to
			if n := strings.IndexByte(src[i:to], '\n'); n >= 0 {
				end = i + n
			}
			dst = append(dst, Comment{Pos: i, End: i + len(strings.TrimRight(src[i:end], " \t\r\f\v"))})
			i = end
		default:
			i++
		}
	}
	return dst
}
