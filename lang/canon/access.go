package canon

import (
	"cmp"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/access"
)

func (f *form) role(o *ast.Role) ast.Object {
	c := *o
	c.Settings, c.Rights = profileSettings(o.Settings), rights(o.Rights)
	return &c
}

func (f *form) settingsProfile(o *ast.SettingsProfile) ast.Object {
	c := *o
	c.Settings, c.To = profileSettings(o.Settings), recipients(o.To)
	return &c
}

func (f *form) quota(o *ast.Quota) ast.Object {
	c := *o
	c.To, c.Intervals = recipients(o.To), nil
	for _, i := range o.Intervals {
		if i.NoLimits {
			continue // as if the interval were not there
		}
		limits := i.Limits
		i.Limits = nil
		for _, l := range limits {
			value := plainValue(l.Value)
			if whole, _, ok := strings.Cut(value.Text, "/"); ok && l.Name != "execution_time" { // the others count
				if n, ok := new(big.Rat).SetString(value.Text); ok {
					whole = new(big.Int).Quo(n.Num(), n.Denom()).String()
				}
				value = at(value, ast.String, whole)
			}
			i.Limits = append(i.Limits, ast.Setting{Name: l.Name, Value: value})
		}
		order := ast.QuotaLimits()
		slices.SortStableFunc(i.Limits, func(a, b ast.Setting) int {
			return cmp.Compare(slices.Index(order, a.Name), slices.Index(order, b.Name))
		})
		c.Intervals = append(c.Intervals, i)
	}
	slices.SortStableFunc(c.Intervals, func(a, b ast.QuotaInterval) int { return cmp.Compare(a.Seconds, b.Seconds) })
	return &c
}

func (f *form) rowPolicy(o *ast.RowPolicy) ast.Object {
	c := *o
	c.To = recipients(o.To)
	if o.Filter != nil {
		c.Filter = f.expr(o.Filter)
	}
	return &c
}

func (f *form) grant(o *ast.Grant) ast.Object {
	c := *o
	c.To, c.Rights = slices.Sorted(slices.Values(o.To)), rights(o.Rights)
	return &c
}

func (f *form) user(o *ast.User) ast.Object {
	c := *o
	c.Settings, c.Rights = profileSettings(o.Settings), rights(o.Rights)
	c.Auth, c.Hosts = authentications(o.Auth), hosts(o)
	c.DefaultRoles, c.Grantees = unlessAll(o.DefaultRoles), unlessAll(o.Grantees)
	return &c
}

// recipients sorts the names; nobody is no clause.
func recipients(r *ast.Recipients) *ast.Recipients {
	if r == nil {
		return nil
	}
	c := &ast.Recipients{All: r.All, Names: sorted(r.Names), Except: sorted(r.Except)}
	if !c.All && len(c.Names) == 0 {
		return nil
	}
	return c
}

func sorted(names []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(names)))
}

// unlessAll leaves out what a server does not print: all default roles, any grantee.
func unlessAll(r *ast.Recipients) *ast.Recipients {
	if r == nil || r.All && len(r.Except) == 0 {
		return nil
	}
	return &ast.Recipients{All: r.All, Names: sorted(r.Names), Except: sorted(r.Except)}
}

// profileSettings sorts the settings behind the inherited profiles, whose order counts. Of a setting that stands twice the
// last one holds.
func profileSettings(list []ast.ProfileSetting) []ast.ProfileSetting {
	var profiles, settings []ast.ProfileSetting
	for _, s := range list {
		if s.Profile != "" {
			profiles = append(profiles, s)
			continue
		}
		s.Value, s.Min, s.Max = plainValue(s.Value), plainValue(s.Min), plainValue(s.Max)
		if i := slices.IndexFunc(settings, func(o ast.ProfileSetting) bool { return o.Name == s.Name }); i >= 0 {
			settings[i] = s
			continue
		}
		settings = append(settings, s)
	}
	slices.SortStableFunc(settings, func(a, b ast.ProfileSetting) int { return cmp.Compare(a.Name, b.Name) })
	return append(profiles, settings...)
}

var sized = regexp.MustCompile(`^([0-9]+)([KMGT])(I?)B?$`)

// plainValue gives a literal the form in which settings and limits are compared: true is 1, a number in quotes is the
// number, '10G' is 10000000000.
func plainValue(n *ast.Node) *ast.Node {
	if n == nil {
		return nil
	}
	text := n.Text
	switch {
	case n.Kind == ast.Keyword && (text == "true" || text == "false"):
		return at(n, ast.String, map[string]string{"true": "1", "false": "0"}[text])
	case n.Kind == ast.Operator && text == "-" && len(n.Kids) == 1:
		text = "-" + n.Kids[0].Text
	case n.Kind != ast.Number && n.Kind != ast.String:
		return n
	}
	text = strings.TrimSpace(text)
	if m := sized.FindStringSubmatch(strings.ToUpper(text)); m != nil {
		base := int64(1000)
		if m[3] != "" {
			base = 1024
		}
		value, _ := new(big.Int).SetString(m[1], 10)
		power := int64(strings.Index("KMGT", m[2]) + 1)
		return at(n, ast.String, value.Mul(value, new(big.Int).Exp(big.NewInt(base), big.NewInt(power), nil)).String())
	}
	if value, ok := new(big.Rat).SetString(text); ok && len(text) < 40 && !strings.ContainsAny(text, "/xXbBoO_pP") {
		return at(n, ast.String, value.RatString())
	}
	switch strings.ToLower(text) {
	case "true":
		return at(n, ast.String, "1")
	case "false":
		return at(n, ast.String, "0")
	}
	return at(n, ast.String, text)
}

// rights sorts the rights and each one's columns, and leaves out what stands twice.
func rights(list []ast.Right) []ast.Right {
	out := make([]ast.Right, len(list))
	for i, r := range list {
		r.Columns = sorted(r.Columns)
		out[i] = r
	}
	slices.SortStableFunc(out, func(a, b ast.Right) int {
		return cmp.Or(cmp.Compare(a.PartKind(), b.PartKind()), cmp.Compare(a.PartName(), b.PartName()))
	})
	return slices.CompactFunc(out, func(a, b ast.Right) bool { return a.To == b.To && ast.SameRight(&a, &b) })
}

// authentications gives each the words of SHOW CREATE: a hash is shown as the password it is of, an end that never comes
// is none, a day begins at midnight, and a scheme is in capitals.
func authentications(list []ast.Authentication) []ast.Authentication {
	if len(list) == 0 {
		return []ast.Authentication{{Method: "no_password"}}
	}
	out := make([]ast.Authentication, len(list))
	for i, a := range list {
		if before, hashed := strings.CutSuffix(a.Method, "_hash"); hashed {
			a.Method = before + "_password"
		}
		a.Secret, a.Salt = ast.Secret{}, ""
		a.Values = slices.Clone(a.Values)
		for j, v := range a.Values {
			if v.Name == "SCHEME" && v.Value != nil {
				a.Values[j].Value = ast.N(ast.String, strings.ToUpper(v.Value.Text))
			}
		}
		switch {
		case strings.EqualFold(a.ValidUntil, "infinity"):
			a.ValidUntil = ""
		case len(a.ValidUntil) == len("2030-01-01"):
			a.ValidUntil += " 00:00:00"
		}
		out[i] = a
	}
	return out
}

// settleRights compares what is granted by what it means. A desired right that the live ones cover is live, in the
// desired words; a live one stays as well only where neither the desired rights nor those of other objects cover it
// (cases S93 and S94). A live denial shows in the grants it cuts into.
func (p *pair) settleRights(to string, live, desired []ast.Right) []ast.Right {
	var elsewhere []ast.Right
	if p.env.Granted != nil {
		elsewhere = p.env.Granted(to)
	}
	is := p.rightsThere(live, desired, elsewhere)
	var out []ast.Right
	for i := range desired {
		if d := &desired[i]; is(d) {
			out = append(out, *d)
		}
	}
	wanted := access.NewRights(unfiltered(granting(desired)), unfiltered(granting(elsewhere)))
	patterns := access.NewRights(granting(desired), granting(elsewhere))
	for i := range live {
		by := wanted
		if live[i].Filter != "" {
			by = patterns
		}
		if !live[i].Revoke && !by.Covers(&live[i]) {
			out = append(out, live[i])
		}
	}
	return rights(out)
}

// rightsThere tells which of the desired rights are live. What CURRENT GRANTS came to cannot be read back (case S95).
func (p *pair) rightsThere(live, desired, elsewhere []ast.Right) func(*ast.Right) bool {
	held := access.NewRights(live).On(p.env.Privileges)
	whole := access.NewRights(undenied(live, desired)).On(p.env.Privileges)
	given := access.NewRights(granting(desired), granting(elsewhere))
	return func(d *ast.Right) bool {
		switch {
		case d.Current:
			return true
		case d.Revoke:
			// What is granted inside the denial is given back.
			denial := []ast.Right{*d}
			return access.NewRights(slices.DeleteFunc(slices.Clone(live), func(l ast.Right) bool { return access.Inside(&l, denial) && given.Covers(&l) })).Covers(d)
		case access.Inside(d, desired):
			return held.CoversBeside(d, desired)
		}
		return whole.CoversBeside(d, desired)
	}
}

// undenied is what is live without the denials that are declared too: they are no reason to grant again.
func undenied(live, desired []ast.Right) []ast.Right {
	// One denial is in another as one grant is, but for the option: REVOKE takes more than REVOKE GRANT OPTION FOR.
	asGrant := func(r ast.Right) ast.Right {
		r.Revoke, r.Option = false, !r.Option
		return r
	}
	var declared []ast.Right
	for _, d := range desired {
		if d.Revoke {
			declared = append(declared, asGrant(d))
		}
	}
	denials := access.NewRights(declared)
	var out []ast.Right
	for _, l := range live {
		denied := asGrant(l)
		if !l.Revoke || !denials.Covers(&denied) {
			out = append(out, l)
		}
	}
	return out
}

// unfiltered are rights as a server may show them: one on a source without its pattern, and for CURRENT GRANTS whatever part of
// it the granter had (case S95).
func unfiltered(list []ast.Right) []ast.Right {
	for i := range list {
		list[i].Filter, list[i].Current = "", false
	}
	return list
}

// granting are the rights that give something.
func granting(list []ast.Right) []ast.Right {
	var out []ast.Right
	for _, r := range list {
		if !r.Revoke {
			out = append(out, r)
		}
	}
	return out
}

func (p *pair) user(l, d *ast.User) (*ast.User, *ast.User) {
	settled := *l
	settled.Rights = p.settleRights(l.Name, l.Rights, d.Rights)
	for i := range d.Auth {
		// Without a method the server takes its default, which the text does not say.
		if d.Auth[i].Method == "" && i < len(l.Auth) {
			d.Auth[i].Method = l.Auth[i].Method
		}
	}
	return &settled, d
}

func (p *pair) role(l, d *ast.Role) (*ast.Role, *ast.Role) {
	settled := *l
	settled.Rights = p.settleRights(l.Name, l.Rights, d.Rights)
	return &settled, d
}

// grant compares each grantee's rights with those the grant gives; what he has besides is not this object's.
func (p *pair) grant(l, d *ast.Grant) (*ast.Grant, *ast.Grant) {
	settled, wanted := *l, *d
	settled.Rights, wanted.Rights, settled.To = nil, nil, d.To
	for _, to := range d.To {
		is := p.rightsThere(of(l.Rights, to), of(d.Rights, to), nil)
		for _, r := range of(d.Rights, to) {
			r.To = to
			wanted.Rights = append(wanted.Rights, r)
			if is(&r) {
				settled.Rights = append(settled.Rights, r)
			}
		}
	}
	return &settled, &wanted
}

func of(list []ast.Right, to string) []ast.Right {
	var out []ast.Right
	for _, r := range list {
		if r.To == "" || r.To == to {
			out = append(out, r)
		}
	}
	return out
}
