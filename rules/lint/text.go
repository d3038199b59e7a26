package lint

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/mitchellh/go-wordwrap"

	"github.com/dfe-engine/dfe/lang/visible"
)

// TextOptions say what the reader's terminal can show.
type TextOptions struct {
	Color bool
	Width int // columns to wrap at; 0 leaves lines as long as they are
}

// NewText returns a writer for people: each finding with the source under it, and a line that counts them.
func NewText(w io.Writer, src Source, o TextOptions) Writer {
	ink := visible.NewInk()
	return &text{w: ink.Writer(w), ink: ink, src: src, o: o}
}

type text struct {
	w     io.Writer
	ink   *visible.Ink
	src   Source
	o     TextOptions
	count Count
}

func (t *text) Write(f Finding) error {
	t.count.Add(f)
	if f.Waived != "" {
		return nil
	}
	var b bytes.Buffer
	place := ""
	if f.At.Filename != "" {
		place = fmt.Sprintf("%s:%d:%d: ", visible.Line(t.src.path(f.At.Filename)), f.At.Start.Line, f.At.Start.Column)
	}
	fmt.Fprintf(&b, "%s%s %s: %s\n", place, t.paint(f.Severity, string(f.Severity)), f.Code, t.bold(oneLine(f.Summary)))
	if line, ok := t.src.line(f.At); ok {
		b.WriteString(line.Marked(f.At.Start.Line, t.o.Width, func(marks string) string { return t.paint(f.Severity, marks) }))
	}
	for _, part := range []string{f.Reason, f.Remedy} {
		t.prose(&b, part)
	}
	b.WriteByte('\n')
	_, err := t.w.Write(b.Bytes())
	return err
}

func (t *text) prose(b *bytes.Buffer, words string) {
	if words == "" {
		return
	}
	if t.o.Width > 20 {
		words = wordwrap.WrapString(words, uint(t.o.Width-2))
	}
	for line := range strings.SplitSeq(words, "\n") {
		b.WriteString("  " + line + "\n")
	}
}

func (t *text) paint(s Severity, words string) string {
	if !t.o.Color {
		return words
	}
	return t.ink.Paint(map[Severity]string{Error: "1;31", Warning: "1;33", Note: "1;36"}[s], words)
}

func (t *text) bold(words string) string {
	if !t.o.Color {
		return words
	}
	return t.ink.Paint("1", words)
}

// Close prints what there was in all.
func (t *text) Close() error {
	c := t.count
	objects := plural(t.src.Objects, "object")
	waived := ""
	if c.Waived > 0 {
		waived = fmt.Sprintf("; %d waived", c.Waived)
	}
	var err error
	if c.Standing() == 0 {
		_, err = fmt.Fprintf(t.w, "%s, nothing to remark%s\n", objects, waived)
	} else {
		_, err = fmt.Fprintf(t.w, "%s: %s, %s, %s%s. \"dfe schema explain CODE\" says more.\n", objects,
			plural(c.Errors, "error"), plural(c.Warnings, "warning"), plural(c.Notes, "note"), waived)
	}
	return err
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// oneLine is a sentence without what a parser left in it that is no text.
func oneLine(s string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(s, "\n", " "), string(utf8.RuneError))
}
