package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/embedded"
	"github.com/dfe-engine/dfe/engine/rehearsal"
	"github.com/dfe-engine/dfe/lang/deps"
	"github.com/dfe-engine/dfe/rules"
	"github.com/dfe-engine/dfe/rules/plan"
)

// Draft is a plan with what it was made from: it can be rehearsed once the server is no longer at hand.
type Draft struct {
	// Document is the plan.
	Document *plan.Document

	e    *Engine
	made *comparison
	// around are live objects outside of the schema's databases that objects inside refer to.
	around []*catalog.Object
}

// Draft makes the plan of [Engine.Plan] and reads what a rehearsal needs beside it.
func (e *Engine) Draft(ctx context.Context) (*Draft, error) {
	d := &Draft{e: e}
	err := e.planned(ctx, func(conn *catalog.Conn, c *comparison) (err error) {
		d.made, d.Document = c, e.document(ctx, conn, c)
		d.around, err = around(ctx, conn, c)
		return err
	})
	return d, err
}

// around reads the objects that declared and live ones refer to and that nobody has read.
func around(ctx context.Context, conn *catalog.Conn, c *comparison) ([]*catalog.Object, error) {
	var found []*catalog.Object
	known := map[ast.Name]bool{}
	for name := range c.live.Relations {
		known[name] = true
	}
	for name := range c.schema.relations {
		known[name] = true
	}
	waiting := c.definitions()
	for len(waiting) > 0 {
		next := waiting[0]
		waiting = waiting[1:]
		for _, ref := range deps.Of(next) {
			if !ref.InDatabase() || known[ref.Name] || slices.Contains(serverDatabases, ref.Name.Database) {
				continue
			}
			known[ref.Name] = true
			o, err := catalog.ReadObject(ctx, conn, ast.KindTable, ref.Name)
			if err != nil {
				return nil, err
			}
			if o == nil {
				continue
			}
			found = append(found, o)
			if o.Tree != nil {
				waiting = append(waiting, o.Tree)
			}
		}
	}
	return found, nil
}

// serverDatabases are on every server and hold nothing of a schema.
var serverDatabases = []string{"", "system", "information_schema", "INFORMATION_SCHEMA"}

// definitions lists what is declared and what is live.
func (c *comparison) definitions() []ast.Object {
	var list []ast.Object
	for _, d := range c.schema.objects {
		list = append(list, d.Object)
	}
	for _, o := range c.live.Relations {
		if o.Tree != nil {
			list = append(list, o.Tree)
		}
	}
	return list
}

// Stage returns the options of an embedded engine on which [Draft.Rehearse] plays.
func (d *Draft) Stage() embedded.Options {
	definitions := d.made.definitions()
	for _, o := range d.around {
		if o.Tree != nil {
			definitions = append(definitions, o.Tree)
		}
	}
	return rehearsal.Options(d.made.live.Facts, definitions)
}

// Rehearse plays the plan on a throw-away server that holds nothing, and writes what it answers into the document. The
// server the plan was made for is not asked.
func (d *Draft) Rehearse(ctx context.Context, stage catalog.Target) (err error) {
	conn, err := catalog.Open(ctx, stage)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	return rehearsal.Play(ctx, conn, d.script())
}

func (d *Draft) script() rehearsal.Script {
	live := *d.made.live
	live.Relations = map[ast.Name]*catalog.Object{}
	for name, o := range d.made.live.Relations {
		live.Relations[name] = o
	}
	for _, o := range d.around {
		live.Relations[o.Name] = o
	}
	pairs := append(d.made.declared(), d.made.undeclared()...)
	names, definitions := make([]ast.Name, len(pairs)), make([]ast.Object, len(pairs))
	for i, p := range pairs {
		names[i], definitions[i] = p.Name, p.Desired
	}
	// on is the comparison with what the stage has.
	on := func(stage *catalog.Catalog) *comparison {
		c := *d.made
		c.live = stage
		c.options.Env.Lookup, c.options.Env.Function = c.lookup, c.function
		return &c
	}
	decide := func(stage *catalog.Catalog, pairs []rules.Pair) *plan.Document {
		c := on(stage)
		again := slices.Clone(pairs)
		for i := range again {
			p := &again[i]
			p.Live, p.Seen, p.Unreadable = nil, rules.Seen{}, nil
			seen(p, stage.Find(p.Kind, p.Name))
		}
		return c.schema.book.Plan(again, c.options)
	}
	return rehearsal.Script{
		Live: &live, Plan: d.Document, Names: names, Declared: definitions,
		Decide:    func(stage *catalog.Catalog, i int) *plan.Object { return decide(stage, pairs[i:i+1]).Objects[0] },
		DecideAll: func(stage *catalog.Catalog) *plan.Document { return decide(stage, pairs) },
		Progress: func(step, object string, done, total int) {
			d.e.options.Progress(Progress{Step: step, Object: object, Done: done, Total: total})
		},
	}
}
