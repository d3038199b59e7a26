package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/executor"
	"github.com/dfe-engine/dfe/engine/lease"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/rules"
	"github.com/dfe-engine/dfe/rules/plan"
)

// object carries out what was decided about one declared object, records it and reports.
func (p *pass) object(ctx context.Context, d *declared, decided *plan.Object, statements []*plan.Statement) *ObjectReport {
	o := p.told(d, decided)
	r := &ledger.Record{
		Key: d.key(), Pass: p.report.Pass, Epoch: p.report.Epoch, SchemaRelease: d.release, EngineRelease: p.report.EngineRelease,
		Platform: string(p.c.platform), Checksum: decided.Checksum, Member: p.c.live.Facts.DisplayName,
	}
	switch by := p.blockedBy(d); {
	case by != "" && len(statements) > 0:
		o.Outcome, o.BlockedBy = ledger.Blocked, by
		o.Error = "not tried, because " + by + " did not come to be"
	case len(statements) > 0:
		p.send(ctx, d, o, r, statements)
	}
	if o.Outcome == ledger.Failed || o.Outcome == ledger.Unresolved || o.Outcome == ledger.Blocked || p.missing(d) {
		p.lost[d.Declared] = string(d.Kind) + " " + d.Name.String()
	}
	live := p.c.liveOf(d)
	o.LiveChecksum = checksum(live)
	p.fill(r, d, o, live)
	p.rememberValues(r, d, o, live)
	hide(o, r, d.Object)
	switch {
	case p.untouched(o), untried(ctx, o):
	case p.tells(r):
		p.unrecorded = p.record(ctx, r)
	case p.part == nil:
		p.renew(r)
	}
	return o
}

// told is the report of an object as it was decided, before anything is done about it.
func (p *pass) told(d *declared, decided *plan.Object) *ObjectReport {
	o := &ObjectReport{
		Scope: string(d.scope), Kind: d.Kind, Name: d.Name.String(), Action: decided.Action, Outcome: ledger.Unchanged,
		Changes: decided.Changes, Checksum: decided.Checksum, Adopted: decided.Adopted, Error: unreadable(decided),
	}
	o.Reads, o.Writes = p.schema.flow(d.Name, d.Refs())
	switch {
	case o.Refused() > 0:
		o.Outcome = ledger.Refused
	case decided.Unreadable != nil:
		o.Outcome = ledger.Unreadable
	}
	return o
}

// withheld is the report of an object in a pass that sends nothing.
func (p *pass) withheld(d *declared, decided *plan.Object) *ObjectReport {
	o := p.told(d, decided)
	if o.Outcome == ledger.Unchanged && slices.Contains([]string{plan.ObjectCreate, plan.ObjectAlter, plan.ObjectReplace}, o.Action) {
		o.Outcome = Withheld
	}
	o.LiveChecksum = checksum(p.c.liveOf(d))
	hide(o, &ledger.Record{}, d.Object)
	return o
}

// untouched reports an object that nothing was sent for because the lease is lost: whoever has it now tells of it.
func (p *pass) untouched(o *ObjectReport) bool {
	return p.stopped != nil && o.Outcome == ledger.Failed && len(o.Statements) == 0
}

// untried reports an object that nothing was sent for because the pass was told to stop: it is still to come.
func untried(ctx context.Context, o *ObjectReport) bool {
	return context.Cause(ctx) != nil && o.Outcome == ledger.Failed && len(o.Statements)+len(o.Reasserted) == 0
}

// missing reports a declared object that is not there although nothing failed: its creation was refused, or another
// kind of object holds its name. What depends on it cannot be applied.
func (p *pass) missing(d *declared) bool {
	live := p.c.liveOf(d)
	return live == nil || live.Kind != d.Kind
}

// blockedBy returns the first object this one depends on that did not come to be, or "".
func (p *pass) blockedBy(d *declared) string {
	for _, needed := range d.Depends {
		if lost := p.lost[needed]; lost != "" {
			return lost
		}
	}
	return ""
}

// send sends the object's statements one after the other, as long as each has the effect it was planned for.
func (p *pass) send(ctx context.Context, d *declared, o *ObjectReport, r *ledger.Record, statements []*plan.Statement) {
	began := p.e.now()
	o.Outcome = ledger.Applied
	p.e.count(ctx, p.conn, o.Name, p.irrevocable(o))
	for i, s := range statements {
		if stopped := context.Cause(ctx); i > 0 && stopped != nil {
			p.failed(o, fmt.Errorf("stopped after %d of its %d statements, and the next pass sends the others: %w", i, len(statements), stopped))
			break
		}
		if lost, err := p.prove(ctx, s); err != nil || lost != nil {
			p.unproven(o, s, lost, err)
			continue
		}
		if d.Kind == ast.KindRowPolicy {
			// A server that keeps users in a file adds a policy that hides nothing for everybody else with the first one on a
			// table: the pass itself may have made this one come to be.
			if _, err := p.readLive(ctx, d); err != nil {
				p.failed(o, err)
				break
			}
		}
		secrets, err := p.secrets(ctx, d, s)
		if err != nil {
			p.failed(o, err)
			break
		}
		result, err := p.x.Apply(ctx, executor.Statement{
			Kind: d.Kind, Name: d.Name, SQL: s.SQL, Before: p.c.liveOf(d), Secrets: secrets,
			Read:      func(ctx context.Context) (*catalog.Object, error) { return p.readLive(ctx, d) },
			Missing:   func(after *catalog.Object) string { return p.remaining(d, s, after) },
			ReadsRows: s.Action == string(rules.ModifyColumn),
			Unseen:    s.Action == string(rules.ReplaceCollection),
		})
		switch {
		case result.Attempts > 0 && s.Reassert:
			o.Reasserted = append(o.Reasserted, s.SQL)
		case result.Attempts > 0:
			o.Statements = append(o.Statements, s.SQL)
			r.QueryIDs = append(r.QueryIDs, result.QueryID)
		}
		if err != nil {
			p.failed(o, err)
			// What the object is now decides what the ledger says of it; where even that cannot be read, nothing is said.
			if live, err := p.readLive(context.WithoutCancel(ctx), d); err == nil {
				p.c.live.Put(d.Kind, d.Name, live)
			}
			break
		}
		p.c.live.Put(d.Kind, d.Name, result.After)
		if s.Action == string(rules.ModifyColumn) {
			p.mutating[d.Name] = true
			if err := p.mutated(context.WithoutCancel(ctx), d.Name); err != nil {
				p.failed(o, err)
				break
			}
		}
	}
	if len(o.Statements) == 0 && o.Outcome == ledger.Applied {
		o.Outcome = ledger.Unchanged
		if o.Refused() > 0 {
			o.Outcome = ledger.Refused
		}
	}
	r.Elapsed = p.e.now().Sub(began)
	o.ElapsedMS = r.Elapsed.Milliseconds()
}

// irrevocable lists the changes that go ahead whatever they cost in rows. That is counted before, because afterwards
// nobody can.
func (p *pass) irrevocable(o *ObjectReport) []*plan.Change {
	var list []*plan.Change
	for _, c := range o.Changes {
		if rules.Action(c.Action) == rules.ModifyTTL {
			list = append(list, c)
		}
	}
	return list
}

func (p *pass) failed(o *ObjectReport, err error) {
	o.Outcome, o.Error, p.cause = ledger.Failed, err.Error(), err
	var lost *lease.LostError
	var unshared *executor.NotSharedError
	if executor.IsStuck(err) || errors.As(err, &lost) || errors.As(err, &unshared) {
		p.stopped = err
	}
	var unresolved *executor.UnresolvedError
	if errors.As(err, &unresolved) {
		o.Outcome = ledger.Unresolved
	}
	var rejected *executor.RejectedError
	if errors.As(err, &rejected) {
		o.ErrorCode = rejected.Code
	}
}

// remaining says what of a statement's effect the live object lacks: the changes that the same decision finds again.
func (p *pass) remaining(d *declared, s *plan.Statement, live *catalog.Object) string {
	pair := p.c.pair(d, live)
	pair.Values = nil // no server shows them
	doc := p.c.schema.book.Plan([]rules.Pair{pair}, p.c.options)
	return doc.Objects[0].Remaining(s)
}

// prove asks the data whether a statement loses any of it, where the plan demands that.
func (p *pass) prove(ctx context.Context, s *plan.Statement) (*plan.Loss, error) {
	if s.Proof == nil {
		return nil, nil
	}
	var loss plan.Loss
	err := p.conn.Select(ctx, s.Proof.Query, nil, func(scan func(...any) error) error { return scan(&loss.Rows) })
	if e, ok := catalog.Exception(err); ok {
		// What the server says of a value that it cannot cast quotes the value.
		return nil, fmt.Errorf("the server answers code %d to %s", e.Code, s.Proof.Query)
	}
	if err != nil {
		return nil, &catalog.ReadError{What: "what " + s.Object + " would lose", Err: err}
	}
	if loss.Rows == 0 {
		return nil, nil
	}
	return &loss, nil
}

// unproven turns the changes of a statement into refusals.
func (p *pass) unproven(o *ObjectReport, s *plan.Statement, loss *plan.Loss, err error) {
	if loss == nil {
		loss = &plan.Loss{Err: err.Error()}
	}
	decided := &plan.Object{Kind: string(o.Kind), Name: o.Name, Changes: o.Changes}
	doc := &plan.Document{Objects: []*plan.Object{decided}, Statements: []*plan.Statement{s}}
	doc.Refuse(s, *loss)
	o.Action = decided.Action
}

// fill completes a row with what became of its object.
func (p *pass) fill(r *ledger.Record, d *declared, o *ObjectReport, live *catalog.Object) {
	r.Outcome, r.LiveChecksum, r.Error, r.ErrorCode = o.Outcome, o.LiveChecksum, o.Error, o.ErrorCode
	r.Refused, r.Reported = uint32(o.Refused()), uint32(o.Reported())
	r.Statement = strings.Join(o.Statements, ";\n")
	var actions []string
	tellChanges(r, o.Changes)
	for _, c := range o.Changes {
		if rules.Action(c.Action).Carried() && !slices.Contains(actions, c.Action) {
			actions = append(actions, c.Action)
		}
	}
	r.Action = strings.Join(actions, ", ")
	if r.Action == "" {
		r.Action = o.Action
	}
	// A column that is refused, or whose ALTER failed, was never there.
	if there := tableOf(d, live); there != nil {
		for _, c := range d.Object.(*ast.Table).Columns {
			if there.Column(c.Name) != nil {
				r.Decisions.Columns = append(r.Decisions.Columns, c.Name)
			}
		}
	}
	if g, isGrant := d.Object.(*ast.Grant); isGrant {
		r.Decisions.To = g.To
	}
	if live != nil {
		r.UUID, r.Modified, r.ReadAt = live.UUID, live.Modified, live.ReadAt
	}
}

// tableOf is the live table that a declared one is compared with, or nil.
func tableOf(d *declared, live *catalog.Object) *ast.Table {
	if live == nil || d.Kind != ast.KindTable {
		return nil
	}
	t, _ := live.Tree.(*ast.Table)
	return t
}

// tells reports whether a row says anything the newest one does not. A pass with nothing to do writes nothing.
func (p *pass) tells(r *ledger.Record) bool {
	newest := p.c.records[r.Key]
	switch {
	case r.Statement != "" || newest == nil:
		return true
	case p.newer(newest.SchemaRelease) && !p.c.schema.borrowed(r.Key):
		return true // this release stands for the object again
	case newest.Outcome != r.Outcome && !(newest.Outcome == ledger.Applied && r.Outcome == ledger.Unchanged):
		return true
	}
	return newest.LiveChecksum != r.LiveChecksum || newest.Refused != r.Refused || newest.Error != r.Error ||
		!maps.Equal(newest.ValueHashes, r.ValueHashes) || !slices.Equal(newest.Decisions.To, r.Decisions.To) || r.Refused+r.Reported > 0 && !slices.Equal(newest.Decisions.Changes, r.Decisions.Changes)
}

// record writes a row, or keeps it until there is a ledger.
func (p *pass) record(ctx context.Context, r *ledger.Record) error {
	if p.ledger == nil {
		p.early = append(p.early, r)
		return nil
	}
	p.sequence++
	r.Sequence = p.sequence
	if p.written == nil {
		p.written = map[ledger.Key]*ledger.Record{}
	}
	p.written[r.Key] = r
	// What was done is written down also when the pass is told to stop.
	return p.ledger.Append(context.WithoutCancel(ctx), r)
}
