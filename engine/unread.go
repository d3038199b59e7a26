package engine

import (
	"context"
	"time"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/lang/canon"
	"github.com/dfe-engine/dfe/rules"
	"github.com/dfe-engine/dfe/rules/plan"
)

// resolution is how much older than a read a definition's modification has to be for that read to have seen it: the
// server gives metadata_modification_time in whole seconds.
const resolution = 2 * time.Second

// leave finds the declared tables, views and dictionaries that need not be read in full, because each, as it was seen,
// is the very object that the ledger recorded as being what is declared, on the same member and by the same engine: its text can
// only be what was compared then. What was refused or reported is read each time, since people are to be told.
//
// A view shows what its tables look like, and a table may copy another's structure: of objects that refer to each other
// either all are left unread or none is.
func (c *comparison) leave(seen map[ast.Name]*catalog.Object, engine string) {
	found := map[ast.Name]*catalog.Object{}
	c.unread, c.sums = found, map[*declared]string{}
	if !c.sameFunctions() {
		return
	}
	var changed []*declared
	for _, d := range c.schema.objects {
		if !d.Kind.IsRelation() {
			continue
		}
		if live := seen[d.Name]; c.same(d, live, engine) && c.closed(d) {
			found[d.Name] = live
		} else {
			changed = append(changed, d)
		}
	}
	around := c.schema.neighbours()
	for len(changed) > 0 {
		d := changed[0]
		changed = changed[1:]
		for _, n := range around[d] {
			if found[n.Name] != nil {
				delete(found, n.Name)
				changed = append(changed, n)
			}
		}
	}
}

// leaves reports whether a declared object was left unread.
func (c *comparison) leaves(d *declared) bool { return d.Kind.IsRelation() && c.unread[d.Name] != nil }

// same reports whether a live object is the one the ledger recorded, by the rule of DESIGN.md section 6, and the
// definition too.
func (c *comparison) same(d *declared, live *catalog.Object, engine string) bool {
	r := c.records[d.key()]
	switch {
	case live == nil || r == nil || live.Kind != d.Kind || live.UUID == "" || live.UUID == zeroUUID || live.Modified.IsZero():
		return false
	case r.Outcome != ledger.Applied && r.Outcome != ledger.Unchanged, r.Refused > 0, r.Reported > 0, r.LiveChecksum == "":
		return false
	case r.EngineRelease != engine, r.Platform != string(c.platform), r.SchemaRelease != d.release:
		return false
	case r.Member != c.live.Facts.DisplayName, r.UUID != live.UUID, !r.Modified.Equal(live.Modified), !settled(r):
		return false
	}
	c.sums[d] = canon.Checksum(canon.Object(d.Object, c.options.Env))
	return c.sums[d] == r.Checksum
}

// settled reports a record whose read saw the object's last modification for certain.
func settled(r *ledger.Record) bool {
	return !r.Modified.IsZero() && r.ReadAt.Sub(r.Modified) >= resolution
}

const zeroUUID = "00000000-0000-0000-0000-000000000000"

// sameFunctions reports whether every declared function is live as declared: a body is copied into what uses it.
func (c *comparison) sameFunctions() bool {
	for _, d := range c.schema.objects {
		if d.Kind != ast.KindFunction {
			continue
		}
		live := c.live.Functions[d.Name.Name]
		if live == nil || live.Tree == nil || len(rules.Diff(live.Tree, d.Object, c.options.Env)) > 0 {
			return false
		}
	}
	return true
}

// closed reports whether everything an object refers to is declared, or the server's own.
func (c *comparison) closed(d *declared) bool {
	if t, ok := d.Object.(*ast.Table); ok && t.Structure == nil {
		return true
	}
	for _, ref := range d.Refs() {
		if ref.InDatabase() && c.schema.relations[ref.Name] == nil && ref.Name.Database != "system" {
			return false
		}
	}
	return true
}

// neighbours are the tables, views and dictionaries that refer to each other, either way.
func (s *schema) neighbours() map[*declared][]*declared {
	found := map[*declared][]*declared{}
	for _, d := range s.objects {
		for _, needed := range d.Depends {
			if n := s.relations[needed.Name]; n != nil && needed.Kind.IsRelation() && n != d {
				found[d] = append(found[d], n)
				found[n] = append(found[n], d)
			}
		}
	}
	return found
}

// left is the report of an object that was left unread.
func (p *pass) left(d *declared, decided *plan.Object) *ObjectReport {
	o := p.told(d, decided)
	o.LiveChecksum, o.Unread = p.c.records[d.key()].LiveChecksum, true
	return o
}

// renew keeps a row that tells nothing new, where it lets the next pass leave the object unread and the newest one does
// not: because the object was read too soon after it was made, or on another member, or by another engine.
func (p *pass) renew(r *ledger.Record) {
	newest := p.c.records[r.Key]
	if newest == nil || r.Outcome != ledger.Unchanged || r.Refused+r.Reported > 0 || r.UUID == "" || r.UUID == zeroUUID || !settled(r) || !r.Kind.IsRelation() {
		return
	}
	if newest.Member != r.Member || newest.UUID != r.UUID || !newest.Modified.Equal(r.Modified) || !settled(newest) ||
		newest.EngineRelease != r.EngineRelease || newest.SchemaRelease != r.SchemaRelease || newest.Platform != r.Platform || newest.Checksum != r.Checksum {
		p.stale = append(p.stale, r)
	}
}

// refresh writes the rows that were kept, as one block.
func (p *pass) refresh(ctx context.Context) error {
	if len(p.stale) == 0 || p.ledger == nil {
		return nil
	}
	for _, r := range p.stale {
		p.sequence++
		r.Sequence = p.sequence
	}
	return p.ledger.Append(context.WithoutCancel(ctx), p.stale...)
}
