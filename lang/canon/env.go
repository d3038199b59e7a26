package canon

import "github.com/dfe-engine/dfe/ast"

// Env is what the text of an object does not carry. The zero Env works: what it leaves open is answered by ClickHouse's
// own defaults, or ends as an ast.Unknown.
type Env struct {
	// Database is what unqualified names resolve against and what currentDatabase() is; "" is the object's own.
	Database string
	// User is who applies the definitions: what DEFINER = CURRENT_USER becomes. "" is not known.
	User string
	// TCPPort is what tcpPort() in a dictionary's source is; 0 is ClickHouse's default, 9000.
	TCPPort uint16
	// Lookup finds another object, desired or live, whose structure a definition copies or selects from. It may be nil,
	// and returns nil for what it does not know.
	Lookup func(ast.Name) ast.Object
	// Function finds a SQL function by name; ClickHouse inlines them when it stores a definition. It may be nil.
	Function func(name string) *ast.Function
	// Granted returns what other objects of the schema grant to a user or role; it may be nil.
	Granted func(to string) []ast.Right
	// Privileges are those that the server has, with the level of each as system.privileges tells it. Nil is not known.
	Privileges map[string]string
}

func (e Env) function(name string) *ast.Function {
	if e.Function == nil {
		return nil
	}
	return e.Function(name)
}

func (e Env) lookup(name ast.Name) ast.Object {
	if e.Lookup == nil {
		return nil
	}
	return e.Lookup(name)
}
