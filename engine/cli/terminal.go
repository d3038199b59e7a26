package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/dfe-engine/dfe/lang/visible"
)

// terminal is what a stream can show.
type terminal struct {
	is    bool
	color bool
	width int // columns; 0 where it is no terminal
	ink   *visible.Ink
}

func (a *app) terminal(w io.Writer) terminal {
	for covered, is := w.(interface{ Under() io.Writer }); is; covered, is = w.(interface{ Under() io.Writer }) {
		w = covered.Under()
	}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || a.Getenv("TERM") == "dumb" {
		return terminal{}
	}
	t := terminal{is: true, color: a.Getenv("NO_COLOR") == "", ink: a.ink}
	if width, _, err := term.GetSize(int(f.Fd())); err == nil {
		t.width = width
	}
	return t
}

// progress is the one line at the bottom of a terminal that says what is going on. On anything else it is silent. As a
// writer it shows the last line written to it.
type progress struct {
	out   io.Writer
	term  terminal
	mu    sync.Mutex
	shown bool
}

func (a *app) progress() *progress { return &progress{out: a.exact.Err, term: a.terminal(a.Err)} }

func (p *progress) show(text string) {
	if !p.term.is {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	text = visible.Line(text)
	if limit := p.term.width - 1; limit > 0 && utf8.RuneCountInString(text) > limit {
		text = string([]rune(text)[:limit])
	}
	fmt.Fprint(p.out, "\r\x1b[K"+text)
	p.shown = true
}

// clear takes the line away. It may be called more than once.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.shown = false
	}
}

// paint colours text where the stream shows colours.
func (t terminal) paint(color, text string) string {
	if !t.color || text == "" {
		return text
	}
	return t.ink.Paint(color, text)
}

const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
)

// columns aligns rows of text: each cell is as wide as the widest of its column, the last as long as it is. paint, when
// set, colours a cell after it was measured.
func columns(rows [][]string, paint func(row, column int, text string) string) string {
	var widths []int
	for _, row := range rows {
		for i := range row {
			row[i] = visible.Line(row[i]) // a name takes the place it is shown in, and one line
			cell := row[i]
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for r, row := range rows {
		last := len(row) - 1
		for last > 0 && row[last] == "" {
			last--
		}
		for i, cell := range row[:last+1] {
			text := cell
			if paint != nil {
				text = paint(r, i, cell)
			}
			b.WriteString(text)
			if i < last {
				b.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2))
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
