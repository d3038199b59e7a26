package ast

// Role is a role: a named set of rights, with the settings that hold for whoever has it.
type Role struct {
	Name     string
	Settings []ProfileSetting
	// Rights are what the role is granted, of a live role all of it.
	Rights []Right
	// Exclusive says that the role has the declared rights and no others.
	Exclusive bool
	Origin    Origin
}

// Kind returns [KindRole].
func (r *Role) Kind() Kind { return KindRole }

// ID returns the role's name, in no database.
func (r *Role) ID() Name { return Name{Name: r.Name} }

// Parts lists the settings, the inherited profiles and the rights.
func (r *Role) Parts() []Part {
	return rightParts(profileParts(nil, r.Settings), r.Rights)
}

func (w *statement) role(r *Role) {
	w.accessHead("ROLE", r.Name)
	w.profileSettings(r.Settings, "PROFILE")
}
