package rules

import (
	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/rulelang"
)

// Decision is what is done about one change, and why.
type Decision struct {
	Change ast.Change
	Action Action
	// Report says that the change is reported as well as carried out.
	Report bool
	// Rule is the law that decided; NoRule where none did.
	Rule   string
	Reason string
	Advice string
	// Bare says that ClickHouse has no statement for the change.
	Bare bool
	// NeedsProof says that the action is carried out only once the data shows that nothing is lost.
	NeedsProof bool
	// Accepted says that the operator accepted the loss the change may mean.
	Accepted bool
}

// NoRule stands for the law where no rule of the kind matches a change.
const NoRule = "no rule decides"

// cannotTell stands for the law of a comparison without an answer: nothing is decided.
const cannotTell = "cannot tell"

// decide asks the table of the pair's kind about each change. The first rule that matches decides.
func (b *Book) decide(s *situation) []Decision {
	decisions := make([]Decision, 0, len(s.changes))
	laws := b.Laws(s.pair.Kind)
	for i := range s.changes {
		s.turn(&s.changes[i])
		decisions = append(decisions, decideChange(laws, s))
	}
	return decisions
}

func decideChange(laws []*rulelang.Law, s *situation) Decision {
	c := s.change
	if c.CannotTell != "" {
		return Decision{Change: *c, Action: Report, Rule: cannotTell, Reason: c.CannotTell}
	}
	for _, law := range laws {
		if law.On.Matches(string(c.Op), c.Path.Part, c.Path.Name, c.Path.Attr) && law.When.Eval(s.fact) == rulelang.True {
			return apply(law, s)
		}
	}
	return Decision{Change: *c, Action: Refused, Rule: NoRule,
		Reason: "no rule of kind " + string(s.pair.Kind) + " decides about this change",
		Advice: "change it by hand, or add a rule to a later release"}
}

func apply(law *rulelang.Law, s *situation) Decision {
	d := Decision{Change: *s.change, Action: Action(law.Action), Report: law.Report, Bare: law.Bare, Rule: law.Name,
		Reason: s.expand(law.Because), Advice: s.expand(law.Advice)}
	way := law.Unless
	if way == nil || way.Guard.Eval(s.fact) != rulelang.True {
		return d
	}
	proof := way.Proof.Eval(s.fact)
	if proof == rulelang.False {
		d.Reason += "; the types do not show that nothing is lost, and no query over the data can"
		d.Advice = "write the values into a new column by hand, or accept the loss with --accept-loss " + s.columnName()
		return d
	}
	d.Action, d.Report, d.Bare, d.Reason, d.Advice = Action(way.Action), way.Report, false, s.expand(way.Saying), ""
	d.NeedsProof = proof == rulelang.Ask
	d.Accepted = s.accepted()
	switch {
	case d.Accepted:
		d.Reason = "the operator accepts the loss of values"
	case d.NeedsProof:
		d.Reason = "carried out only if a query finds no value that is lost"
	}
	return d
}

// columnName is the changed column as --accept-loss names it.
func (s *situation) columnName() string { return s.pair.Name.String() + "." + s.change.Path.Name }

// accepted reports whether the change goes ahead on the operator's word alone.
func (s *situation) accepted() bool {
	return s.options.AcceptLoss[s.columnName()] &&
		lossless(s.change.Live, s.change.Desired) != rulelang.True
}

// expand fills in the placeholders of a reason or an advice.
func (s *situation) expand(template string) string {
	return rulelang.Expand(template, func(name string) string {
		switch name {
		case "object":
			return s.pair.Name.String()
		case "path":
			return s.change.Path.String()
		case "live":
			return liveText(s.change)
		case "desired":
			return valueText(s.change.Desired, s.change.DesiredPart)
		}
		for i := range s.table {
			if f := &s.table[i]; f.Name == name {
				value := s.fact(i)
				if f.Type == rulelang.Bool {
					return [...]string{"no", "perhaps", "yes"}[value.Truth]
				}
				return value.Text
			}
		}
		return "{" + name + "}"
	})
}
