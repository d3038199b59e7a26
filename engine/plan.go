package engine

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/rules/plan"
)

// Plan says what a pass would decide and send, and changes nothing.
func (e *Engine) Plan(ctx context.Context) (doc *plan.Document, _ error) {
	err := e.planned(ctx, func(conn *catalog.Conn, c *comparison) error {
		doc = e.document(ctx, conn, c)
		e.planTopics(ctx, c.schema, c.records, true, doc)
		return nil
	})
	return doc, err
}

// document is the plan of a comparison, with how many rows its changes cost.
func (e *Engine) document(ctx context.Context, conn *catalog.Conn, c *comparison) *plan.Document {
	doc := c.plan()
	doc.Overlay = c.schema.overlay.leftOut()
	if newer := c.newerRelease(); newer != "" && !e.options.AllowDowngrade {
		doc.Regressed = &plan.Regressed{Release: c.schema.release, Ledger: newer}
	}
	for _, o := range doc.Objects {
		e.count(ctx, conn, o.Name, o.Changes)
	}
	return doc
}

// counting bounds, in seconds, how long the server may count the rows that one change costs. A plan waits for it, and
// can do without.
const counting = 10

// count asks how many rows the changes of an object cost, where the data tells.
func (e *Engine) count(ctx context.Context, conn *catalog.Conn, object string, changes []*plan.Change) {
	ctx = clickhouse.Context(ctx, clickhouse.WithSettings(clickhouse.Settings{"max_execution_time": counting}))
	for _, c := range changes {
		if c.Counts == "" {
			continue
		}
		e.options.Progress(Progress{Step: "counting rows", Object: object})
		var rows uint64
		if err := conn.Select(ctx, c.Counts, nil, func(scan func(...any) error) error { return scan(&rows) }); err == nil {
			c.Rows = &rows
		}
	}
}

// planned reads what a plan is made from and hands it on while the server is at hand.
func (e *Engine) planned(ctx context.Context, use func(*catalog.Conn, *comparison) error) error {
	s, err := e.resolve()
	if err != nil {
		return err
	}
	return e.plannedOf(ctx, s, use)
}

func (e *Engine) plannedOf(ctx context.Context, s *schema, use func(*catalog.Conn, *comparison) error) error {
	conn, err := e.connect(ctx)
	if err != nil {
		return err
	}
	defer e.disconnect(ctx, conn, "planned")
	e.options.Progress(Progress{Step: "reading the catalogue"})
	facts, err := catalog.ReadFacts(ctx, conn)
	if err != nil {
		return err
	}
	if err := e.checkServer(facts, s); err != nil {
		return err
	}
	l, err := openLedger(ctx, conn)
	if err != nil {
		return err
	}
	records, err := s.records(ctx, l)
	if err != nil {
		return err
	}
	live, err := catalog.ReadObjects(ctx, conn, facts, s.reads(records))
	if err != nil {
		return err
	}
	e.options.Progress(Progress{Step: "deciding"})
	c := e.comparison(s, live, records)
	if err := c.readValues(ctx, e); err != nil {
		return err
	}
	return use(conn, c)
}

// PlanMovedError is a reviewed plan that is no longer what a pass would do. Nothing was sent.
type PlanMovedError struct {
	Objects []string
	// Foreign says that the plan lacks objects which the schema declares: it was made of another schema.
	Foreign bool
}

// planMovedNamed is how many objects the sentence names. Of another schema all of them differ.
const planMovedNamed = 5

func (e *PlanMovedError) Error() string {
	named := e.Objects
	if more := len(named) - planMovedNamed; more > 0 {
		named = append(slices.Clone(named[:planMovedNamed]), fmt.Sprintf("and %d more", more))
	}
	text := "the plan is no longer what would be done, nothing was sent: " + strings.Join(named, ", ")
	if e.Foreign {
		return text + "; give the --tree, --overlay and --var that it was made with, or plan and review again"
	}
	return text + "; plan and review again"
}

// samePlan demands that a pass would send what was reviewed, on the objects that were reviewed: the same statements,
// and each object in the state the statement was decided on.
func samePlan(reviewed, now *plan.Document) error {
	if reviewed.Version > plan.Version {
		return fmt.Errorf("the plan has version %d and this program reads %d: apply it with the program that made it", reviewed.Version, plan.Version)
	}
	if reviewed.Platform != now.Platform {
		return &PlanMovedError{Objects: []string{fmt.Sprintf("it was made for platform %s and the server's is %s", reviewed.Platform, now.Platform)}}
	}
	moved := map[string]bool{}
	var order []string
	note := func(object, why string) {
		if !moved[object] {
			moved[object] = true
			order = append(order, object+" "+why)
		}
	}
	was, is := byObject(reviewed), byObject(now)
	for _, s := range reviewed.Statements {
		switch a, b := was[s.Object], is[s.Object]; {
		case len(b) == 0:
			note(s.Object, "needs nothing any more")
		case !reflect.DeepEqual(a, b):
			note(s.Object, "changed since")
		}
	}
	known := map[string]bool{}
	for _, o := range reviewed.Objects {
		known[o.Name] = true
	}
	foreign := false
	for _, s := range now.Statements {
		switch {
		case !known[s.Object]:
			note(s.Object, "is not in the plan")
			foreign = true
		case len(was[s.Object]) == 0:
			note(s.Object, "needs a statement the plan does not have")
		}
	}
	if len(order) > 0 {
		return &PlanMovedError{order, foreign}
	}
	return nil
}

func byObject(d *plan.Document) map[string][]plan.Statement {
	found := map[string][]plan.Statement{}
	for _, s := range d.Statements {
		statement := *s
		statement.Rehearsal = nil // what a rehearsal found is no part of what is sent
		found[s.Object] = append(found[s.Object], statement)
	}
	return found
}
