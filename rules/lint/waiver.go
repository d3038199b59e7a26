package lint

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/dfe-engine/dfe/lang/lex"
	"github.com/dfe-engine/dfe/lang/tree"
)

// mark opens a waiver in a comment.
const mark = "dfe:ignore"

const (
	codeNoReason    Code = "DFE131"
	codeUnknownCode Code = "DFE132"
	codeNothing     Code = "DFE133"
	codeFixed       Code = "DFE134"
)

func waiverChecks() []Check {
	return []Check{
		{Code: codeNoReason, Title: "a waiver without a reason", Severity: Error, Fixed: true},
		{Code: codeUnknownCode, Title: "a waiver of a code that does not exist", Severity: Error, Fixed: true},
		{Code: codeNothing, Title: "a waiver that waives nothing", Severity: Warning, Fixed: true},
		{Code: codeFixed, Title: "a waiver of a fault", Severity: Error, Fixed: true},
	}
}

// waiver is one comment that leaves a finding be.
type waiver struct {
	at     hcl.Range
	code   string
	reason string
	// from and to are the lines it is about, both included.
	from, to int
	used     bool
}

// waivers are those of a tree, by file, and the checks they may be about.
type waivers struct {
	files  map[string][]*waiver
	checks map[Code]Check
}

func readWaivers(t *tree.Tree) waivers {
	all := waivers{files: map[string][]*waiver{}, checks: byCode()}
	for name, file := range t.Files() {
		if !strings.Contains(string(file.Bytes), mark) {
			continue
		}
		switch path.Ext(name) {
		case ".hcl":
			all.files[name] = hclWaivers(name, file.Bytes)
		case ".sql":
			all.files[name] = sqlWaivers(name, string(file.Bytes))
		}
	}
	return all
}

// parseWaiver reads the words of a comment; nil where it is no waiver.
func parseWaiver(words string, at hcl.Range) *waiver {
	rest, is := strings.CutPrefix(words, mark)
	if !is || rest != "" && !strings.ContainsAny(rest[:1], " \t:") {
		return nil
	}
	fields := strings.Fields(strings.TrimLeft(rest, ":"))
	w := &waiver{at: at}
	if len(fields) > 0 {
		w.code, w.reason = fields[0], strings.Join(fields[1:], " ")
	}
	return w
}

// hclWaivers finds the waivers of an .hcl file. One on a line of its own is about the block or attribute that begins on
// the next line with anything on it, one behind something about what begins on its line.
func hclWaivers(name string, src []byte) []*waiver {
	tokens, _ := hclsyntax.LexConfig(src, name, hcl.InitialPos)
	var list []*waiver
	lastLine := 0 // of the last token that is something
	var waiting []*waiver
	for _, t := range tokens {
		switch t.Type {
		case hclsyntax.TokenComment:
			words := strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(string(t.Bytes)), "#/*"))
			at := t.Range
			if strings.HasSuffix(string(t.Bytes), "\n") { // the comment ends on its own line
				at.End = hcl.Pos{Line: at.Start.Line, Column: at.Start.Column + len([]rune(strings.TrimRight(string(t.Bytes), "\r\n"))), Byte: at.End.Byte - 1}
			}
			w := parseWaiver(strings.TrimSpace(strings.TrimSuffix(words, "*/")), at)
			if w == nil {
				continue
			}
			list = append(list, w)
			if lastLine == t.Range.Start.Line {
				w.from, w.to = lastLine, lastLine
			} else {
				waiting = append(waiting, w)
			}
		case hclsyntax.TokenNewline, hclsyntax.TokenEOF:
		default:
			for _, w := range waiting {
				w.from, w.to = t.Range.Start.Line, t.Range.Start.Line
			}
			waiting = waiting[:0]
			lastLine = t.Range.End.Line
		}
	}
	if _, deep := tree.TooDeep(name, src); deep {
		return list
	}
	if file, _ := hclsyntax.ParseConfig(src, name, hcl.InitialPos); file != nil {
		if body, ok := file.Body.(*hclsyntax.Body); ok {
			widen(body, list)
		}
	}
	return list
}

// widen makes a waiver be about all lines of the outermost block or attribute that begins on its line.
func widen(body *hclsyntax.Body, list []*waiver) {
	cover := func(r hcl.Range) {
		for _, w := range list {
			if w.from == r.Start.Line && w.to < r.End.Line {
				w.to = r.End.Line
			}
		}
	}
	for _, a := range body.Attributes {
		cover(a.SrcRange)
	}
	for _, b := range body.Blocks {
		cover(hcl.RangeBetween(b.TypeRange, b.CloseBraceRange))
		widen(b.Body, list)
	}
}

// sqlWaivers finds the waivers of a .sql file: above the statement one is about all of it, elsewhere about its own line
// or the next with anything on it.
func sqlWaivers(name, src string) []*waiver {
	tokens, _ := lex.All(nil, src)
	var list []*waiver
	next := 0
	for _, c := range lex.Comments(src) {
		for tokens[next].Kind != lex.EOF && int(tokens[next].Pos) < c.Pos {
			next++
		}
		w := parseWaiver(c.Words(src), span(name, src, c.Pos, c.End))
		if w == nil {
			continue
		}
		list = append(list, w)
		if next > 0 {
			if last, _ := lex.Place(src, int(tokens[next-1].End)); last == w.at.Start.Line {
				w.from, w.to = last, last
				continue
			}
		}
		w.from, _ = lex.Place(src, int(tokens[next].Pos))
		w.to = w.from
		if next == 0 {
			w.to, _ = lex.Place(src, len(src))
		}
	}
	return list
}

func span(name, src string, from, to int) hcl.Range {
	line, column := lex.Place(src, from)
	endLine, endColumn := lex.Place(src, to)
	return hcl.Range{Filename: name, Start: hcl.Pos{Line: line, Column: column, Byte: from}, End: hcl.Pos{Line: endLine, Column: endColumn, Byte: to}}
}

// waive returns the reason a finding is waived for, or "". A waiver above an object's entry in the manifest is about
// the whole object, wherever its definition stands.
func (all waivers) waive(f Finding, entry hcl.Range) string {
	if check := all.checks[f.Code]; len(all.files) == 0 || check.Fixed || f.Severity == Error && check.fault != "" {
		return ""
	}
	reason := ""
	for _, at := range []hcl.Range{f.At, entry} {
		for _, w := range all.files[at.Filename] {
			if at.Filename != "" && strings.EqualFold(w.code, string(f.Code)) && w.from <= at.Start.Line && at.Start.Line <= w.to {
				w.used = true
				reason = cmp.Or(reason, w.reason)
			}
		}
	}
	return reason
}

// findings are those about the waivers themselves. Of a broken tree it is not told what its waivers would waive.
func (all waivers) findings(broken bool) []Finding {
	var list []Finding
	add := func(w *waiver, code Code, summary, reason, remedy string) {
		list = append(list, Finding{Code: code, Severity: all.checks[code].Severity, At: w.at, Summary: summary, Reason: reason, Remedy: remedy})
	}
	for _, ws := range all.files {
		for _, w := range ws {
			check, known := all.checks[Code(strings.ToUpper(w.code))]
			switch {
			case w.code == "":
				add(w, codeNoReason, "A waiver without a code and a reason", "A waiver says which finding it is about, and why that is right here.",
					"Write dfe:ignore CODE reason.")
			case !known:
				add(w, codeUnknownCode, fmt.Sprintf("A waiver of %q, which is no code", w.code), "Nothing is waived by it.",
					`Write the code of the finding; "dfe schema explain" lists them.`)
			case check.Fixed:
				add(w, codeFixed, fmt.Sprintf("%s cannot be waived", check.Code), "A fault stays one, whatever its author says of it: nothing works while it stands.",
					"Remove the fault and the waiver.")
			case w.reason == "":
				add(w, codeNoReason, fmt.Sprintf("A waiver of %s without a reason", check.Code), "Whoever reads the definition next has to know why the advice was not taken; the finding stands until it says so.",
					fmt.Sprintf("Write it behind the code: dfe:ignore %s reason.", check.Code))
			case !w.used && !broken:
				add(w, codeNothing, fmt.Sprintf("Nothing here is %s", check.Code), fmt.Sprintf("The waiver is about lines %d to %d, and lint finds no %s there.", w.from, w.to, check.Code),
					"Remove the waiver, or move it above the block, attribute or line it is about.")
			}
		}
	}
	slices.SortFunc(list, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.At.Filename, b.At.Filename), cmp.Compare(a.At.Start.Byte, b.At.Start.Byte))
	})
	return list
}
