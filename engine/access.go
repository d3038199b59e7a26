package engine

import (
	"context"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/rules"
)

// liveOf returns what the server has for a declared object, or nil.
func (c *comparison) liveOf(d *declared) *catalog.Object { return liveOf(c.live, d) }

func liveOf(live *catalog.Catalog, d *declared) *catalog.Object {
	if g, isGrant := d.Object.(*ast.Grant); isGrant {
		return live.Access.Granted(g)
	}
	return live.Find(d.Kind, d.Name)
}

// readLive reads a declared object again. A grant is what those have whom it is for.
func (p *pass) readLive(ctx context.Context, d *declared) (*catalog.Object, error) {
	g, isGrant := d.Object.(*ast.Grant)
	if !isGrant {
		live, err := catalog.ReadObject(ctx, p.conn, d.Kind, d.Name)
		if err == nil && d.Kind.IsAccess() {
			p.c.live.Put(d.Kind, d.Name, live)
		}
		return live, err
	}
	for _, to := range g.To {
		name := ast.Name{Name: to}
		live, err := catalog.ReadObject(ctx, p.conn, ast.KindRole, name)
		if err != nil {
			return nil, err
		}
		p.c.live.Put(ast.KindRole, name, live)
	}
	return p.c.liveOf(d), nil
}

// grantedBeside is what the grants of the schema give to each user or role besides what his own definition says.
func (s *schema) grantedBeside() map[string][]ast.Right {
	rights := map[string][]ast.Right{}
	for _, d := range s.objects {
		g, isGrant := d.Object.(*ast.Grant)
		if !isGrant {
			continue
		}
		for _, to := range g.To {
			rights[to] = append(rights[to], g.RightsOf(to)...)
		}
	}
	return rights
}

// undeclaredPolicies lists the live row policies on the declared databases that nothing declares: they decide what people
// see. One that hides nothing is left out.
func (c *comparison) undeclaredPolicies(databases map[string]bool) []rules.Pair {
	var pairs []rules.Pair
	for _, o := range c.live.Access.Objects(ast.KindRowPolicy) {
		policy, readable := o.Tree.(*ast.RowPolicy)
		if !readable && c.schema.find(identity{o.Kind, o.Name}) == nil {
			pairs = append(pairs, unreadablePair(o)) // it may hide rows of a declared table
			continue
		}
		if !readable || !databases[policy.Table.Database] || c.schema.find(identity{o.Kind, o.Name}) != nil || hidesNothing(policy) {
			continue
		}
		p := rules.Pair{Kind: o.Kind, Name: o.Name}
		if r := c.anyScope[object{o.Kind, o.Name.String()}]; r != nil {
			p.Recorded = &rules.Recorded{Scope: string(r.Scope)}
		}
		seen(&p, o)
		pairs = append(pairs, p)
	}
	return pairs
}

// unreadAccess lists what a server printed of its access objects and nobody can read: not even what it is about.
func (c *comparison) unreadAccess() []rules.Pair {
	if c.live.Access == nil {
		return nil
	}
	var pairs []rules.Pair
	for _, o := range c.live.Access.Opaque {
		pairs = append(pairs, unreadablePair(o))
	}
	return pairs
}

func unreadablePair(o *catalog.Object) rules.Pair {
	p := rules.Pair{Kind: o.Kind, Name: o.Name}
	seen(&p, o)
	return p
}

// hidesNothing reports the policy that a server adds for those whom another policy of the table is not for.
func hidesNothing(p *ast.RowPolicy) bool {
	return !p.Restrictive && p.Filter != nil && p.Filter.Kind == ast.Number && p.Filter.Text == "1"
}

// settleRights writes down anew what users and roles are like whom a grant behind them gave something: their rows say how
// they were when they were asserted.
func (p *pass) settleRights(ctx context.Context) error {
	if p.ledger == nil {
		return nil
	}
	for i, d := range p.c.schema.objects {
		if d.Kind != ast.KindRole && d.Kind != ast.KindUser {
			continue
		}
		row, o := p.written[d.key()], p.report.Objects[i]
		if row == nil {
			row = p.c.records[d.key()]
		}
		now := checksum(p.c.liveOf(d))
		if row == nil || now == "" || row.LiveChecksum == "" || row.LiveChecksum == now {
			continue
		}
		settled := *row
		settled.Pass, settled.Epoch, settled.LiveChecksum = p.report.Pass, p.report.Epoch, now
		settled.Statement, settled.QueryIDs = "", nil // they are in the row before
		o.LiveChecksum = now
		if err := p.record(ctx, &settled); err != nil {
			return err
		}
	}
	return nil
}
