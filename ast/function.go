package ast

// Function is a SQL user-defined function: a named lambda.
type Function struct {
	Name   string
	Lambda *Node
	Origin Origin
}

// Kind returns [KindFunction].
func (f *Function) Kind() Kind { return KindFunction }

// ID returns the function's name, in no database.
func (f *Function) ID() Name { return Name{Name: f.Name} }

// Parts lists the body.
func (f *Function) Parts() []Part { return appendNode(nil, "body", f.Lambda) }
