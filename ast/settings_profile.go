package ast

// SettingsProfile is a settings profile: values of settings, what they may be changed to, and for whom.
type SettingsProfile struct {
	Name     string
	Settings []ProfileSetting
	To       *Recipients // nil: nobody, which no statement then says
	Origin   Origin
}

// Kind returns [KindSettingsProfile].
func (p *SettingsProfile) Kind() Kind { return KindSettingsProfile }

// ID returns the profile's name, in no database.
func (p *SettingsProfile) ID() Name { return Name{Name: p.Name} }

// Parts lists the settings, the inherited profiles and those the profile is for.
func (p *SettingsProfile) Parts() []Part {
	return appendNode(profileParts(nil, p.Settings), "to", p.To.node())
}

func (w *statement) settingsProfile(p *SettingsProfile) {
	w.accessHead("SETTINGS PROFILE", p.Name)
	w.profileSettings(p.Settings, "INHERIT")
	w.to(p.To)
}

func (w *statement) to(r *Recipients) {
	if r != nil {
		w.clause("TO ")
		w.dst = r.appendTo(w.dst, "ALL")
	}
}
