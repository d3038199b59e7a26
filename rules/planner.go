package rules

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/canon"
	"github.com/dfe-engine/dfe/rules/plan"
)

// Diff lists the changes from a live object to a desired one, both as parsed. A nil object is absent; two objects of
// different kinds are one change of the whole.
func Diff(live, desired ast.Object, env canon.Env) []ast.Change {
	return compare(canonical(live, desired, env))
}

func canonical(live, desired ast.Object, env canon.Env) (ast.Object, ast.Object) {
	if live == nil || desired == nil || live.Kind() != desired.Kind() {
		return live, desired
	}
	return canon.Pair(live, desired, env)
}

// sides is the pair as it is compared: the desired side as the platform renders it, both canonical, and without what
// is the platform's own doing.
func (p *Pair) sides(o *Options) (live, desired ast.Object) {
	if p.Live == nil || p.Desired == nil || p.Live.Kind() != p.Desired.Kind() {
		return p.Live, p.Desired
	}
	rendered := o.statement(p.Desired)
	if t, ok := p.Desired.(*ast.Topic); ok {
		rendered = RenderTopic(t, busOf(p.Live.(*ast.Topic), o.Bus))
	}
	live, desired = canon.Pair(p.Live, rendered, o.Env)
	return level(live, desired, o.Platform)
}

// Decide lists what is done about each change of a pair.
func (b *Book) Decide(pair *Pair, options *Options) []Decision {
	s := newSituation(b.facts, options)
	live, desired := pair.sides(options)
	s.about(pair, live, desired, pair.owned(append(compare(live, desired), hiddenValues(pair, live, desired)...)))
	return b.decide(s)
}

// owned are the changes of a pair to be decided about: of an object that another part of the deployment declares there is
// one, whatever differs, because who made it has the say on all of it.
func (p *Pair) owned(changes []ast.Change) []ast.Change {
	if p.Recorded == nil || !p.Recorded.Foreign || p.Live == nil || p.Desired == nil || len(changes) == 0 {
		return changes
	}
	return []ast.Change{otherKind(p.Live.Kind(), p.Desired.Kind())}
}

// Plan decides about every pair and plans the statements. The document's objects stand in the order of the pairs, its
// statements in an order in which what an object reads is there before it. Pairs are independent of each other, and
// as many are looked at at once as there are processors; plain views follow, because one over * shows what its table
// looks like after the plan.
func (b *Book) Plan(pairs []Pair, options Options) *plan.Document {
	doc := &plan.Document{Version: plan.Version, Platform: string(options.Platform), Objects: make([]*plan.Object, len(pairs)), Statements: []*plan.Statement{}}
	statements := make([][]*plan.Statement, len(pairs))
	others, views := viewsLast(pairs)
	known := newShapes(pairs, &options)
	var planned sync.Mutex
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(others)) {
		workers.Go(func() {
			s := newSituation(b.facts, &options)
			for {
				n := int(next.Add(1)) - 1
				if n >= len(others) {
					return
				}
				i := others[n]
				p := b.planObject(s, &pairs[i], nil)
				doc.Objects[i], statements[i] = p.object, p.statements
				if len(p.statements) > 0 && len(views) > 0 {
					planned.Lock()
					known.planned(p)
					planned.Unlock()
				}
			}
		})
	}
	workers.Wait()
	s := newSituation(b.facts, &options)
	for _, i := range views {
		p := b.planObject(s, &pairs[i], known)
		doc.Objects[i], statements[i] = p.object, p.statements
	}
	for _, i := range dependencyOrder(pairs, statements) {
		doc.Statements = append(doc.Statements, statements[i]...)
	}
	doc.Count()
	return doc
}

// objectPlan is the plan of one pair in the making.
type objectPlan struct {
	pair    *Pair
	options *Options
	// live and desired are canonical.
	live, desired ast.Object
	decisions     []Decision
	changes       []*plan.Change // one for each decision
	statements    []*plan.Statement
	object        *plan.Object
}

// planObject plans one pair. views is what a view over * is compared with; nil for other kinds.
func (b *Book) planObject(s *situation, pair *Pair, views *shapes) *objectPlan {
	object := &plan.Object{Kind: string(pair.Kind), Name: pair.Name.String()}
	p := &objectPlan{pair: pair, options: s.options, object: object}
	if pair.Desired != nil {
		origin := originOf(pair.Desired)
		object.File, object.Line = origin.File, origin.Line
	}
	if kind := pair.Seen.Kind; pair.Unreadable != nil && pair.Desired != nil && kind != "" && kind != pair.Kind {
		// What it holds cannot be read; that it is nothing to write over can be told all the same.
		p.desired = pair.Desired
		p.settle(b, s, []ast.Change{otherKind(kind, pair.Kind)})
		return p
	}
	if u := pair.Unreadable; u != nil {
		object.Unreadable = &plan.Unreadable{Side: u.Side, Message: u.Message, Line: u.Line}
		object.Settle()
		return p
	}
	p.live, p.desired = pair.sides(s.options)
	if pair.Desired != nil {
		object.Checksum = canon.Checksum(canon.Object(pair.Desired, s.options.Env))
	}
	changes := append(compare(p.live, p.desired), hiddenValues(pair, p.live, p.desired)...)
	if views != nil && !rewrites(changes) {
		changes = append(changes, views.stale(pair, p.live, p.desired)...)
	}
	changes = pair.owned(changes)
	object.Adopted = s.options.LedgerRead && pair.Live != nil && pair.Desired != nil && pair.Recorded == nil
	if len(changes) == 0 {
		if pair.Kind.IsAccess() && pair.Desired != nil {
			p.carryAccess()
		}
		object.Settle()
		return p
	}
	p.settle(b, s, changes)
	return p
}

// settle decides about the changes and plans what carries them out.
func (p *objectPlan) settle(b *Book, s *situation, changes []ast.Change) {
	s.about(p.pair, p.live, p.desired, changes)
	p.decisions = b.decide(s)
	for i := range p.decisions {
		p.changes = append(p.changes, p.change(&p.decisions[i]))
		p.changes[i].Counts = p.costQuery(&p.decisions[i])
	}
	p.carry()
	p.object.Changes = p.changes
	p.object.Settle()
}

// rewrites reports whether a view's query or columns differ anyway.
func rewrites(changes []ast.Change) bool {
	return slices.ContainsFunc(changes, func(c ast.Change) bool { return c.Path.Part != "comment" && c.Path.Part != "security" })
}

func (p *objectPlan) change(d *Decision) *plan.Change {
	change := &plan.Change{
		Path: d.Change.Path.String(), Op: string(d.Change.Op), Action: string(d.Action), Report: d.Report,
		Rule: d.Rule, Reason: d.Reason, Advice: d.Advice, CannotTell: d.Change.CannotTell != "",
		Live: liveText(&d.Change), Desired: valueText(d.Change.Desired, d.Change.DesiredPart),
	}
	if t, ok := p.live.(*ast.Topic); ok && d.Change.Path.Part == "config" {
		if c := t.Config(d.Change.Path.Name); c != nil {
			change.SetBy = c.SetBy
		}
	}
	if d.Action == CreateTopic {
		change.Desired = topicText(RenderTopic(p.pair.Desired.(*ast.Topic), p.options.Bus))
	}
	return change
}

// carry plans the statements of the object by its kind.
func (p *objectPlan) carry() {
	first := &p.decisions[0]
	if p.pair.Kind.IsAccess() {
		p.carryAccess()
		return
	}
	if first.Change.Path == (ast.Path{}) {
		if first.Action == Create {
			p.send(createSQL(p.options.statement(p.pair.Desired), p.options.Platform), true, nil, 0)
		}
		return
	}
	switch p.pair.Kind {
	case ast.KindTable:
		p.carryTable()
	case ast.KindNamedCollection:
		p.carryCollection()
	default:
		p.carryWhole()
	}
}

// send plans a statement that carries out the decisions of these indexes.
func (p *objectPlan) send(sql string, conditional bool, proof *plan.Proof, decisions ...int) {
	s := &plan.Statement{Kind: string(p.pair.Kind), Object: p.pair.Name.String(), SQL: sql, Conditional: conditional, Proof: proof,
		Secrets: secretsIn(sql, p.pair.Desired)}
	for _, i := range decisions {
		s.Paths = append(s.Paths, p.changes[i].Path)
		p.changes[i].Statement = sql
	}
	s.Action = p.changes[decisions[0]].Action
	if p.pair.Live != nil {
		s.Expect = plan.Expect{Exists: true, Kind: string(p.pair.Live.Kind()), Engine: p.pair.Seen.Engine, UUID: p.pair.Seen.UUID}
		if len(p.statements) == 0 {
			s.Expect.Checksum = canon.Checksum(canon.Object(p.pair.Live, p.options.Env))
		}
	}
	p.statements = append(p.statements, s)
}

// refuse turns a decision that cannot be carried out after all into a refusal.
func (p *objectPlan) refuse(i int, rule, reason, advice string) {
	d := &p.decisions[i]
	d.Action, d.Report, d.NeedsProof, d.Rule, d.Reason, d.Advice = Refused, false, false, rule, reason, advice
	c := p.changes[i]
	c.Counts = ""
	c.Action, c.Report, c.Rule, c.Reason, c.Advice = string(Refused), false, rule, reason, advice
}

// separator stands between the statements of a change that needs several.
const separator = ";\n"

func joinStatements(list []string) string { return strings.Join(list, separator) }

func originOf(o ast.Object) ast.Origin {
	switch o := o.(type) {
	case *ast.Database:
		return o.Origin
	case *ast.Table:
		return o.Origin
	case *ast.View:
		return o.Origin
	case *ast.MaterializedView:
		return o.Origin
	case *ast.Dictionary:
		return o.Origin
	case *ast.Function:
		return o.Origin
	case *ast.NamedCollection:
		return o.Origin
	case *ast.Role:
		return o.Origin
	case *ast.User:
		return o.Origin
	case *ast.SettingsProfile:
		return o.Origin
	case *ast.Quota:
		return o.Origin
	case *ast.RowPolicy:
		return o.Origin
	case *ast.Grant:
		return o.Origin
	case *ast.Topic:
		return o.Origin
	}
	return ast.Origin{}
}
