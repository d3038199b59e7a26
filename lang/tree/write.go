package tree

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/mitchellh/go-wordwrap"

	"github.com/dfe-engine/dfe/lang/visible"
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
	ink := visible.NewInk()
	paint := func(_, text string) string { return text }
	if color {
		paint = ink.Paint
	}
	for i, d := range diags {
		if i > 0 {
			b.WriteByte('\n')
		}
		writeDiagnostic(&b, source, d, paint, width)
	}
	_, err := ink.Writer(w).Write(b.Bytes())
	return err
}

func writeDiagnostic(b *bytes.Buffer, source Excerpts, d *hcl.Diagnostic, paint func(color, text string) string, width int) {
	word, color := "Error", "1;31"
	if d.Severity == hcl.DiagWarning {
		word, color = "Warning", "1;33"
	}
	fmt.Fprintf(b, "%s: %s\n", paint(color, word), paint("1", oneLine(d.Summary)))
	if s := d.Subject; s != nil {
		fmt.Fprintf(b, "  on %s:%d:%d\n", visible.Line(s.Filename), s.Start.Line, s.Start.Column)
		if line, ok := source.At(*s); ok {
			b.WriteString(line.Marked(s.Start.Line, width, func(marks string) string { return paint(color, marks) }))
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

func oneLine(s string) string { return visible.Line(strings.ReplaceAll(s, "\n", " ")) }
