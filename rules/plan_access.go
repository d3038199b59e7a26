package rules

import (
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/access"
	"github.com/dfe-engine/dfe/lang/canon"
	"github.com/dfe-engine/dfe/rules/plan"
)

// accessStatement is a statement of access in the making, with the rights and the other parts it asserts.
type accessStatement struct {
	sql string
	// whole is the definition without its rights; rights are those the statement grants or takes away.
	whole  bool
	rights map[string]bool
	// always: it is sent by every pass, and not on a difference alone. opens: what it grants gives back what a declared denial
	// takes out of it; behind such a one every denial is sent.
	always, opens, denies bool
	// unchecked: what it comes to cannot be read back (case S95).
	unchecked bool
}

// carryAccess plans the statements that make a role, a user, a settings profile, a quota, a row policy or a grant what it
// is declared to be. They converge: sent to an object that is so already they change nothing, and every pass sends them.
// A password is set when a user is created and never again.
func (p *objectPlan) carryAccess() {
	created := len(p.decisions) > 0 && p.decisions[0].Change.Path == (ast.Path{})
	if created && p.decisions[0].Action != Create || p.pair.Desired == nil {
		return
	}
	list := p.accessStatements(created)
	carried := make([][]int, len(list))
	for i := range p.decisions {
		d := &p.decisions[i]
		at := p.carriedBy(d, list, created)
		switch {
		case d.Action.Carried() && at >= 0:
			carried[at] = append(carried[at], i)
			p.changes[i].Statement = list[at].sql
		case !d.Bare && d.Change.Op == ast.Remove:
			p.changes[i].Statement = p.revokeSQL(&d.Change)
		}
	}
	opened := false
	for i, s := range list {
		if created || len(carried[i]) > 0 || s.always || s.denies && opened {
			p.sendAccess(s, created, carried[i])
			opened = opened || s.opens
		}
	}
}

// carriedBy finds the statement that carries a decision out; -1 for none.
func (p *objectPlan) carriedBy(d *Decision, list []accessStatement, created bool) int {
	if created {
		return 0
	}
	switch d.Change.Path.Part {
	case "grant", "revoke", "role":
		return slices.IndexFunc(list, func(s accessStatement) bool { return s.rights[d.Change.Path.Part+" "+d.Change.Path.Name] })
	}
	return slices.IndexFunc(list, func(s accessStatement) bool { return s.whole })
}

func (p *objectPlan) sendAccess(s accessStatement, created bool, decisions []int) {
	st := &plan.Statement{Kind: string(p.pair.Kind), Object: p.pair.Name.String(), SQL: s.sql, Action: string(ReassertGrant),
		Conditional: true, Reassert: len(decisions) == 0 && !created, Paths: []string{}, Unchecked: s.unchecked}
	for _, i := range decisions {
		st.Paths = append(st.Paths, p.changes[i].Path)
	}
	if created {
		st.Action, st.Paths = string(Create), s.paths()
		if s.whole {
			st.Secrets = secretsIn(s.sql, p.pair.Desired)
		}
	}
	if p.pair.Live != nil {
		st.Expect = plan.Expect{Exists: true, Kind: string(p.pair.Live.Kind())}
		if len(p.statements) == 0 {
			st.Expect.Checksum = canon.Checksum(canon.Object(p.pair.Live, p.options.Env))
		}
	}
	p.statements = append(p.statements, st)
}

// paths are the object itself, or the rights that the statement gives.
func (s accessStatement) paths() []string {
	if s.whole {
		return []string{""}
	}
	var list []string
	for key := range s.rights {
		part, name, _ := strings.Cut(key, " ")
		list = append(list, ast.Path{Part: part, Name: name}.String())
	}
	slices.Sort(list)
	return list
}

// accessStatements lists what makes the object what it is declared to be.
func (p *objectPlan) accessStatements(created bool) []accessStatement {
	var list []accessStatement
	if p.pair.Kind != ast.KindGrant {
		sql := ""
		switch {
		case created:
			sql = createSQL(p.pair.Desired, p.options.Platform)
		case p.sayable():
			sql = ast.AlterAccess(p.altered())
		}
		if sql != "" {
			list = append(list, accessStatement{sql: sql, whole: true, always: true})
		}
	}
	rights, to, exclusive := rightsOf(p.pair.Desired)
	list = append(list, p.rightStatements(rights, to, exclusive)...)
	return list
}

// sayable reports whether there is something to assert besides rights: a role without settings on either side has
// nothing.
func (p *objectPlan) sayable() bool {
	desired, isRole := p.pair.Desired.(*ast.Role)
	live, _ := p.pair.Live.(*ast.Role)
	return !isRole || len(desired.Settings) > 0 || live == nil || len(live.Settings) > 0
}

// altered is the definition as ALTER says it: the intervals of a quota that nothing declares are taken away by name,
// because ALTER QUOTA leaves those it does not mention.
func (p *objectPlan) altered() ast.Object {
	desired, ok1 := p.pair.Desired.(*ast.Quota)
	live, ok2 := p.pair.Live.(*ast.Quota)
	if !ok1 || !ok2 {
		return p.pair.Desired
	}
	full := *desired
	full.Intervals = slices.Clone(desired.Intervals)
	for _, l := range live.Intervals {
		if !slices.ContainsFunc(desired.Intervals, func(d ast.QuotaInterval) bool { return d.Seconds == l.Seconds }) {
			full.Intervals = append(full.Intervals, ast.QuotaInterval{Seconds: l.Seconds, NoLimits: true})
		}
	}
	return &full
}

// rightsOf returns what an object grants, to whom, and whether that is all they have.
func rightsOf(o ast.Object) (rights []ast.Right, to []string, exclusive bool) {
	switch o := o.(type) {
	case *ast.Role:
		return o.Rights, []string{o.Name}, o.Exclusive
	case *ast.User:
		return o.Rights, []string{o.Name}, o.Exclusive
	case *ast.Grant:
		return o.Rights, o.To, false
	}
	return nil, nil, false
}

// rightStatements groups the rights into as few statements as their options allow: grants first, then what is denied out
// of them, then what is granted inside a denial. A grant that a declared denial cuts into is sent on a difference alone:
// granting it gives back what was denied, until the next statement. So is a denial with a grant inside, which it takes
// away until the next.
func (p *objectPlan) rightStatements(rights []ast.Right, to []string, exclusive bool) []accessStatement {
	extra := p.extraRights()
	groups := rightGroups(rights)
	replace := exclusive && len(extra) > 0 && replaceable(groups, extra)
	var list []accessStatement
	for _, g := range groups {
		s := accessStatement{sql: ast.GrantSQL(g, to, replace)[0], rights: map[string]bool{}, unchecked: g[0].Current, denies: g[0].Revoke}
		switch {
		case s.denies:
			s.always = !p.takesGranted(g, rights, to)
		case access.Inside(&g[0], rights):
			s.always = true
		default:
			s.opens = p.cutInto(g, rights)
			s.always = !s.opens
		}
		for _, r := range g {
			for _, each := range to {
				if r.To == "" && p.pair.Kind == ast.KindGrant {
					named := r
					named.To = each
					s.rights[named.PartKind()+" "+named.PartName()] = true
				}
			}
			s.rights[canonicalPart(r)] = true
		}
		if replace {
			for _, r := range extra {
				s.rights[r.PartKind()+" "+r.PartName()] = true
			}
		}
		list = append(list, s)
	}
	if replace || !exclusive {
		return list
	}
	for _, r := range extra {
		revoked := r
		revoked.Revoke, revoked.Option = true, false
		list = append(list, accessStatement{sql: ast.GrantSQL([]ast.Right{revoked}, to, false)[0],
			rights: map[string]bool{r.PartKind() + " " + r.PartName(): true}})
	}
	return list
}

// canonicalPart names a right as the canonical form does, whose columns are sorted.
func canonicalPart(r ast.Right) string {
	r.Columns = slices.Sorted(slices.Values(r.Columns))
	return r.PartKind() + " " + r.PartName()
}

// extraRights are the live rights that the tables decide to take away.
func (p *objectPlan) extraRights() []ast.Right {
	var extra []ast.Right
	live, _, _ := rightsOf(p.live)
	for i := range p.decisions {
		c := &p.decisions[i].Change
		if c.Op != ast.Remove || p.decisions[i].Action != ReassertGrant {
			continue
		}
		for _, r := range live {
			if r.PartKind() == c.Path.Part && r.PartName() == c.Path.Name {
				extra = append(extra, r)
			}
		}
	}
	return extra
}

// rightGroups puts rights together that one statement can give, in the order of the first of each.
func rightGroups(rights []ast.Right) [][]ast.Right {
	type key struct {
		phase        int
		role, option bool
		to           string
		current      int
	}
	at := map[key]int{}
	var groups [][]ast.Right
	for phase := range phases {
		for i, r := range rights {
			if phaseOf(&r, rights) != phase {
				continue
			}
			k := key{phase: phase, role: r.Role != "", option: r.Option, to: r.To}
			if r.Current {
				k.current = i + 1
			}
			n, known := at[k]
			if !known {
				n = len(groups)
				at[k] = n
				groups = append(groups, nil)
			}
			groups[n] = append(groups[n], r)
		}
	}
	return groups
}

// phases are those in which rights are said: what is granted, what is denied out of that, what is granted inside a denial.
const phases = 3

func phaseOf(r *ast.Right, rights []ast.Right) int {
	switch {
	case r.Revoke:
		return 1
	case access.Inside(r, rights):
		return 2
	}
	return 0
}

// takesGranted reports whether one of these denials takes away what the schema grants inside it.
func (p *objectPlan) takesGranted(denials, rights []ast.Right, to []string) bool {
	inside := func(r ast.Right) bool { return access.Inside(&r, denials) }
	if slices.ContainsFunc(rights, inside) {
		return true
	}
	return p.options.Env.Granted != nil && slices.ContainsFunc(to, func(each string) bool {
		return slices.ContainsFunc(p.options.Env.Granted(each), inside)
	})
}

// replaceable reports whether one GRANT ... WITH REPLACE OPTION says all of an exclusive set: privileges alone, with one
// option, and nothing denied.
func replaceable(groups [][]ast.Right, extra []ast.Right) bool {
	isRole := func(r ast.Right) bool { return r.Role != "" }
	return len(groups) == 1 && !groups[0][0].Revoke && !groups[0][0].Current && !isRole(groups[0][0]) && !slices.ContainsFunc(extra, isRole)
}

// cutInto reports whether a declared denial takes a part out of one of the group's grants.
func (p *objectPlan) cutInto(group, rights []ast.Right) bool {
	for i := range rights {
		if !rights[i].Revoke {
			continue
		}
		for j := range group {
			if !group[j].Revoke && !access.NewRights(group[j:j+1]).Covers(&rights[i]) {
				return true
			}
		}
	}
	return false
}

// revokeSQL is what an operator runs to take away a live right that nothing declares.
func (p *objectPlan) revokeSQL(c *ast.Change) string {
	live, to, _ := rightsOf(p.live)
	for _, r := range live {
		if r.PartKind() == c.Path.Part && r.PartName() == c.Path.Name && !r.Revoke {
			r.Revoke, r.Option = true, false
			return ast.GrantSQL([]ast.Right{r}, to, false)[0]
		}
	}
	return ""
}
