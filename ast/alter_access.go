package ast

// AlterAccess returns the statement that gives a live role, user, settings profile, quota or row policy everything its
// definition says but the authentication, which is never set twice. What the definition leaves out becomes what CREATE
// would have made of it. It panics for another kind.
func AlterAccess(o Object) string {
	w := statement{style: Style{Lines: true}}
	switch o := o.(type) {
	case *Role:
		w.add("ALTER ROLE " + QuoteGrantee(o.Name))
		w.alterSettings(o.Settings, "PROFILE")
	case *User:
		w.add("ALTER USER " + QuoteGrantee(o.Name))
		w.userClauses(alteredUser(o))
		if o.DefaultDatabase == "" {
			w.clause("DEFAULT DATABASE NONE")
		}
		if len(o.Settings) == 0 {
			w.clause("SETTINGS NONE")
		}
	case *SettingsProfile:
		w.add("ALTER SETTINGS PROFILE " + QuoteGrantee(o.Name))
		w.alterSettings(o.Settings, "INHERIT")
		w.alterTo(o.To)
	case *Quota:
		w.add("ALTER QUOTA " + QuoteGrantee(o.Name))
		if len(o.Key) == 0 {
			w.clause("NOT KEYED")
		}
		w.quotaKey(o)
		w.quotaIntervals(o.Intervals)
		w.alterTo(o.To)
	case *RowPolicy:
		w.add("ALTER ROW POLICY " + QuoteIdent(o.Short) + " ON ")
		w.policyTable(o)
		w.policyBody(o, true)
		w.alterTo(o.To)
	default:
		panic("ast: no ALTER statement of access for " + string(o.Kind()))
	}
	return string(w.dst)
}

func (w *statement) alterSettings(settings []ProfileSetting, inherit string) {
	if len(settings) == 0 {
		w.clause("SETTINGS NONE")
	}
	w.profileSettings(settings, inherit)
}

func (w *statement) alterTo(to *Recipients) {
	if to == nil {
		to = &Recipients{}
	}
	w.to(to)
}

// alteredUser fills in what a CREATE USER that says nothing of it means.
func alteredUser(u *User) *User {
	full := *u
	if full.Hosts == nil {
		full.Hosts = []Host{{Kind: "ANY"}}
	}
	if full.DefaultRoles == nil {
		full.DefaultRoles = &Recipients{All: true}
	}
	if full.Grantees == nil {
		full.Grantees = &Recipients{All: true}
	}
	return &full
}
