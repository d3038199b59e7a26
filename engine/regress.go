package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/lang/series"
	"github.com/dfe-engine/dfe/lang/tree"
	"github.com/dfe-engine/dfe/rules/plan"
)

// releaseRegressed is the word for a pass whose schema release is older than one the ledger has.
const releaseRegressed = "release_regressed"

// RegressedError is an older schema release that lacks on the server an object it declares: it cannot do its work
// there, and it may not create what a newer release has done without.
type RegressedError struct {
	Tree, Ledger string   // releases
	Absent       []string // "table shop.orders"
}

func (e *RegressedError) Error() string {
	return fmt.Sprintf("the schema release %s is older than %s in the ledger, so that nothing was applied, and the server lacks %s; run the newer release, or apply this one with \"dfe schema apply --allow-downgrade\"",
		e.Tree, e.Ledger, series.AtMost(5, e.Absent))
}

// ErrorCode is the error as one word.
func (e *RegressedError) ErrorCode() string { return releaseRegressed }

// Notice is what a pass has to tell of the deployment as a whole.
type Notice struct {
	// Code is the notice as one word: "release_regressed", "member_lacks_database", "member_still_has_database",
	// "mutation_fails", "mutation_under_way".
	Code string `json:"code"`
	Text string `json:"text"`
}

// newerRelease returns the newest schema release in the ledger that is newer than the tree's, or "". The bookkeeping
// that a tree leaves to the core release has that release and says nothing of the tree's.
func (c *comparison) newerRelease() string {
	mine, err := tree.ParseVersion(c.schema.release)
	if err != nil {
		return ""
	}
	newest := ""
	for key, r := range c.records {
		if key.Scope != c.schema.scope || c.schema.borrowed(key) {
			continue
		}
		v, err := tree.ParseVersion(r.SchemaRelease)
		if err != nil || v.Compare(mine) <= 0 {
			continue
		}
		mine, newest = v, r.SchemaRelease
	}
	return newest
}

// borrowed reports an object of the bookkeeping that is the core release's and not the tree's.
func (s *schema) borrowed(key ledger.Key) bool {
	return slices.ContainsFunc(bookkeeping(), func(id identity) bool {
		if id.kind != key.Kind || id.name.String() != key.Name {
			return false
		}
		d := s.find(id)
		return d != nil && d.release != s.release
	})
}

// regress ends a pass whose release is older than the ledger's: it reports what differs and applies nothing, so that
// a pod of the older release that starts in the middle of a rolling deploy takes nothing back. A newer release only
// ever adds, so that the older one can work with what is there. The ledger is left as the newer release wrote it.
func (p *pass) regress(ctx context.Context, doc *plan.Document, newer string) error {
	p.report.Code = releaseRegressed
	p.report.Notices = append(p.report.Notices, Notice{releaseRegressed, fmt.Sprintf(
		"the schema release %s is older than %s in the ledger: nothing was applied; \"dfe schema apply --allow-downgrade\" applies it", p.schema.release, newer)})
	var absent []string
	for i, d := range p.schema.objects {
		o := p.bootstrapped[d]
		if o == nil {
			o = p.withheld(d, doc.Objects[i])
			p.tell(ctx, o)
		}
		p.report.Objects = append(p.report.Objects, o)
		if p.missing(d) {
			absent = append(absent, string(d.Kind)+" "+d.Name.String())
		}
	}
	p.others(doc)
	if len(absent) > 0 {
		return &RegressedError{p.schema.release, newer, absent}
	}
	return nil
}

// downgraded writes down that this release now stands for what a newer one recorded: for what the newer one alone
// declared, which stays where it is.
func (p *pass) downgraded(ctx context.Context) error {
	declared := map[ledger.Key]bool{}
	for _, d := range slices.Concat(p.schema.objects, p.schema.topics) {
		declared[d.key()] = true
	}
	var left []*ledger.Record
	for key, r := range p.c.records {
		if key.Scope == ledger.ScopeSchema && !declared[key] && p.newer(r.SchemaRelease) {
			row := *r
			row.Pass, row.Epoch, row.SchemaRelease, row.EngineRelease = p.report.Pass, p.report.Epoch, p.schema.release, p.report.EngineRelease
			row.Action, row.Outcome, row.Statement, row.QueryIDs, row.Rules = plan.ObjectReport, ledger.Unchanged, "", nil, nil
			left = append(left, &row)
		}
	}
	slices.SortFunc(left, func(a, b *ledger.Record) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Kind, b.Kind))
	})
	for _, r := range left {
		if err := p.record(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// newer reports a release that is newer than the tree's.
func (p *pass) newer(release string) bool { return newerThan(release, p.schema.release) }

func newerThan(a, b string) bool {
	theirs, err1 := tree.ParseVersion(a)
	mine, err2 := tree.ParseVersion(b)
	return err1 == nil && err2 == nil && theirs.Compare(mine) > 0
}
