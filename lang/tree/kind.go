package tree

import (
	"github.com/dfe-engine/dfe/ast"
)

// kind is one kind of object in the language: how it is named, what its definition takes, how a definition becomes an
// object and back.
type kind struct {
	name ast.Kind
	// qualified: the object lives in a database. inline: it is defined in the manifest itself, without a file.
	qualified bool
	inline    bool
	// parseName reads a name that is no name of ClickHouse; nil: [ParseName].
	parseName func(string) (ast.Name, error)
	shape     shape
	build     func(*definition) ast.Object
	// statement takes an object from a .sql file: it puts the declared name into it, or returns false for an object of
	// another kind. Nil: the kind has no statement.
	statement func(ast.Object, ast.Name, ast.Origin) bool
	render    func(*writer, ast.Object)
}

// parse reads a name of the kind.
func (k kind) parse(name string) (ast.Name, error) {
	if k.parseName != nil {
		return k.parseName(name)
	}
	return ParseName(name, k.qualified)
}

// kinds lists the kinds of object the language has. A new kind is a file with its value, and a line here.
func kinds() []kind {
	return []kind{
		databaseKind(), tableKind(), viewKind(), materializedViewKind(), dictionaryKind(), functionKind(), topicKind(),
	}
}
