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

// Excerpt is the line a place begins on, without its end, and the part of it that the place covers: from From to before
// To, counted in runes from 0 as the line is shown. A place at the end of a line, or one without a length, has one rune.
type Excerpt struct {
	Text     string
	From, To int
}

// At is what is shown of a place; false where it is in none of the files.
func (x Excerpts) At(at hcl.Range) (Excerpt, bool) {
	file := x.files[at.Filename]
	if file == nil || at.Start.Byte > len(file.Bytes) {
		return Excerpt{}, false
	}
	line := shown{text: file.Bytes, from: bytes.LastIndexByte(file.Bytes[:at.Start.Byte], '\n') + 1, end: len(file.Bytes)}
	if n := bytes.IndexByte(file.Bytes[line.from:], '\n'); n >= 0 {
		line.end = line.from + n
	}
	if line.end > line.from && file.Bytes[line.end-1] == '\r' {
		line.end--
	}
	switch statement := strings.HasSuffix(at.Filename, ".sql"); {
	case statement && (len(x.faulty[at.Filename]) > 0 || mentionsSecret.Match(file.Bytes)):
		// A statement is written on as many lines as its author likes.
		line.hidden = quotedText.FindAllIndex(file.Bytes, -1)
	case x.onFaulty(at) || withSecret(string(file.Bytes[line.from:line.end])):
		for _, q := range quotedText.FindAllIndex(file.Bytes[line.from:line.end], -1) {
			line.hidden = append(line.hidden, []int{line.from + q[0], line.from + q[1]})
		}
	}
	last := at.End.Byte
	if at.End.Line != at.Start.Line {
		last = line.end
	}
	e := Excerpt{Text: line.until(line.end, true), From: utf8.RuneCountInString(line.until(at.Start.Byte, false)), To: utf8.RuneCountInString(line.until(last, true))}
	e.To = max(e.To, e.From+1)
	return e, true
}

// Line is the line a place begins on, without its end; false where the place is in none of the files.
func (x Excerpts) Line(at hcl.Range) (string, bool) {
	e, ok := x.At(at)
	return e.Text, ok
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

// shown is text[from:end] with three stars for each of the hidden spans, which stand in their order.
type shown struct {
	text      []byte
	from, end int
	hidden    [][]int
}

// until is what is shown of the text before the byte at an offset. Of a hidden span that the offset lies in, that is
// nothing where the offset begins a part of the text, and all of the stars where it ends one.
func (s shown) until(offset int, ends bool) string {
	var b strings.Builder
	at, offset := s.from, min(offset, s.end)
	for _, span := range s.hidden {
		if span[1] <= at || span[0] >= offset {
			continue
		}
		b.Write(s.text[at:max(at, span[0])])
		if at = min(span[1], s.end); at > offset && !ends {
			return valid(b.String())
		}
		b.WriteString("***")
	}
	b.Write(s.text[at:max(at, offset)])
	return valid(b.String())
}

func valid(text string) string { return strings.ToValidUTF8(text, string(utf8.RuneError)) }

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
