package ast

import "strings"

// Kind names a kind of object in the words of the manifest, the rule tables and the documents.
type Kind string

// The kinds of object.
const (
	KindDatabase         Kind = "database"
	KindTable            Kind = "table"
	KindView             Kind = "view"
	KindMaterializedView Kind = "materialized_view"
	KindDictionary       Kind = "dictionary"
	KindFunction         Kind = "function"
	KindTopic            Kind = "topic"
)

// Kinds lists every kind, in an order in which objects can be created. Views of either kind may rest on each other.
func Kinds() []Kind {
	return append(append([]Kind{KindDatabase, KindFunction, KindNamedCollection, KindTable, KindDictionary, KindView, KindMaterializedView},
		AccessKinds()...), KindTopic)
}

// InClickHouse reports whether objects of the kind are ClickHouse's: a topic is Kafka's, and no statement makes one.
func (k Kind) InClickHouse() bool { return k != KindTopic }

// Space is the space of names that an object of the kind has its name in, called by one of the kinds that share it: tables,
// views, materialized views and dictionaries share one in each database; users and roles share one, because what is given
// to a name is given to either.
func (k Kind) Space() Kind {
	switch k {
	case KindView, KindMaterializedView, KindDictionary:
		return KindTable
	case KindUser:
		return KindRole
	}
	return k
}

// IsRelation reports whether objects of the kind are in a database, among its tables and what shares their names.
func (k Kind) IsRelation() bool { return k.Space() == KindTable }

// Name is the name of an object. Database is empty for objects that live in no database.
type Name struct {
	Database string
	Name     string
}

// String returns the plain dotted name ("otel.logs"), unquoted: for people, documents and map keys, not for SQL.
func (n Name) String() string {
	if n.Database == "" {
		return n.Name
	}
	return n.Database + "." + n.Name
}

// SQL returns the name as ClickHouse reads it, quoted where it must be.
func (n Name) SQL() string {
	if n.Database == "" {
		return QuoteIdent(n.Name)
	}
	return QuoteIdent(n.Database) + "." + QuoteIdent(n.Name)
}

// Origin is where an object was declared; zero for one read from a server. Line and Column count from 1.
type Origin struct {
	File   string
	Line   int
	Column int
}

// Object is one object of a deployment's schema.
type Object interface {
	Kind() Kind
	ID() Name
	// Parts lays the object out for comparison: every fact that makes it what it is, in the order a definition
	// prints them, each part named once.
	Parts() []Part
}

// Part is one comparable piece of an object. A part that an object has once (its engine, its comment) has an empty
// Name; of the others there is one for each name (columns, indexes, settings).
type Part struct {
	Kind  string // "column", "index", "engine", "order_by", ...
	Name  string
	Attrs []Attr
}

// Attr is one fact of a part. The empty Name is the part's own value (a setting's, a key's). A nil Value is absent.
type Attr struct {
	Name  string
	Value *Node
}

// Attr returns the value of the named attribute, or nil.
func (p Part) Attr(name string) *Node {
	for _, a := range p.Attrs {
		if a.Name == name {
			return a.Value
		}
	}
	return nil
}

// Path names a place in an object: a kind of part, the part's name, an attribute. It prints as
// "column.body.type", "setting.index_granularity" or "order_by"; the object itself has the empty path.
type Path struct {
	Part string
	Name string
	Attr string
}

// String joins the path with dots. A name that holds a dot or is no plain identifier stands in backticks.
func (p Path) String() string {
	var b strings.Builder
	b.WriteString(p.Part)
	if p.Name != "" {
		b.WriteByte('.')
		b.WriteString(QuoteIdent(p.Name))
	}
	if p.Attr != "" {
		b.WriteByte('.')
		b.WriteString(p.Attr)
	}
	return b.String()
}

// Op is what happened to the thing a path names, going from the live side to the desired one.
type Op string

// The operations of a [Change].
const (
	Add    Op = "add"
	Remove Op = "remove"
	Modify Op = "change"
)

// Change is one difference between a live object and a desired one. Live and Desired are the values at the path:
// nil where that side has none. For a whole part, added or removed, they are nil too and LivePart or DesiredPart
// carries it; for a whole object the path is empty.
type Change struct {
	Path        Path
	Op          Op
	Live        *Node
	Desired     *Node
	LivePart    *Part
	DesiredPart *Part
	// CannotTell is the reason why the two cannot be compared; empty for a real difference.
	CannotTell string
}
