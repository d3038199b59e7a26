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
	shape     shape
	build     func(*definition) ast.Object
	// statement takes an object from a .sql file: it puts the declared name into it, or returns false for an object of
	// another kind. With neither it nor sql the kind has no statement.
	statement func(ast.Object, ast.Name, ast.Origin) bool
	// parseName reads the label of a manifest entry; nil for ParseName.
	parseName func(label string) (ast.Name, error)
	// sql reads a .sql definition of a kind whose statements package ddl does not read; nil for one of package ddl's.
	sql    func(*loader, kind, *Declared, *source)
	render func(*writer, ast.Object)
}

// kinds lists the kinds of object the language has. A new kind is a file with its value, and a line here.
func kinds() []kind {
	return []kind{
		databaseKind(), tableKind(), viewKind(), materializedViewKind(), dictionaryKind(), functionKind(), namedCollectionKind(),
		topicKind(),
		settingsProfileKind(), roleKind(), userKind(), quotaKind(), rowPolicyKind(), grantKind(),
	}
}

// parse reads the name of an object as a manifest writes it.
func (k kind) parse(label string) (ast.Name, error) {
	if k.parseName != nil {
		return k.parseName(label)
	}
	return ParseName(label, k.qualified)
}
