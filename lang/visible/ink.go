package visible

import (
	"crypto/rand"
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// Ink paints texts in the colours of a terminal. What it paints stands, until [Writer] puts the terminal's own sequences
// there, between marks that nobody can write who does not know them: they are of this ink alone.
type Ink struct{ begin, end string }

// NewInk returns an ink of its own.
func NewInk() *Ink {
	key := rand.Text()
	return &Ink{"\x1b<" + key + ":", ">"}
}

// Paint colours a text by the number of an ANSI sequence (ECMA-48, SGR), as in "1;31".
func (i *Ink) Paint(color, text string) string {
	if text == "" {
		return text
	}
	return i.begin + color + i.end + text + i.begin + "0" + i.end
}

// Writer returns a writer that makes everything visible but what the ink painted. A character may come in several writes;
// what was painted comes in one.
func (i *Ink) Writer(w io.Writer) *Writer { return &Writer{ink: i, w: w} }

// Writer is what [Ink.Writer] returns. Several goroutines may write.
type Writer struct {
	ink  *Ink
	w    io.Writer
	mu   sync.Mutex
	rest []byte
}

// Under is the writer below.
func (w *Writer) Under() io.Writer { return w.w }

// Write writes a text.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := append(w.rest, p...)
	whole := len(text)
	for cut := 1; cut < utf8.UTFMax && cut <= len(text); cut++ {
		if c := text[len(text)-cut]; utf8.RuneStart(c) {
			if !utf8.FullRune(text[len(text)-cut:]) {
				whole = len(text) - cut
			}
			break
		}
	}
	w.rest = append([]byte(nil), text[whole:]...)
	if _, err := io.WriteString(w.w, w.ink.text(string(text[:whole]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// text is a text as the terminal gets it.
func (i *Ink) text(s string) string {
	before, s, painted := strings.Cut(s, i.begin)
	if !painted {
		return Text(before)
	}
	var b strings.Builder
	b.WriteString(Text(before))
	for painted {
		color, rest, whole := strings.Cut(s, i.end)
		if !whole {
			b.WriteString(Text(i.begin + s)) // it was cut off
			break
		}
		s = rest
		b.WriteString("\x1b[" + color + "m")
		before, s, painted = strings.Cut(s, i.begin)
		b.WriteString(Text(before))
	}
	return b.String()
}
