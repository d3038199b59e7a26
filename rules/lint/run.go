package lint

import (
	"iter"
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/dfe-engine/dfe/lang/tree"
)

// Run lints a tree that was loaded with the given diagnostics. The findings come while they are made: the loader's
// faults first, then those of each object in manifest order, then those about waivers. Waived findings are among them,
// with the reason in [Finding.Waived].
//
// more, which may be nil, are findings of another finder, such as an engine; they come after the objects'.
func Run(t *tree.Tree, diags hcl.Diagnostics, more iter.Seq[Finding]) iter.Seq[Finding] {
	return func(yield func(Finding) bool) {
		waivers := readWaivers(t)
		seen := map[seenKey]bool{}
		broken, unsure := false, false
		give := func(f Finding, entry hcl.Range) bool {
			f.Waived = waivers.waive(f, entry)
			// What is declared once and included by many is told once; a waiver of one of them is not one of all.
			key := seenKey{f.Code, f.At, f.Summary, f.Waived != ""}
			if f.At.Filename != "" && seen[key] {
				return true
			}
			seen[key] = true
			return yield(f)
		}
		for _, d := range diags {
			f := faultFinding(d)
			broken = broken || f.Severity == Error
			unsure = unsure || f.Severity == Error && (f.At.Filename == tree.ManifestName || f.At.Filename == "")
			if !give(f, hcl.Range{}) {
				return
			}
		}
		checks := slices.DeleteFunc(Checks(), func(c Check) bool { return c.table == nil && c.query == nil && c.object == nil })
		for _, d := range t.Objects {
			// A fault in the manifest leaves values open that definitions are made of: what they would then lack is no finding.
			if d.Broken || unsure {
				continue
			}
			for _, f := range findings(t, d, checks) {
				if !give(f, d.Entry) {
					return
				}
			}
		}
		if more != nil {
			for f := range more {
				if !give(f, hcl.Range{}) {
					return
				}
			}
		}
		for _, f := range waivers.findings(broken) {
			if !yield(f) {
				return
			}
		}
	}
}

// seenKey tells findings apart.
type seenKey struct {
	code    Code
	at      hcl.Range
	summary string
	waived  bool
}
