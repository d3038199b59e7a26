package deps

import (
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/ddl"
)

// Kind is what a reference refers to.
type Kind string

const (
	// Relation is a table, view, materialized view or dictionary that is read or written as a table.
	Relation Kind = "relation"
	// Dictionary is a dictionary that an expression asks by name.
	Dictionary Kind = "dictionary"
	// Function is a function an expression calls: one of ClickHouse's, or a user-defined one.
	Function Kind = "function"
	// Collection is a named collection that an engine, a table function or the source of a dictionary takes its arguments
	// from.
	Collection Kind = "named_collection"
)

// Ref is one use of one object by another.
type Ref struct {
	Kind Kind
	// Name has a database always, for a Function and a Collection never: an unqualified name belongs to the object's own database.
	Name ast.Name
	// Node is where the name stands; nil where the object's struct holds it as a plain name.
	Node *ast.Node
	// Path is the part of the object whose value holds the node.
	Path ast.Path
	// Writes marks the target of a materialized view.
	Writes bool
	// Perhaps marks a name that only those who know what exists can tell from something else: a word after IN is a
	// table or a column.
	Perhaps bool
	// Bare marks a name that the text writes without a database.
	Bare bool
}

// InDatabase reports a reference to something that lives in a database.
func (r *Ref) InDatabase() bool { return r.Kind == Relation || r.Kind == Dictionary }

// Of returns the references of an object, each use once, in the order its parts print.
func Of(o ast.Object) []Ref {
	c := &collector{database: o.ID().Database}
	switch o := o.(type) {
	case *ast.Table:
		c.table(o)
	case *ast.View:
		c.columns(o.Columns)
		c.query(o.Query, ast.Path{Part: "query"})
	case *ast.MaterializedView:
		c.materializedView(o)
	case *ast.Dictionary:
		c.dictionary(o)
	case *ast.Function:
		c.query(o.Lambda, ast.Path{Part: "body"})
	case *ast.RowPolicy:
		c.database = o.Table.Database
		c.query(o.Filter, ast.Path{Part: "filter"})
	}
	return c.refs
}

// Query returns the references of a query or an expression whose unqualified names belong to database.
func Query(n *ast.Node, database string) []Ref {
	c := &collector{database: database}
	c.query(n, ast.Path{})
	return c.refs
}

type collector struct {
	database string
	path     ast.Path
	refs     []Ref
}

// scope is the common table expressions a place of a query sees, innermost first.
type scope struct {
	name  string
	outer *scope
}

func (s *scope) has(name string) bool {
	for ; s != nil; s = s.outer {
		if s.name == name {
			return true
		}
	}
	return false
}

func (c *collector) add(kind Kind, name ast.Name, node *ast.Node) *Ref {
	bare := name.Database == "" && kind != Function && kind != Collection
	if bare {
		name.Database = c.database
	}
	c.refs = append(c.refs, Ref{Kind: kind, Name: name, Node: node, Path: c.path, Bare: bare})
	return &c.refs[len(c.refs)-1]
}

func (c *collector) query(n *ast.Node, path ast.Path) {
	if n != nil {
		c.path = path
		c.expr(n, nil)
	}
}

func (c *collector) columns(columns []*ast.Column) {
	for _, col := range columns {
		path := func(attr string) ast.Path { return ast.Path{Part: "column", Name: col.Name, Attr: attr} }
		c.query(col.Default, path("default"))
		c.query(col.TTL, path("ttl"))
	}
}

func (c *collector) table(t *ast.Table) {
	c.columns(t.Columns)
	for _, i := range t.Indexes {
		c.query(i.Expr, ast.Path{Part: "index", Name: i.Name, Attr: "expr"})
	}
	for _, p := range t.Projections {
		c.query(p.Query, ast.Path{Part: "projection", Name: p.Name, Attr: "query"})
		c.query(p.Index, ast.Path{Part: "projection", Name: p.Name, Attr: "index"})
	}
	for _, k := range t.Constraints {
		c.query(k.Expr, ast.Path{Part: "constraint", Name: k.Name, Attr: "expr"})
	}
	if t.Structure != nil {
		c.path = ast.Path{Part: "structure"}
		if t.Structure.Kind == ast.Ident {
			c.relation(t.Structure, nil)
		} else {
			c.from(t.Structure, nil)
		}
	}
	c.engine(t.Engine)
	c.query(t.PartitionBy, ast.Path{Part: "partition_by"})
	c.query(t.PrimaryKey, ast.Path{Part: "primary_key"})
	c.query(t.OrderBy, ast.Path{Part: "order_by"})
	c.query(t.SampleBy, ast.Path{Part: "sample_by"})
	c.query(t.UniqueKey, ast.Path{Part: "unique_key"})
	c.query(t.TTL, ast.Path{Part: "ttl"})
	for _, target := range t.Targets {
		if target.To != (ast.Name{}) {
			c.path = ast.Path{Part: strings.ToLower(target.Kind)}
			c.add(Relation, target.To, nil).Writes = true
		}
	}
}

// engine finds the table an engine stands in front of. A place that is a pattern or a macro names none.
func (c *collector) engine(e *ast.Engine) {
	if e == nil {
		return
	}
	if TakesCollection(e.Name) && len(e.Args) > 0 {
		c.path = ast.Path{Part: "engine", Attr: "args"}
		c.collection(e.Args[0])
	}
	at := map[string]int{"Distributed": 1, "Buffer": 0}
	i, ok := at[e.Name]
	if !ok || len(e.Args) < i+2 {
		return
	}
	c.path = ast.Path{Part: "engine", Attr: "args"}
	database, table := word(e.Args[i]), word(e.Args[i+1])
	if e.Args[i].Kind == ast.Func { // currentDatabase()
		database = c.database
	}
	if table != "" && !strings.ContainsAny(database+table, "{}") {
		c.add(Relation, ast.Name{Database: database, Name: table}, e.Args[i+1])
	}
}

// collection is a plain name where an engine or a table function takes a named collection.
func (c *collector) collection(first *ast.Node) {
	if first.Kind == ast.Ident && len(first.Kids) == 0 && first.Text != "" {
		c.add(Collection, ast.Name{Name: first.Text}, first)
	}
}

// TakesCollection reports an engine or a table function whose first argument may be the name of a named collection
// (https://clickhouse.com/docs/operations/named-collections).
func TakesCollection(name string) bool {
	switch strings.ToLower(name) {
	case "kafka", "rabbitmq", "nats", "redis", "mysql", "postgresql", "materializedpostgresql", "mongodb", "s3", "s3queue", "s3cluster", "gcs", "oss", "cosn",
		"url", "urlcluster", "hdfs", "azureblobstorage", "azureblobstoragecluster", "azurequeue", "remote", "remotesecure", "iceberg", "icebergs3", "icebergazure",
		"iceberglocal", "deltalake", "deltalakes3", "deltalakeazure", "hudi", "arrowflight", "ytsaurus":
		return true
	}
	return false
}

func (c *collector) materializedView(m *ast.MaterializedView) {
	c.columns(m.Columns)
	if m.To != (ast.Name{}) {
		c.path = ast.Path{Part: "to"}
		c.add(Relation, m.To, nil).Writes = true
	}
	if m.Inner != nil {
		c.table(m.Inner)
	}
	if m.Refresh != nil {
		c.path = ast.Path{Part: "refresh", Attr: "depends_on"}
		for _, name := range m.Refresh.DependsOn {
			c.add(Relation, name, nil)
		}
	}
	c.query(m.Query, ast.Path{Part: "query"})
}

// dictionary finds the source of a dictionary that reads from this server: SOURCE(CLICKHOUSE(..)) without a host.
func (c *collector) dictionary(d *ast.Dictionary) {
	for _, a := range d.Attributes {
		c.query(a.Expression, ast.Path{Part: "attribute", Name: a.Name, Attr: "expression"})
	}
	if d.Source == nil {
		return
	}
	args := map[string]*ast.Node{}
	for _, a := range d.Source.Args {
		args[strings.ToLower(a.Name)] = a.Value
	}
	if name := word(args["name"]); name != "" {
		c.path = ast.Path{Part: "source", Attr: "name"}
		c.add(Collection, ast.Name{Name: name}, args["name"])
	}
	if !strings.EqualFold(d.Source.Kind, "CLICKHOUSE") {
		return
	}
	if host := word(args["host"]); host != "" && host != "localhost" && host != "127.0.0.1" {
		return
	}
	c.path = ast.Path{Part: "source"}
	database := word(args["db"])
	if table := word(args["table"]); table != "" {
		c.path.Attr = "table"
		c.add(Relation, ast.Name{Database: database, Name: table}, args["table"])
	}
	if query := args["query"]; query != nil && query.Kind == ast.String {
		if n, err := ddl.ParseQuery(query.Text); err == nil {
			from := len(c.refs)
			inner := &collector{database: c.database, path: ast.Path{Part: "source", Attr: "query"}, refs: c.refs}
			if database != "" {
				inner.database = database
			}
			inner.expr(n, nil)
			c.refs = inner.refs
			for i := from; i < len(c.refs); i++ {
				c.refs[i].Node = query // positions inside belong to another text
			}
		}
	}
}

// word is the text of a plain name or literal.
func word(n *ast.Node) string {
	if n == nil || len(n.Kids) > 0 || n.Kind != ast.Ident && n.Kind != ast.String && n.Kind != ast.Number {
		return ""
	}
	return n.Text
}
