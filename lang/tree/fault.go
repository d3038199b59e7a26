package tree

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/dfe-engine/dfe/lang/series"
	"github.com/dfe-engine/dfe/lang/typo"
)

// Code names a kind of fault; it is stable, and what a waiver or a report refers to. HCL's own syntax and evaluation
// faults have the code "hcl".
type Code string

// The faults a tree can have.
const (
	CodeHCL        Code = "hcl"                  // HCL's own: syntax, evaluation, types
	CodeSyntax     Code = "syntax"               // a ClickHouse fragment or statement that does not parse
	CodeFile       Code = "file"                 // a file that is missing or cannot be read
	CodePath       Code = "path"                 // a path that leaves the tree or is no path
	CodeLimit      Code = "limit"                // something larger or deeper than the limits allow
	CodeUnknown    Code = "unknown-word"         // a block, attribute, function or variable that does not exist
	CodeMissing    Code = "missing"              // something required is absent
	CodeValue      Code = "value"                // a value of the wrong type or out of range
	CodeName       Code = "name"                 // a malformed name, or one that contradicts the manifest
	CodeDuplicate  Code = "duplicate"            // a name declared twice
	CodeVariable   Code = "variable"             // a variable without a usable value
	CodeInclude    Code = "include"              // an include that loops or drops what is not there
	CodeStatement  Code = "statement"            // a .sql file that is not one CREATE statement of the declared kind
	CodePlatform   Code = "platform"             // ON CLUSTER, or a Replicated engine with arguments
	CodeOrder      Code = "order"                // an object used before it is declared
	CodeCycle      Code = "cycle"                // objects that rest on themselves through others
	CodeUndeclared Code = "undeclared"           // an object used that nothing declares
	CodeColumn     Code = "unknown-column"       // a column that does not exist
	CodeType       Code = "type"                 // an unknown type, or a combination that is no type
	CodeCodec      Code = "codec"                // an unknown codec
	CodeEngine     Code = "engine"               // an unknown engine, or arguments it does not take
	CodeFunction   Code = "function"             // an unknown function or index type
	CodeSetting    Code = "setting"              // a setting no server has
	CodeSecret     Code = "secret"               // a secret that stands in the tree itself
	CodeUnreadable Code = "unreadable-statement" // a fragment kept as tokens: compared, but not understood
)

const (
	maxFaults        = 1000
	maxCompared      = 1 << 20 // names
	expectationLimit = 12      // words listed in one message
)

// CodeOf returns the code of a diagnostic of this package.
func CodeOf(d *hcl.Diagnostic) Code {
	if code, ok := d.Extra.(Code); ok {
		return code
	}
	return CodeHCL
}

// faults collects diagnostics, each once: an include that many tables share reports its faults one time.
type faults struct {
	diags  hcl.Diagnostics
	seen   map[string]bool
	errors int // how many errors were reported, repeated ones included
	// compared is how many names a typo was looked for in.
	compared int
}

func (f *faults) add(d *hcl.Diagnostic) {
	if d.Severity == hcl.DiagError {
		f.errors++
	}
	key := d.Summary + "\x00" + d.Detail
	if d.Subject != nil {
		key += "\x00" + d.Subject.String()
	}
	if f.seen[key] || len(f.diags) > maxFaults {
		return
	}
	if f.seen == nil {
		f.seen = map[string]bool{}
	}
	f.seen[key] = true
	if len(f.diags) == maxFaults {
		d = tooMany()
	}
	f.diags = append(f.diags, d)
}

// full reports that no more faults are taken: nobody has to look for them.
func (f *faults) full() bool { return len(f.diags) > maxFaults }

func tooMany() *hcl.Diagnostic {
	return &hcl.Diagnostic{Severity: hcl.DiagError, Summary: "Too many faults", Extra: CodeLimit,
		Detail: fmt.Sprintf("The first %d are shown. Correct them and try again.", maxFaults)}
}

// Bounded are as many of the faults of one text as a person is shown, from its top, and where there are more, one that
// says so.
func Bounded(diags hcl.Diagnostics) hcl.Diagnostics {
	f := faults{diags: diags}
	if f.sorted(); len(diags) > maxFaults+1 {
		diags = append(diags[:maxFaults:maxFaults], tooMany())
	}
	return diags
}

// meant is [typo.Suggest] while a load has compared no more names than costs a moment: each of a thousand unknown columns
// of a table of thousands would be compared with every one.
func (f *faults) meant(given string, known []string) string {
	if f.compared += len(known); f.compared > maxCompared {
		return ""
	}
	return typo.Suggest(given, known)
}

// sorted returns the diagnostics file by file, in the order the files were first reported, each from its top.
func (f *faults) sorted() hcl.Diagnostics {
	rank := map[string]int{}
	for _, d := range f.diags {
		if d.Subject == nil {
			continue
		}
		if _, known := rank[d.Subject.Filename]; !known {
			rank[d.Subject.Filename] = len(rank)
		}
	}
	place := func(d *hcl.Diagnostic) (file, at int) {
		if d.Subject == nil {
			return -1, 0
		}
		return rank[d.Subject.Filename], d.Subject.Start.Byte
	}
	slices.SortStableFunc(f.diags, func(a, b *hcl.Diagnostic) int {
		fileA, atA := place(a)
		fileB, atB := place(b)
		return cmp.Or(cmp.Compare(fileA, fileB), cmp.Compare(atA, atB))
	})
	return f.diags
}

func (f *faults) extend(diags hcl.Diagnostics) {
	for _, d := range diags {
		f.add(d)
	}
}

// fault reports one error at a place. The detail gives reason and remedy in whole sentences.
func (f *faults) fault(code Code, at hcl.Range, summary, detail string) {
	f.add(&hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: detail, Subject: &at, Extra: code})
}

func (f *faults) warn(code Code, at hcl.Range, summary, detail string) {
	f.add(&hcl.Diagnostic{Severity: hcl.DiagWarning, Summary: summary, Detail: detail, Subject: &at, Extra: code})
}

// expected lists what a place takes, sorted, with "or" before the last.
func expected(words []string) string { return enumerate(words, series.Or[string]) }

// enumerate lists words, sorted and each once, as one of package series does, and no more than a message holds.
func enumerate(words []string, list func([]string) string) string {
	words = slices.Clone(words)
	slices.Sort(words)
	words = slices.Compact(words)
	if len(words) > expectationLimit {
		return series.AtMost(expectationLimit, words)
	}
	return list(words)
}
