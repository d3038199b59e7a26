package catalog

import (
	"iter"
	"maps"
	"strings"
	"time"

	"github.com/dfe-engine/dfe/ast"
)

// Object is one object as the server has it.
type Object struct {
	// Kind is the live kind, which may be another than a definition of the same name declares: a view where a table
	// is declared is refused, never replaced.
	Kind ast.Kind
	Name ast.Name
	// Engine is the server's word: "MergeTree", "View", "Atomic". Empty for a function.
	Engine string
	// UUID names this very object: another one under the same name has another. Zero ("00000000-...") in databases
	// without UUIDs and empty for a function.
	UUID string
	// Modified is metadata_modification_time: one second of resolution, and local to the member that answered. Zero
	// where the server has none.
	Modified time.Time
	// ReadAt is the clock of the member that answered, when the reading began. Zero for databases and functions.
	ReadAt time.Time
	// Text is the statement that the server prints for the object. Secrets in it are hidden by the server.
	Text string
	// Tree is the object as parsed, not canonical; nil with Unreadable.
	Tree ast.Object
	// Unreadable says why no tree could be made of Text.
	Unreadable error
}

// kindOf returns the kind of object that system.tables reports with this engine. Only the text tells a dictionary from
// a table with the engine Dictionary.
func kindOf(engine string) ast.Kind {
	switch engine {
	case "View":
		return ast.KindView
	case "MaterializedView":
		return ast.KindMaterializedView
	case "LiveView":
		return "live_view"
	case "WindowView":
		return "window_view"
	case "Dictionary":
		return ast.KindDictionary
	}
	return ast.KindTable
}

// isInner reports a table that belongs to a materialized view: its storage, or what a refresh is writing.
func isInner(table string) bool {
	return strings.HasPrefix(table, ".inner") || strings.HasPrefix(table, ".tmp")
}

// Catalog is what a server has, within a [Scope].
type Catalog struct {
	Facts *Facts
	// Databases are all databases of the server but its own, in scope or not, by name.
	Databases map[string]*Object
	// Relations are the tables, views, materialized views and dictionaries: one name space in each database.
	Relations map[ast.Name]*Object
	// Functions are the SQL functions, by name.
	Functions map[string]*Object
	// Collections are the named collections, by name; nil where [Scope] did not ask for them.
	Collections map[string]*Object
	// Access is nil where [Scope] did not ask for it.
	Access *Access
}

// All are the objects that were read, of every kind, in no order. A grant is with whom it is given to, and a statement of
// access that cannot be read is in [Access] alone.
func (c *Catalog) All() iter.Seq[*Object] {
	return func(yield func(*Object) bool) {
		for _, objects := range []iter.Seq[*Object]{maps.Values(c.Databases), maps.Values(c.Functions), maps.Values(c.Collections), maps.Values(c.Relations), c.Access.all()} {
			for o := range objects {
				if !yield(o) {
					return
				}
			}
		}
	}
}

// ServersOwn reports a name that every server has without anybody having made it: the database, the user, the profile and
// the quota called default, and the profile called readonly.
func ServersOwn(kind ast.Kind, name ast.Name) bool {
	switch kind {
	case ast.KindDatabase, ast.KindUser, ast.KindQuota:
		return name.Name == "default"
	case ast.KindSettingsProfile:
		return name.Name == "default" || name.Name == "readonly"
	}
	return false
}

// Find returns the live object that holds a name which an object of the given kind would have, or nil. It may be of
// another kind where kinds share a name space.
func (c *Catalog) Find(kind ast.Kind, name ast.Name) *Object {
	switch kind {
	case ast.KindDatabase:
		return c.Databases[name.Name]
	case ast.KindFunction:
		return c.Functions[name.Name]
	case ast.KindNamedCollection:
		return c.Collections[name.Name]
	}
	if kind.IsAccess() {
		return c.Access.Find(kind, name)
	}
	return c.Relations[name]
}

// Put records what a later reading found under a name; a nil object records that there is none.
func (c *Catalog) Put(kind ast.Kind, name ast.Name, o *Object) {
	switch kind {
	case ast.KindDatabase:
		put(&c.Databases, name.Name, o)
	case ast.KindFunction:
		put(&c.Functions, name.Name, o)
	case ast.KindNamedCollection:
		put(&c.Collections, name.Name, o)
	case ast.KindGrant:
		// It is no object of the server's: what it gives is kept with whom it gives it to.
	default:
		if kind.IsAccess() {
			if c.Access == nil {
				c.Access = NewAccess(nil)
			}
			c.Access.Put(kind, name, o)
			return
		}
		put(&c.Relations, name, o)
	}
}

func put[K comparable](into *map[K]*Object, key K, o *Object) {
	switch {
	case o == nil:
		delete(*into, key)
	case *into == nil:
		*into = map[K]*Object{key: o}
	default:
		(*into)[key] = o
	}
}
