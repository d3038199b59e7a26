package rehearsal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/executor"
	"github.com/dfe-engine/dfe/lang/ddl"
	"github.com/dfe-engine/dfe/lang/deps"
	"github.com/dfe-engine/dfe/rules"
	"github.com/dfe-engine/dfe/rules/plan"
)

// Script is what is played.
type Script struct {
	// Live is what the server has: what the plan is about, and what that refers to.
	Live *catalog.Catalog
	// Plan is played; what the engine answers is written into it.
	Plan *plan.Document
	// Names are the names of the plan's objects, by their place in Plan.Objects.
	Names []ast.Name
	// Declared are their definitions, nil where nothing declares one.
	Declared []ast.Object
	// Decide decides about one object of Plan again, and DecideAll about all, were a catalogue what is live. The order of
	// the objects is that of Plan.
	Decide    func(live *catalog.Catalog, object int) *plan.Object
	DecideAll func(live *catalog.Catalog) *plan.Document
	// Progress is told what is at hand.
	Progress func(step, object string, done, total int)
}

// Play loads the stage, which holds nothing else, and plays the script. The error is one of the stage or the context; the
// plan then says nothing of a rehearsal.
func Play(ctx context.Context, conn *catalog.Conn, script Script) error {
	p := &player{Script: script, stage: newStage(conn, script.Live, script.Progress), at: map[place]int{}}
	for i, o := range script.Plan.Objects {
		p.at[placeOf(ast.Kind(o.Kind), script.Names[i])] = i
		if ast.Kind(o.Kind) == ast.KindDatabase {
			p.databases = append(p.databases, o.Name)
		}
		if ast.Kind(o.Kind).IsAccess() {
			p.unfit[placeOf(ast.Kind(o.Kind), script.Names[i])] = "who may do what is no part of a rehearsal"
		}
		if ast.Kind(o.Kind) == ast.KindNamedCollection {
			p.unfit[placeOf(ast.Kind(o.Kind), script.Names[i])] = "the values of a named collection are not at hand in a rehearsal"
		}
	}
	if err := p.run(ctx); err != nil {
		script.Plan.Rehearsal = nil
		for _, s := range script.Plan.Statements {
			s.Rehearsal = nil
		}
		return fmt.Errorf("the plan could not be rehearsed: %w", err)
	}
	return nil
}

type player struct {
	Script
	*stage
	at map[place]int
}

func (p *player) run(ctx context.Context) error {
	facts, err := catalog.ReadFacts(ctx, p.conn)
	if err != nil {
		return err
	}
	if err := p.load(ctx, p.wanted(p.concerned())); err != nil {
		return err
	}
	byName := map[[2]string]int{}
	for i, o := range p.Plan.Objects {
		byName[[2]string{o.Kind, o.Name}] = i
	}
	for n, s := range p.Plan.Statements {
		p.progress("rehearsing", s.Object, n, len(p.Plan.Statements))
		if s.Rehearsal, err = p.statement(ctx, s, byName[[2]string{s.Kind, s.Object}]); err != nil {
			return err
		}
	}
	p.Plan.Rehearsal = &plan.Rehearsed{Server: facts.Version, Live: p.Live.Facts.Version, Loaded: p.loaded, Substitutes: p.notes}
	if p.Plan.Rehearsal.Substitutes == nil {
		p.Plan.Rehearsal.Substitutes = []*plan.Substitute{}
	}
	p.Plan.Conclude()
	if err := p.look(ctx); err != nil {
		return err
	}
	p.Plan.Rehearsal.Left = p.left()
	return p.others(ctx)
}

// concerned lists the live objects that a statement of the plan, sent or not, is about, and the definitions it is made of.
func (p *player) concerned() (live []*catalog.Object, definitions []ast.Object) {
	for i, o := range p.Plan.Objects {
		if !slices.ContainsFunc(o.Changes, func(c *plan.Change) bool { return c.Statement != "" }) {
			continue
		}
		if kind := ast.Kind(o.Kind); kind.IsAccess() || kind == ast.KindNamedCollection {
			continue // neither is on the stage
		}
		if found := p.Live.Find(ast.Kind(o.Kind), p.Names[i]); found != nil && ast.Kind(o.Kind) != ast.KindDatabase {
			live = append(live, found)
		}
		if p.Declared[i] != nil {
			definitions = append(definitions, p.Declared[i])
		}
	}
	return live, definitions
}

// statement plays one statement of the plan about the object of that index.
func (p *player) statement(ctx context.Context, s *plan.Statement, object int) (*plan.Rehearsal, error) {
	kind, name := ast.Kind(s.Kind), p.Names[object]
	here := placeOf(kind, name)
	if reason := p.unplayable(here); reason != "" {
		return notRehearsed(reason), nil
	}
	sql := s.SQL
	for _, secret := range s.Secrets {
		sql = strings.ReplaceAll(sql, secret.Reference, "''")
	}
	act, reason := p.prepare(sql, name.Database)
	if reason == "" && act.object == nil {
		for _, path := range s.Paths {
			if path == "ttl" && p.worn[here].ttl != nil {
				reason = "the TTL moves parts, and the server's disks are not here"
			}
		}
	}
	if reason != "" {
		return p.passedOver(ctx, here, act.object, reason)
	}
	if s.Proof != nil {
		if answer, err := p.proof(ctx, s.Proof); answer != nil || err != nil {
			p.unfit[here] = "a statement before this one failed"
			return answer, err
		}
	}
	was, had := p.worn[here]
	if act.object != nil {
		p.worn[here] = act.off
	}
	answer, _, err := p.send(ctx, kind, name, act.sql, func(after *catalog.Object) string {
		p.see(kind, name, after)
		return p.Decide(p.view, object).Remaining(s)
	})
	if err != nil {
		return nil, err
	}
	if answer.Answer == plan.AnswerOK {
		answer.Message = act.without
		return answer, nil
	}
	if had {
		p.worn[here] = was
	} else {
		delete(p.worn, here)
	}
	p.unfit[here] = "a statement before this one failed"
	if !s.Expect.Exists && act.object != nil {
		p.gone[here] = "its own statement failed"
	}
	return answer, nil
}

// unplayable says why no statement about an object can be played; "" where one can.
func (p *player) unplayable(here place) string {
	if reason := p.gone[here]; reason != "" {
		return "it is not here: " + reason
	}
	if reason := p.unfit[here]; reason != "" {
		return reason
	}
	if here.space == ast.KindDatabase && here.name.Name == defaultDatabase {
		return "the database default is the engine's own"
	}
	return ""
}

// act is a statement as it is sent to the stage.
type act struct {
	sql     string
	object  ast.Object // plain; nil for a statement that defines none
	off     costume
	without string
}

// prepare makes a statement fit for the stage, or says why it is not played.
func (p *player) prepare(sql, database string) (act, string) {
	list, err := ddl.ParseScript(sql)
	if err != nil || len(list) != 1 || list[0].Object == nil {
		if reason := textOutside(sql); reason != "" {
			return act{}, reason
		}
		return act{sql: sql}, ""
	}
	st := list[0]
	naked, off := plain(st.Object)
	a := act{object: naked, off: off, without: off.without(),
		sql: ast.Create(naked, ast.Style{Lines: true, OrReplace: st.Replace, IfNotExists: st.IfNotExists})}
	if reason := outside(naked); reason != "" {
		return a, reason
	}
	if reason := p.gone[placeOf(ast.KindDatabase, ast.Name{Name: database})]; database != "" && reason != "" {
		return a, fmt.Sprintf("its database %s is not here: %s", database, reason)
	}
	for _, ref := range deps.Of(naked) {
		needed := placeOf(ast.KindTable, ref.Name)
		switch ref.Kind {
		case deps.Function:
			needed = placeOf(ast.KindFunction, ref.Name)
		case deps.Collection:
			continue // what takes its arguments from one reaches out of the process
		}
		if reason := p.gone[needed]; reason != "" {
			return a, fmt.Sprintf("it refers to %s, which is not here: %s", ref.Name, reason)
		}
		if reason := p.unfit[needed]; reason != "" && a.without == "" {
			a.without = fmt.Sprintf("over a stand-in for %s", ref.Name)
		}
	}
	return a, ""
}

// passedOver notes that an object is not what the plan makes of it. What it would create is stood in for, so that what
// reads it can be played.
func (p *player) passedOver(ctx context.Context, here place, object ast.Object, reason string) (*plan.Rehearsal, error) {
	answer := notRehearsed(reason)
	p.unfit[here] = "a statement before this one was not rehearsed"
	if object == nil || p.raw.Find(object.Kind(), here.name) != nil {
		return answer, nil
	}
	in := standIn(object)
	if in == nil {
		p.gone[here] = reason
		return answer, nil
	}
	err := p.create(ctx, in, ast.Style{})
	switch {
	case err == nil:
		after, err := catalog.ReadObject(ctx, p.conn, in.Kind(), here.name)
		p.see(in.Kind(), here.name, after)
		return answer, err
	case isRejected(err):
		p.gone[here] = reason
		return answer, nil
	}
	return nil, err
}

// proof asks the query that is asked of the data before a type change: on no rows it shows only that the server takes it.
// Nil means that it does.
func (p *player) proof(ctx context.Context, proof *plan.Proof) (*plan.Rehearsal, error) {
	err := p.conn.Select(ctx, proof.Query, nil, func(func(...any) error) error { return nil })
	if err == nil {
		return nil, nil
	}
	e, answered := catalog.Exception(err)
	if !answered {
		return nil, err
	}
	return &plan.Rehearsal{Answer: plan.AnswerError, Code: int(e.Code), Message: "the query that has to come before it: " + serverWords(e.Code, catalog.ServerMessage(e))}, nil
}

// send sends a statement and returns the answer. missing says what of its effect is not there; taken is true where the
// engine raised no error, whatever is missing.
func (p *player) send(ctx context.Context, kind ast.Kind, name ast.Name, sql string, missing func(*catalog.Object) string) (answer *plan.Rehearsal, taken bool, _ error) {
	result, err := p.x.Apply(ctx, executor.Statement{Kind: kind, Name: name, SQL: sql, Before: p.raw.Find(kind, name), Missing: missing})
	var (
		rejected *executor.RejectedError
		unseen   *executor.NotSeenError
	)
	switch {
	case err == nil:
		p.see(kind, name, result.After)
		return &plan.Rehearsal{Answer: plan.AnswerOK}, true, nil
	case errors.As(err, &rejected):
		return &plan.Rehearsal{Answer: plan.AnswerError, Code: int(rejected.Code), Message: serverWords(rejected.Code, rejected.Message)}, false, nil
	case errors.As(err, &unseen):
		return &plan.Rehearsal{Answer: plan.AnswerError, Message: "the engine takes it, and the object still differs: " + unseen.Missing}, true, nil
	case isRejected(err):
		return &plan.Rehearsal{Answer: plan.AnswerError, Message: err.Error()}, false, nil
	}
	return nil, false, err
}

// serverWords is a message without the code, which stands beside it.
func serverWords(code int32, message string) string {
	return strings.TrimPrefix(message, fmt.Sprintf("code %d: ", code))
}

func notRehearsed(reason string) *plan.Rehearsal {
	return &plan.Rehearsal{Answer: plan.AnswerNotRehearsed, Message: reason}
}

// left lists what differs on the stage after the plan although the plan neither left it nor failed at it.
func (p *player) left() []*plan.Left {
	type difference struct {
		object int
		path   string
	}
	explained := map[difference]bool{}
	for i, o := range p.Plan.Objects {
		for _, c := range o.Changes {
			if !rules.Action(c.Action).Carried() {
				explained[difference{i, c.Path}] = true
			}
		}
	}
	left := []*plan.Left{}
	for i, o := range p.DecideAll(p.view).Objects {
		if here := placeOf(ast.Kind(o.Kind), p.Names[i]); p.gone[here] != "" || p.unfit[here] != "" {
			continue
		}
		for _, c := range o.Changes {
			if !explained[difference{i, c.Path}] {
				left = append(left, &plan.Left{Kind: o.Kind, Object: o.Name, Path: c.Path, Live: c.Live, Desired: c.Desired})
			}
		}
	}
	return left
}

// others asks what the engine answers to the statements that the plan shows and does not send, one after the other.
func (p *player) others(ctx context.Context) error {
	for i, o := range p.Plan.Objects {
		answers := map[string]*plan.Rehearsal{}
		for _, c := range o.Changes {
			if c.Statement == "" || rules.Action(c.Action).Carried() {
				continue
			}
			p.progress("asking about what is not sent", o.Name, i, len(p.Plan.Objects))
			if answers[c.Statement] == nil {
				answer, err := p.other(ctx, ast.Kind(o.Kind), p.Names[i], c.Statement)
				if err != nil {
					return err
				}
				answers[c.Statement] = answer
			}
			c.Rehearsal = answers[c.Statement]
		}
	}
	return nil
}

// other plays the statements of a change until one fails.
func (p *player) other(ctx context.Context, kind ast.Kind, name ast.Name, text string) (*plan.Rehearsal, error) {
	here := placeOf(kind, name)
	if reason := p.unplayable(here); reason != "" {
		return notRehearsed(reason), nil
	}
	list, err := ddl.ParseScript(text)
	if err != nil {
		return notRehearsed(err.Error()), nil
	}
	last := &plan.Rehearsal{Answer: plan.AnswerOK}
	for _, st := range list {
		a, reason := p.prepare(st.Text, name.Database)
		if reason != "" {
			return notRehearsed(reason), nil
		}
		before := p.raw.Find(kind, name)
		answer, taken, err := p.send(ctx, kind, name, a.sql, func(after *catalog.Object) string {
			p.see(kind, name, after)
			return unmoved(before, after)
		})
		switch {
		case err != nil:
			return nil, err
		case !taken:
			return answer, nil
		}
		last = &plan.Rehearsal{Answer: plan.AnswerOK, Message: a.without}
	}
	return last, nil
}

func unmoved(before, after *catalog.Object) string {
	if before != nil && after != nil && before.Text == after.Text && before.UUID == after.UUID {
		return "a change"
	}
	return ""
}
