package tree

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
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
	for _, d := range diags {
		p := Diagnostic{Severity: "error", Code: CodeOf(d), Summary: d.Summary, Detail: d.Detail}
		if d.Severity == hcl.DiagWarning {
			p.Severity = "warning"
		}
		if s := d.Subject; s != nil {
			p.File, p.Line, p.Column, p.EndLine, p.EndColumn = s.Filename, s.Start.Line, s.Start.Column, s.End.Line, s.End.Column
			p.Source, _ = sourceLine(files, *s, CodeOf(d))
		}
		out = append(out, p)
	}
	return out
}

// WriteDiagnostics prints diagnostics for people: the fault, its place, the source line with the fault marked, the
// reason and the remedy. width wraps the prose and cuts long source lines, in columns; 0 leaves both as they are.
func WriteDiagnostics(w io.Writer, files map[string]*hcl.File, diags hcl.Diagnostics, color bool, width int) error {
	var b bytes.Buffer
	for i, d := range diags {
		if i > 0 {
			b.WriteByte('\n')
		}
		writeDiagnostic(&b, files, d, color, width)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func writeDiagnostic(b *bytes.Buffer, files map[string]*hcl.File, d *hcl.Diagnostic, color bool, width int) {
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
		if line, ok := sourceLine(files, *s, CodeOf(d)); ok {
			writeSource(b, line, *s, start, reset, width)
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
func writeSource(b *bytes.Buffer, line string, at hcl.Range, start, reset string, width int) {
	from := at.Start.Column - 1
	to := at.End.Column - 1
	runes := []rune(line)
	if at.End.Line != at.Start.Line || to > len(runes) {
		to = len(runes)
	}
	from = min(from, len(runes))
	to = max(to, from+1)
	gutter := fmt.Sprintf("%5d | ", at.Start.Line)
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

// sourceLine is the line a fault is on. What may be a secret on it is not shown.
func sourceLine(files map[string]*hcl.File, at hcl.Range, code Code) (string, bool) {
	file := files[at.Filename]
	if file == nil || at.Start.Byte > len(file.Bytes) {
		return "", false
	}
	from := bytes.LastIndexByte(file.Bytes[:at.Start.Byte], '\n') + 1
	end := len(file.Bytes)
	if n := bytes.IndexByte(file.Bytes[from:], '\n'); n >= 0 {
		end = from + n
	}
	var quoted [][]int
	switch statement := strings.HasSuffix(at.Filename, ".sql"); {
	case statement && mentionsSecret.Match(file.Bytes):
		// A statement is written on as many lines as its author likes.
		quoted = quotedText.FindAllIndex(file.Bytes, -1)
	case code == CodeSecret || code == CodeHCL && mentionsSecret.Match(file.Bytes) || withSecret(string(file.Bytes[from:end])):
		for _, q := range quotedText.FindAllIndex(file.Bytes[from:end], -1) {
			quoted = append(quoted, []int{from + q[0], from + q[1]})
		}
	}
	return strings.ToValidUTF8(strings.TrimSuffix(without(file.Bytes, from, end, quoted), "\r"), string(utf8.RuneError)), true
}

// without is text[from:end] with three stars for each of the spans.
func without(text []byte, from, end int, spans [][]int) string {
	var b strings.Builder
	for _, s := range spans {
		if s[1] <= from || s[0] >= end {
			continue
		}
		b.Write(text[from:max(from, s[0])])
		b.WriteString("***")
		from = min(s[1], end)
	}
	b.Write(text[from:end])
	return b.String()
}

// printable keeps a hostile source from steering the terminal.
func printable(r rune) rune {
	if r == '\t' || r >= ' ' && r != 0x7f && (r < 0x80 || r > 0x9f) {
		return r
	}
	return utf8.RuneError
}

func oneLine(s string) string { return strings.Map(printable, strings.ReplaceAll(s, "\n", " ")) }

// mentionsSecret finds texts that may hold a secret, quotedText the texts in quotes in them.
var (
	mentionsSecret = regexp.MustCompile(`(?i)passw|\bpwd\b|secret\s*[=('"]|\bsecret_|_secret|identified|credential|\bhash\s*=|token\s*[=('"]|access_key|account_key|private_key|api_?key|authorization|named\s+collection|://[^/\s'"]*:[^/\s'"]*@|\bby\s*'`)
	quotedText     = regexp.MustCompile(`"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.|'')*'?`)
)

// withSecret reports a line whose quoted texts are not shown, so that a fault beside a secret does not print it.
func withSecret(line string) bool {
	return mentionsSecret.MatchString(line) && (!label.MatchString(line) || strings.Contains(line, "="))
}

// label is the head of a block whose name only sounds like a secret: authentication "sha256_password" {.
var label = regexp.MustCompile(`^\s*(authentication|key|setting|column|index|attribute) `)
