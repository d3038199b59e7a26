package ast

// Database is a database and its engine.
type Database struct {
	Name    string
	Engine  *Engine // nil: the platform's own
	Comment string
	Origin  Origin
}

// Kind returns [KindDatabase].
func (d *Database) Kind() Kind { return KindDatabase }

// ID returns the database's name, in no database.
func (d *Database) ID() Name { return Name{Name: d.Name} }

// Parts lists the engine and the comment.
func (d *Database) Parts() []Part {
	parts := make([]Part, 0, 2)
	parts = append(parts, d.Engine.parts()...)
	return appendText(parts, "comment", d.Comment)
}
