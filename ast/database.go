package ast

// Database is a database and its engine.
type Database struct {
	Name     string
	Engine   *Engine // nil: the platform's own
	Settings []Setting
	Comment  string
	Unread   []*Node // clauses no parser of ours reads, as Opaque nodes
	Origin   Origin
}

// Kind returns [KindDatabase].
func (d *Database) Kind() Kind { return KindDatabase }

// ID returns the database's name, in no database.
func (d *Database) ID() Name { return Name{Name: d.Name} }

// Parts lists the engine, the settings and the comment.
func (d *Database) Parts() []Part {
	parts := make([]Part, 0, 2)
	parts = append(parts, d.Engine.parts()...)
	parts = settingParts(parts, "setting", d.Settings)
	parts = unreadParts(parts, d.Unread)
	return appendText(parts, "comment", d.Comment)
}
