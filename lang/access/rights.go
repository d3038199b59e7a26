package access

import (
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/facts"
)

// reaches reports whether a privilege can be granted on a thing as narrow as the right's.
func reaches(p facts.Privilege, r *ast.Right) bool {
	switch p.Level {
	case "GLOBAL":
		return r.Database == "" && !r.Here && !r.HasParameter
	case "DATABASE":
		return (r.Table == "" || r.Prefix && r.Table == "") && !r.HasParameter
	case "COLUMN":
		return !r.HasParameter
	case "NAMED_COLLECTION", "USER_NAME", "TABLE_ENGINE", "DEFINER", "SOURCE":
		return r.HasParameter || !r.Here && r.Table == "" && len(r.Columns) == 0
	}
	return len(r.Columns) == 0 && !r.HasParameter
}

// atom is the smallest piece of a right: one privilege that is no group, on one column or on all.
type atom struct {
	privilege string
	column    string // empty: every column
	right     *ast.Right
	parameter string
	any       bool // of a parametric privilege: about everything
	prefix    bool
	unknown   bool // a privilege of a newer server, whose group nobody here knows
}

// atoms takes a right apart. A source as a privilege is READ and WRITE on it (case S93).
func atoms(r *ast.Right) []atom {
	if r.Role != "" {
		return nil
	}
	if facts.AccessSource(r.Privilege) {
		return []atom{{privilege: "READ", right: r, parameter: r.Privilege}, {privilege: "WRITE", right: r, parameter: r.Privilege}}
	}
	var list []atom
	if r.Privilege == "SOURCES" {
		return []atom{{privilege: "READ", right: r, any: true}, {privilege: "WRITE", right: r, any: true}}
	}
	parts := facts.PrivilegeParts(r.Privilege)
	unknown := len(parts) == 0
	if unknown {
		parts = []facts.Privilege{{Name: r.Privilege, Level: "COLUMN"}}
	}
	for _, p := range parts {
		if !reaches(p, r) || facts.AccessSource(p.Name) || p.Name == "SOURCES" {
			continue
		}
		a := atom{privilege: p.Name, right: r, parameter: r.Parameter, any: r.Parameter == "", prefix: r.Prefix && r.HasParameter, unknown: unknown}
		if isParametric(p.Name) && r.Database != "" {
			// ClickHouse keeps parameters where it keeps databases, so ALL ON shop.* is also SET DEFINER ON shop.
			a.parameter, a.any, a.prefix = r.Database, false, r.Prefix
		}
		if p.Level == "SOURCE" {
			a.parameter = strings.ToUpper(a.parameter)
		}
		if len(r.Columns) == 0 {
			list = append(list, a)
			continue
		}
		for _, c := range r.Columns {
			if p.Level == "COLUMN" {
				a.column = c
				list = append(list, a)
			}
		}
	}
	return list
}

// holds reports whether one grant's atom is enough for another.
func (a atom) holds(want atom) bool {
	if a.privilege != want.privilege && !a.groups(want) || want.right.Option && !a.right.Option || a.column != "" && a.column != want.column {
		return false
	}
	return a.scopeHolds(want)
}

// groups reports whether an unknown privilege is of the group that was granted, as far as its name tells: ALL holds each,
// SYSTEM holds SYSTEM and another word.
func (a atom) groups(unknown atom) bool {
	return unknown.unknown && (a.right.Privilege == "ALL" || strings.HasPrefix(unknown.privilege, a.right.Privilege+" "))
}

func (a atom) scopeHolds(want atom) bool {
	if isParametric(a.privilege) {
		switch {
		case a.right.Filter != "" && a.right.Filter != want.right.Filter:
			return false
		case a.any:
			return true
		case want.any:
			return false
		case a.prefix:
			return strings.HasPrefix(want.parameter, a.parameter)
		}
		return a.parameter == want.parameter && !want.prefix
	}
	h, w := a.right, want.right
	if h.Here != w.Here {
		return false
	}
	switch {
	case h.Database == "" && !h.Here:
		return true
	case h.Table == "" && h.Prefix:
		return strings.HasPrefix(w.Database, h.Database)
	case h.Database != w.Database || w.Table == "" && w.Prefix:
		return false
	case h.Table == "":
		return true
	case h.Prefix:
		return w.Table != "" && strings.HasPrefix(w.Table, h.Table)
	}
	return h.Table == w.Table && !w.Prefix
}

func isParametric(privilege string) bool {
	switch p, _ := facts.FindPrivilege(privilege); p.Level {
	case "NAMED_COLLECTION", "USER_NAME", "TABLE_ENGINE", "DEFINER", "SOURCE":
		return true
	}
	return false
}

// meets reports whether the two have anything in common.
func (a atom) meets(b atom) bool {
	if a.privilege != b.privilege || a.column != "" && b.column != "" && a.column != b.column {
		return false
	}
	return a.scopeHolds(b) || b.scopeHolds(a)
}

// Rights is what one user or role is granted and, out of that, denied again: what SHOW GRANTS prints.
type Rights struct {
	granted, denied []atom
	roles           map[string]bool // to whether with ADMIN OPTION
	current         []*ast.Right
	levels          map[string]string
}

// On says what privileges the server has and on what each can be granted, as system.privileges tells. What a group has
// beyond them is not asked for: ALL of an older server is less. Nil: it has those of the version that is known here.
func (r *Rights) On(levels map[string]string) *Rights {
	r.levels = levels
	return r
}

// has reports whether a server can have granted the right.
func (r *Rights) has(want atom) bool {
	asked := want.right.Privilege
	level, there := r.levels[want.privilege]
	switch {
	case r.levels == nil || asked == want.privilege:
		return true
	case !there && (want.privilege == "READ" || want.privilege == "WRITE"):
		return asked == "SOURCES" || facts.AccessSource(asked) // before 25.7 a source is a privilege
	case !there:
		return false
	}
	return !slices.Contains(levels, level) || reaches(facts.Privilege{Name: want.privilege, Level: level}, want.right)
}

// levels are what reaches knows.
var levels = []string{"GLOBAL", "DATABASE", "TABLE", "VIEW", "DICTIONARY", "COLUMN", "NAMED_COLLECTION", "USER_NAME", "TABLE_ENGINE", "DEFINER", "SOURCE"}

// NewRights takes a set of rights apart.
func NewRights(list ...[]ast.Right) *Rights {
	r := &Rights{roles: map[string]bool{}}
	for _, rights := range list {
		for i := range rights {
			x := &rights[i]
			switch {
			case x.Role != "" && !x.Revoke:
				r.roles[x.Role] = r.roles[x.Role] || x.Option
			case x.Current:
				r.current = append(r.current, x)
			case x.Revoke:
				r.denied = append(r.denied, atoms(x)...)
			default:
				r.granted = append(r.granted, atoms(x)...)
			}
		}
	}
	return r
}

// Covers reports whether the set holds the right: a grant by one as wide or wider that no denial cuts into, a denial by
// holding nothing of it.
func (r *Rights) Covers(x *ast.Right) bool {
	switch {
	case x.Role != "" && x.Revoke:
		admin, has := r.roles[x.Role]
		return !has || x.Option && !admin
	case x.Role != "":
		admin, has := r.roles[x.Role]
		return has && (admin || !x.Option)
	case x.Current:
		return slices.ContainsFunc(r.current, func(h *ast.Right) bool { return ast.SameRight(h, x) })
	}
	if !x.Revoke {
		return r.CoversBeside(x, nil)
	}
	for _, want := range atoms(x) {
		if r.holdsAny(want) {
			return false
		}
	}
	return true
}

// CoversBeside reports whether the set holds what is left of a granted privilege when the denials have taken their parts:
// of ALTER without ALTER DELETE, of SELECT(a, b) without SELECT(a). A server keeps no denial of a part that it can leave
// out, so that SHOW GRANTS lists the rest.
func (r *Rights) CoversBeside(x *ast.Right, denials []ast.Right) bool {
	if x.Role != "" || x.Current || x.Revoke {
		return r.Covers(x)
	}
	denied := NewRights(denials).denied
	if Inside(x, denials) {
		denied = nil
	}
	for _, want := range atoms(x) {
		if want, left := want.without(denied); left && r.has(want) && !r.holdsInParts(want) {
			return false
		}
	}
	return true
}

// Inside reports whether a grant is on less than denials of all it gives, and none of them is in it: REVOKE SELECT ON *.* and
// GRANT SELECT ON shop.*. It gives a part back, and a server keeps both where it is granted behind the denial.
func Inside(grant *ast.Right, denials []ast.Right) bool {
	if grant.Revoke || grant.Role != "" || grant.Current {
		return false
	}
	denied := NewRights(denials).denied
	return len(denied) > 0 && !slices.ContainsFunc(atoms(grant), func(a atom) bool {
		enclosed := false
		for _, d := range denied {
			switch {
			case !isPart(d.privilege, a.privilege) || !a.scopeHolds(d) && !d.scopeHolds(a):
			case !d.encloses(a):
				return true
			default:
				enclosed = true
			}
		}
		return !enclosed
	})
}

// encloses reports whether a denial is on more than a right.
func (a atom) encloses(b atom) bool { return a.scopeHolds(b) && !b.scopeHolds(a) }

// without is what denials leave of a right: nothing, where one is as wide, or the right without its option.
func (a atom) without(denied []atom) (atom, bool) {
	for _, d := range denied {
		switch {
		case d.column != "" && d.column != a.column || !d.scopeHolds(a) || !isPart(d.privilege, a.privilege):
		case d.right.Option:
			plain := *a.right
			plain.Option = false
			a.right = &plain
		default:
			return a, false
		}
	}
	return a, true
}

// isPart reports whether one privilege is another or a part of it.
func isPart(part, whole string) bool {
	for part != "" && part != whole {
		p, _ := facts.FindPrivilege(part)
		part = p.Parent
	}
	return part == whole
}

// holdsInParts is holds, and says the same of all parts of a privilege that is more than their group. SHOW GRANTS does not
// print NAMED COLLECTION ADMIN ON x where one of its parts is granted on everything (measured on 26.7.2), and does not
// print CREATE ARBITRARY TEMPORARY TABLE without its one part, which is less than it.
func (r *Rights) holdsInParts(want atom) bool {
	if r.holds(want) {
		return true
	}
	parts := facts.PrivilegeParts(want.privilege)
	const severalAndItself = 3
	if len(parts) < severalAndItself {
		return false
	}
	for _, p := range parts {
		part := want
		part.privilege = p.Name
		if p.Name != want.privilege && r.has(part) && !r.holds(part) {
			return false
		}
	}
	return true
}

func (r *Rights) holds(want atom) bool {
	held := slices.ContainsFunc(r.granted, func(h atom) bool { return h.holds(want) })
	return held && !slices.ContainsFunc(r.denied, func(d atom) bool {
		return d.takesFrom(want) && d.meets(want) && !r.grantedInside(d, want)
	})
}

// takesFrom reports whether a denial is about the right at all: REVOKE GRANT OPTION FOR leaves the privilege.
func (a atom) takesFrom(want atom) bool { return !a.right.Option || want.right.Option }

// grantedInside reports a grant narrower than the denial that gives the wanted right back.
func (r *Rights) grantedInside(denied, want atom) bool {
	return slices.ContainsFunc(r.granted, func(h atom) bool {
		return h.holds(want) && denied.scopeHolds(h) && !h.scopeHolds(denied)
	})
}

// holdsAny reports whether anything of a denied right is granted.
func (r *Rights) holdsAny(denied atom) bool {
	for _, h := range r.granted {
		if !h.meets(denied) || denied.right.Option && !h.right.Option {
			continue
		}
		gone := slices.ContainsFunc(r.denied, func(d atom) bool {
			whole := d.privilege == denied.privilege && (d.column == "" || d.column == denied.column) && d.scopeHolds(denied)
			return whole && d.takesFrom(denied) && !(d.scopeHolds(h) && !h.scopeHolds(d))
		})
		if !gone {
			return true
		}
	}
	return false
}
