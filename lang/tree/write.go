package tree

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/mitchellh/go-wordwrap"
)

// Diagnostic is a fault for machines: what [WriteDiagnostics] prints, as data. Lines and columns count from 1, columns
// in runes; the end is exclusive. File is empty for a fault that has no place in the tree, such as a value given on
// the command line.
type Diagnostic struct {
	Severity  string `json:"severity"` // "error" or "warning"
	Code      Code   `json:"code"`
	Summary   string `json:"summary"`
	Detail    string `json:"detail"`
	File      string `json:"file,omitempty"`
	Line      int    `json:"line,omitempty"`
	Column    int    `json:"column,omitempty"`
	EndLine   int    `json:"end_line,omitempty"`
	EndColumn int    `json:"end_column,omitempty"`
	Source    string `json:"source,omitempty"` // the line of the fault
}

// Plain turns diagnostics into data. files holds the sources by name, as [Tree.Files] does.
func Plain(files map[string]*hcl.File, diags hcl.Diagnostics) []Diagnostic {
	out := make([]Diagnostic, 0, len(diags))
	source := NewExcerpts(files, diags)
	for _, d := range diags {
		p := Diagnostic{Severity: "error", Code: CodeOf(d), Summary: d.Summary, Detail: d.Detail}
		if d.Severity == hcl.DiagWarning {
			p.Severity = "warning"
		}
		if s := d.Subject; s != nil {
			p.File, p.Line, p.Column, p.EndLine, p.EndColumn = s.Filename, s.Start.Line, s.Start.Column, s.End.Line, s.End.Column
			p.Source, _ = source.Line(*s)
		}
		out = append(out, p)
	}
	return out
}

// WriteDiagnostics prints diagnostics for people: the fault, its place, the source line with the fault marked, the
// reason and the remedy. width wraps the prose and cuts long source lines, in columns; 0 leaves both as they are.
func WriteDiagnostics(w io.Writer, files map[string]*hcl.File, diags hcl.Diagnostics, color bool, width int) error {
	var b bytes.Buffer
	source := NewExcerpts(files, diags)
	for i, d := range diags {
		if i > 0 {
			b.WriteByte('\n')
		}
		writeDiagnostic(&b, source, d, color, width)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func writeDiagnostic(b *bytes.Buffer, source Excerpts, d *hcl.Diagnostic, color bool, width int) {
	word, start, bold, reset := "Error", "", "", ""
	if d.Severity == hcl.DiagWarning {
		word = "Warning"
	}
	if color {
		start, bold, reset = "\x1b[1;31m", "\x1b[1m", "\x1b[0m"
		if d.Severity == hcl.DiagWarning {
			start = "\x1b[1;33m"
		}
	}
	fmt.Fprintf(b, "%s%s%s: %s%s%s\n", start, word, reset, bold, oneLine(d.Summary), reset)
	if s := d.Subject; s != nil {
		fmt.Fprintf(b, "  on %s:%d:%d\n", s.Filename, s.Start.Line, s.Start.Column)
		if line, ok := source.At(*s); ok {
			writeSource(b, line, s.Start.Line, start, reset, width)
		}
	}
	if d.Detail != "" {
		detail := d.Detail
		if width > 20 {
			detail = wordwrap.WrapString(detail, uint(width-2))
		}
		for line := range strings.SplitSeq(detail, "\n") {
			fmt.Fprintf(b, "  %s\n", line)
		}
	}
}

// writeSource prints one source line and the marker under it. A long line is cut around the marker.
func writeSource(b *bytes.Buffer, line Excerpt, number int, start, reset string, width int) {
	from, to, runes := line.From, line.To, []rune(line.Text)
	gutter := fmt.Sprintf("%5d | ", number)
	if room := width - len(gutter); width > 0 && room > 20 && len(runes) > room {
		cut := max(0, from-room/3)
		runes = runes[cut:]
		from, to = from-cut, to-cut
		if cut > 0 {
			runes[0] = '…'
		}
		if len(runes) > room {
			runes = append(runes[:room-1:room-1], '…')
		}
		to = max(min(to, room), from+1)
	}
	var pad strings.Builder
	for _, r := range runes[:min(from, len(runes))] {
		if r == '\t' {
			pad.WriteByte('\t')
		} else {
			pad.WriteByte(' ')
		}
	}
	fmt.Fprintf(b, "%s%s\n", gutter, strings.Map(printable, string(runes)))
	fmt.Fprintf(b, "%s| %s%s%s%s\n", strings.Repeat(" ", len(gutter)-2), pad.String(), start, strings.Repeat("^", to-from), reset)
}

// printable keeps a hostile source from steering the terminal.
func printable(r rune) rune {
	if r == '\t' || r >= ' ' && r != 0x7f && (r < 0x80 || r > 0x9f) {
		return r
	}
	return utf8.RuneError
}

func oneLine(s string) string { return strings.Map(printable, strings.ReplaceAll(s, "\n", " ")) }
