package tree

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"

	"github.com/dfe-engine/dfe/lang/visible"
)

// Excerpts are the sources of a tree as far as they may be shown: under a fault, or under what a linter finds. What
// may be a secret is three stars. They are not safe for concurrent use.
type Excerpts struct {
	files map[string]*hcl.File
	// faulty says where a secret stands, or where a text is too broken to tell.
	faulty map[string][]hcl.Range
	// secret are the files that mention one, lines those that were shown last, one of each file: many faults stand on one
	// line.
	secret map[string]bool
	lines  map[string]shown
}

// NewExcerpts returns the excerpts of files, by name as in [Tree.Files], that have these faults. All faults are needed
// before the first line is shown: beside the one about a secret others may stand on its line.
func NewExcerpts(files map[string]*hcl.File, faults hcl.Diagnostics) Excerpts {
	x := Excerpts{files, map[string][]hcl.Range{}, map[string]bool{}, map[string]shown{}}
	for _, d := range faults {
		if d.Subject == nil {
			continue
		}
		file := files[d.Subject.Filename]
		switch code := CodeOf(d); {
		case file == nil:
		case code == CodeSecret, code == CodeHCL && x.mentions(d.Subject.Filename, file):
			x.faulty[d.Subject.Filename] = append(x.faulty[d.Subject.Filename], *d.Subject)
		}
	}
	return x
}

// mentions reports a file that may hold a secret.
func (x Excerpts) mentions(name string, file *hcl.File) bool {
	mentions, known := x.secret[name]
	if !known {
		mentions = mentionsSecret.Match(file.Bytes)
		x.secret[name] = mentions
	}
	return mentions
}

// Excerpt is the line a place begins on, without its end, and the part of it that the place covers: from From to before
// To, counted in runes from 0 as the line is shown. A place at the end of a line, or one without a length, has one rune.
// Of a line longer than 1 KiB it is what stands around the place, with "…" where more of the line is left out.
type Excerpt struct {
	Text     string
	From, To int
}

// Marked is the line behind its number, and below it a line with marks under the place, which paint may colour. Of a line
// longer than width, in columns, there is what stands around the place; 0 is any width.
func (e Excerpt) Marked(number, width int, paint func(marks string) string) string {
	from, to, runes := e.From, e.To, []rune(e.Text)
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
	return fmt.Sprintf("%s%s\n%s| %s%s\n", gutter, strings.Map(visible.Rune, string(runes)), strings.Repeat(" ", len(gutter)-2), pad.String(), paint(strings.Repeat("^", to-from)))
}

const (
	// longLine is from how many bytes on a line is not shown whole: of a text without lines each fault would have all.
	longLine = 1 << 10
	// before is how much of a long line is shown before the place, in bytes.
	before = longLine / 4
)

// At is what is shown of a place; false where it is in none of the files.
func (x Excerpts) At(at hcl.Range) (Excerpt, bool) {
	file := x.files[at.Filename]
	if file == nil || at.Start.Byte > len(file.Bytes) {
		return Excerpt{}, false
	}
	line := x.line(at, file)
	last := at.End.Byte
	if at.End.Line != at.Start.Line {
		last = line.end
	}
	var lead, trail string
	if whole := line; line.end-line.from > longLine {
		line.from = runeAt(file.Bytes, max(whole.from, min(at.Start.Byte-before, whole.end-longLine)))
		line.end = runeAt(file.Bytes, min(whole.end, line.from+longLine))
		if line.from > whole.from {
			lead = "…"
		}
		if line.end < whole.end {
			trail = "…"
		}
	}
	skip := utf8.RuneCountInString(lead)
	e := Excerpt{
		Text: lead + line.until(line.end, true) + trail,
		From: skip + utf8.RuneCountInString(line.until(at.Start.Byte, false)), To: skip + utf8.RuneCountInString(line.until(last, true)),
	}
	e.To = max(e.To, e.From+1)
	return e, true
}

// runeAt is where the rune begins that holds the byte at an offset.
func runeAt(text []byte, offset int) int {
	for offset > 0 && offset < len(text) && !utf8.RuneStart(text[offset]) {
		offset--
	}
	return offset
}

// line is the line that a place begins on, and what of it is hidden.
func (x Excerpts) line(at hcl.Range, file *hcl.File) shown {
	last, known := x.lines[at.Filename]
	if known && last.number == at.Start.Line && last.from <= at.Start.Byte && at.Start.Byte <= last.end {
		return last
	}
	line := shown{number: at.Start.Line, text: file.Bytes, from: bytes.LastIndexByte(file.Bytes[:at.Start.Byte], '\n') + 1, end: len(file.Bytes)}
	if n := bytes.IndexByte(file.Bytes[line.from:], '\n'); n >= 0 {
		line.end = line.from + n
	}
	if line.end > line.from && file.Bytes[line.end-1] == '\r' {
		line.end--
	}
	switch statement := strings.HasSuffix(at.Filename, ".sql"); {
	case statement && (len(x.faulty[at.Filename]) > 0 || x.mentions(at.Filename, file)):
		// A statement is written on as many lines as its author likes.
		if known {
			line.hidden = last.hidden
		} else {
			line.hidden = quotedText.FindAllIndex(file.Bytes, -1)
		}
	case x.onFaulty(at) || withSecret(string(file.Bytes[line.from:line.end])):
		for _, q := range quotedText.FindAllIndex(file.Bytes[line.from:line.end], -1) {
			line.hidden = append(line.hidden, []int{line.from + q[0], line.from + q[1]})
		}
	}
	x.lines[at.Filename] = line
	return line
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
	number    int
	text      []byte
	from, end int
	hidden    [][]int
}

// until is what is shown of the text before the byte at an offset. Of a hidden span that the offset lies in, that is
// nothing where the offset begins a part of the text, and all of the stars where it ends one.
func (s shown) until(offset int, ends bool) string {
	var b strings.Builder
	at, offset := s.from, min(offset, s.end)
	first, _ := slices.BinarySearchFunc(s.hidden, at, func(span []int, at int) int { return cmp.Compare(span[1], at+1) })
	for _, span := range s.hidden[first:] {
		if span[0] >= offset {
			break
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
