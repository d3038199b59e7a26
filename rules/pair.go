package rules

import (
	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/canon"
)

// Pair is one name of a plan: what the server has under it and what is declared.
type Pair struct {
	Kind ast.Kind
	Name ast.Name
	// Live is nil where the server has no such object, Desired where nothing declares it. Both as parsed: the planner
	// makes the canonical form itself and renders from the definition as its author wrote it.
	Live, Desired ast.Object
	// Seen is what was read of the live object besides its definition; zero where there is none.
	Seen Seen
	// Recorded is what the ledger has of the object; nil for nothing.
	Recorded *Recorded
	// Inlined names the objects into which the server copied a function's old body, or an old value of a named collection,
	// where the reader knows.
	Inlined string
	// Values is what is known of the hidden values of a named collection, by key. A key that is not there is taken to have
	// its declared value.
	Values map[string]Value
	// Unreadable says which side cannot be read, and why. The pair is then reported and nothing is decided.
	Unreadable *Unreadable
}

// Seen identifies the live object a decision was made on. A statement is sent only while it is still the one there.
type Seen struct {
	// Kind of the live object, which is known of one whose definition cannot be read too; empty where it is not.
	Kind   ast.Kind
	Engine string // as system.tables or system.databases has it
	UUID   string
}

// The scopes of the ledger.
const (
	ScopeNone    = "none"
	ScopeSchema  = "schema"
	ScopeSource  = "source"
	ScopeTenant  = "tenant"
	ScopeOverlay = "overlay"
)

// Value is what is known of a value that the server hides.
type Value struct {
	// Changed says that the value is not the one a pass set, or that none is known to have set it.
	Changed bool
	// Untold is why it cannot be told; empty where it can.
	Untold string
}

// Recorded is what the ledger has of an object.
type Recorded struct {
	Scope   string
	Columns []string // of the definition last applied, or the keys of a named collection; where the ledger tells
	// Foreign says that another part of the deployment declares the object: a source, or the tenants.
	Foreign bool
	// TakenOut says that the config of a source, or that of the tenants, declared the object and does so no more.
	TakenOut bool
}

// Unreadable is why one side of a pair cannot be compared.
type Unreadable struct {
	Side    string // "live" or "desired"
	Message string
	Line    int // in the text of that side, from 1; 0 where it is not known
}

func (p *Pair) scope() string {
	if p.Recorded == nil || p.Recorded.Scope == "" {
		return ScopeNone
	}
	return p.Recorded.Scope
}

// Options is what a plan depends on besides the objects.
type Options struct {
	Platform Platform
	// AllowDrift carries out what ClickHouse has an operation for and a pass leaves alone.
	AllowDrift bool
	// Database finds a database: as it is live, else as it is declared and rendered; nil where there is none. Without it nothing
	// is decided by what database an object is in.
	Database func(name string) *ast.Database
	// AcceptLoss holds the columns, as db.table.column, whose values the operator is ready to lose.
	AcceptLoss map[string]bool
	// Env is what the canonical form needs to know.
	Env canon.Env
	// Live finds a live object that is in none of the pairs; it may be nil. A view over * is compared with what its table
	// has.
	Live func(ast.Name) ast.Object
	// Server is what is known of the server's settings; the zero value is the release the product was built against.
	Server ServerFacts
	// Bus is what topics depend on.
	Bus Bus
	// LedgerRead says that Recorded of every pair was looked up: a live object without a record is then adopted.
	LedgerRead bool
}

// ServerFacts is what the rules ask about a server.
type ServerFacts struct {
	// MergeTreeSettings maps the name of each setting of system.merge_tree_settings to its readonly flag. Nil: not read.
	MergeTreeSettings map[string]bool
	// Servers is how many the server's cluster has; 0 where that is not known.
	Servers int
}
