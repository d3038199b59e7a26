package engine

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/rules/plan"
)

// Plan says what a pass would decide and send, and changes nothing.
func (e *Engine) Plan(ctx context.Context) (*plan.Document, error) {
	s, err := e.resolve()
	if err != nil {
		return nil, err
	}
	if s.overlayFault != nil {
		e.log.ErrorContext(ctx, "the overlay is left out", "error", s.overlayFault.Error())
	}
	conn, err := e.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer e.disconnect(ctx, conn, "planned")
	e.options.Progress(Progress{Step: "reading the catalogue"})
	facts, err := catalog.ReadFacts(ctx, conn)
	if err != nil {
		return nil, err
	}
	if err := e.checkServer(facts, s); err != nil {
		return nil, err
	}
	live, err := catalog.ReadObjects(ctx, conn, facts, s.scope())
	if err != nil {
		return nil, err
	}
	l, err := ledger.Open(conn, live)
	if err != nil {
		return nil, err
	}
	records, err := l.Newest(ctx)
	if err != nil {
		return nil, err
	}
	e.options.Progress(Progress{Step: "deciding"})
	return e.comparison(s, live, records).plan(), nil
}

// PlanMovedError is a reviewed plan that is no longer what a pass would do. Nothing was sent.
type PlanMovedError struct{ Objects []string }

func (e *PlanMovedError) Error() string {
	return fmt.Sprintf("the plan is no longer what would be done, nothing was sent: %s; plan and review again", strings.Join(e.Objects, ", "))
}

// samePlan demands that a pass would send what was reviewed, on the objects that were reviewed: the same statements,
// and each object in the state the statement was decided on.
func samePlan(reviewed, now *plan.Document) error {
	if reviewed.Version > plan.Version {
		return fmt.Errorf("the plan has version %d and this program reads %d: apply it with the program that made it", reviewed.Version, plan.Version)
	}
	if reviewed.Platform != now.Platform {
		return &PlanMovedError{[]string{fmt.Sprintf("it was made for platform %s and the server's is %s", reviewed.Platform, now.Platform)}}
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
	for _, s := range now.Statements {
		if len(was[s.Object]) == 0 {
			note(s.Object, "needs a statement the plan does not have")
		}
	}
	if len(order) > 0 {
		return &PlanMovedError{order}
	}
	return nil
}

func byObject(d *plan.Document) map[string][]plan.Statement {
	found := map[string][]plan.Statement{}
	for _, s := range d.Statements {
		found[s.Object] = append(found[s.Object], *s)
	}
	return found
}
