package engine

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/lang/canon"
	"github.com/dfe-engine/dfe/lang/tree"
	"github.com/dfe-engine/dfe/rules"
	"github.com/dfe-engine/dfe/stdlib"
)

// identity is what names an object of a manifest.
type identity struct {
	kind ast.Kind
	name ast.Name
}

// bookkeeping are the objects a pass cannot do without. A tree that leaves them out has them from the core release.
func bookkeeping() []identity {
	return []identity{
		{ast.KindDatabase, ast.Name{Name: ledger.Table().Database}},
		{ast.KindTable, ast.Name{Database: ledger.Table().Database, Name: "schema_lock"}},
		{ast.KindTable, ledger.Table()},
	}
}

// UnsharedError is a database or a table of the bookkeeping that each server of a cluster has for itself: the lease would
// be another one on each, and two engines would work at once. Nothing was sent.
type UnsharedError struct {
	Kind    ast.Kind
	Name    string
	Engine  string
	Servers int
}

func (e *UnsharedError) Error() string {
	return fmt.Sprintf("the %s %s is %s, and each of the cluster's %d servers has its own: the lease in it would be another on each, and two engines would work at once; "+
		"on every server move it away (RENAME %s %s TO %s_before) and run again, which creates it for all of them",
		e.Kind, e.Name, e.Engine, e.Servers, strings.ToUpper(string(e.Kind)), e.Name, e.Name)
}

// ErrorCode is the error as one word.
func (e *UnsharedError) ErrorCode() string { return "clickhouse_not_replicated" }

// shared refuses bookkeeping that the servers of a cluster do not share. It is asked about each object before one that is
// absent is created, and the database comes first.
func (p *pass) shared(d *declared) error {
	if p.platform != rules.SelfHosted || !p.members.Several() || d.Kind == ast.KindDatabase {
		return nil
	}
	inOne := func(o *catalog.Object) error {
		return &UnsharedError{o.Kind, o.Name.String(), o.Engine, len(p.facts.Cluster)}
	}
	database := p.c.live.Find(ast.KindDatabase, ast.Name{Name: d.Name.Database})
	apart := database != nil && database.Engine != "Replicated"
	o := p.c.live.Find(d.Kind, d.Name)
	if o == nil {
		if apart {
			return inOne(database) // a table without a path of its own has the path of its UUID, another on each server
		}
		return nil
	}
	table, isTable := o.Tree.(*ast.Table)
	if !isTable || table.Engine == nil {
		return nil // whoever opens it says what it is
	}
	if canon.Family(table.Engine).Name == table.Engine.Name {
		return inOne(o) // no prefix says that its rows are those of all servers
	}
	if args := table.Engine.Args; apart && (len(args) == 0 || strings.Contains(args[0].Text, "{uuid}")) {
		return inOne(database)
	}
	return nil
}

func coreRelease() (*tree.Tree, error) {
	own, diags := tree.Load(stdlib.FS, tree.Options{})
	if diags.HasErrors() {
		return nil, &TreeError{"the core release", own.Files(), diags}
	}
	return own, nil
}

// CheckBookkeeping finds what a tree or an overlay declares under a name that the engine keeps its books under and that is
// not the release's own definition. Such a table would be created, and then nothing could be written to it.
func CheckBookkeeping(t *tree.Tree) (hcl.Diagnostics, error) {
	var diags hcl.Diagnostics
	var own *tree.Tree
	for _, id := range bookkeeping() {
		if id.kind == ast.KindDatabase {
			continue
		}
		d := t.Find(id.kind, id.name) // of whatever kind: relations share one space of names
		if d == nil || d.Object == nil {
			continue
		}
		if own == nil {
			var err error
			if own, err = coreRelease(); err != nil {
				return nil, err
			}
		}
		if d.Kind == id.kind && canon.Checksum(d.Object) == canon.Checksum(own.Find(id.kind, id.name).Object) {
			continue
		}
		diags = append(diags, &hcl.Diagnostic{Severity: hcl.DiagError, Subject: &d.Entry, Extra: tree.CodeName,
			Summary: fmt.Sprintf("%s is where the engine keeps its books", id.name),
			Detail:  fmt.Sprintf("The release has a definition of its own for this %s, and this one differs. Leave it out: the engine makes it by itself.", id.kind)})
	}
	return diags, nil
}
