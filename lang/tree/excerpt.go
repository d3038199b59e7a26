package tree

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
)

// Excerpts are the sources of a tree as far as they may be shown: under a fault, or under what a linter finds. What
// may be a secret is three stars.
type Excerpts struct {
	files map[string]*hcl.File
	// faulty says where a secret stands, or where a text is too broken to tell.
	faulty map[string][]hcl.Range
}

// NewExcerpts returns the excerpts of files, by name as in [Tree.Files], that have these faults. All faults are needed
// before the first line is shown: beside the one about a secret others may stand on its line.
func NewExcerpts(files map[string]*hcl.File, faults hcl.Diagnostics) Excerpts {
	x := Excerpts{files, map[string][]hcl.Range{}}
	for _, d := range faults {
		if d.Subject == nil {
			continue
		}
		file := files[d.Subject.Filename]
		switch code := CodeOf(d); {
		case file == nil:
		case code == CodeSecret, code == CodeHCL && mentionsSecret.Match(file.Bytes):
			x.faulty[d.Subject.Filename] = append(x.faulty[d.Subject.Filename], *d.Subject)
		}
	}
	return x
}

// Line is the line a place begins on, without its end; false where the place is in none of the files.
func (x Excerpts) Line(at hcl.Range) (string, bool) {
	file := x.files[at.Filename]
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
	case statement && (len(x.faulty[at.Filename]) > 0 || mentionsSecret.Match(file.Bytes)):
		// A statement is written on as many lines as its author likes.
		quoted = quotedText.FindAllIndex(file.Bytes, -1)
	case x.onFaulty(at) || withSecret(string(file.Bytes[from:end])):
		for _, q := range quotedText.FindAllIndex(file.Bytes[from:end], -1) {
			quoted = append(quoted, []int{from + q[0], from + q[1]})
		}
	}
	return strings.ToValidUTF8(strings.TrimSuffix(without(file.Bytes, from, end, quoted), "\r"), string(utf8.RuneError)), true
}

// onFaulty reports a place whose first line is one of those that a fault about a secret covers.
func (x Excerpts) onFaulty(at hcl.Range) bool {
	for _, f := range x.faulty[at.Filename] {
		if f.Start.Line <= at.Start.Line && at.Start.Line <= f.End.Line {
			return true
		}
	}
	return false
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
