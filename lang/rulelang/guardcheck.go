package rulelang

import (
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
)

// guard checks an expression and reports whether it asks for a proof. After a fault it returns a guard all the same,
// so that the rest of the file is checked too.
func (c *checker) guard(e *Expr) (g *Guard, proof bool) {
	alternatives := make([]*Guard, 0, len(e.Or))
	for _, conjunction := range e.Or {
		terms := make([]*Guard, 0, len(conjunction.And))
		for _, t := range conjunction.And {
			kid, asks := c.term(t)
			terms, proof = append(terms, kid), proof || asks
		}
		alternatives = append(alternatives, combine(opAnd, terms))
	}
	return combine(opOr, alternatives), proof
}

func combine(op guardOp, kids []*Guard) *Guard {
	if len(kids) == 1 {
		return kids[0]
	}
	return &Guard{op: op, kids: kids}
}

func (c *checker) term(t *Term) (*Guard, bool) {
	switch {
	case t.Not != nil:
		kid, proof := c.term(t.Not)
		return &Guard{op: opNot, kids: []*Guard{kid}}, proof
	case t.Group != nil:
		return c.guard(t.Group)
	default:
		return c.test(t.Test)
	}
}

// unknown stands in for a test with a fault: a fact no vocabulary has.
func unknown() *Guard { return &Guard{op: opFact, fact: -1} }

func (c *checker) test(t *Test) (*Guard, bool) {
	name := t.Name
	if p := c.predicates[name.Text]; p != nil {
		if t.Compare != "" || t.In != nil {
			c.fault(name.Range(), "Guard of a wrong type", "%q is a predicate, true or false, and is not compared.", name.Text)
		}
		return p.guard, p.proof
	}
	index := c.words.fact(name.Text)
	if index < 0 {
		if c.sets[name.Text] != nil {
			c.fault(name.Range(), "Guard of a wrong type", "%q is a set: ask whether a fact is `in` it.", name.Text)
			return unknown(), false
		}
		c.fault(name.Range(), "Unknown fact or predicate", "Nothing declares %q.%s", name.Text, suggest(name.Text, c.factNames()))
		return unknown(), false
	}
	fact := &c.words.Facts[index]
	isTruth := fact.Type == Bool || fact.Type == Proof
	switch {
	case t.Compare == "" && t.In == nil:
		if !isTruth {
			c.fault(name.Range(), "Guard of a wrong type", "%q is %s: compare it with == or !=, or ask whether it is `in` a set.", name.Text, fact.Type)
			return unknown(), false
		}
		return &Guard{op: opFact, fact: index}, fact.Type == Proof
	case t.In != nil:
		return c.member(t, fact, index), false
	default:
		return c.comparison(t, fact, index), false
	}
}

func (c *checker) member(t *Test, fact *Fact, index int) *Guard {
	set := c.sets[t.In.Text]
	if set == nil {
		c.fault(t.In.Range(), "Unknown set", "No `set` above this rule is called %q.%s", t.In.Text, suggest(t.In.Text, slices.Sorted(maps.Keys(c.sets))))
		return unknown()
	}
	switch fact.Type {
	case Bool, Proof:
		c.fault(t.Name.Range(), "Guard of a wrong type", "%q is %s and is in no set.", t.Name.Text, fact.Type)
		return unknown()
	case Enum:
		for _, item := range set.items {
			if !slices.Contains(fact.Values, item) {
				c.fault(t.In.Range(), "Guard of a wrong type", "%q is never %q, which the set holds; it is one of %s.", fact.Name, item, list(fact.Values))
			}
		}
	}
	return negate(t.NotIn, &Guard{op: opIn, fact: index, set: set.items})
}

func (c *checker) comparison(t *Test, fact *Fact, index int) *Guard {
	negated := t.Compare == "!="
	var (
		text string
		at   hcl.Range
	)
	if t.Value.Word != nil {
		text, at = t.Value.Word.Text, t.Value.Word.Range()
	} else {
		text, at = string(t.Value.Text.Text), t.Value.Text.Range()
	}
	switch {
	case fact.Type == Bool && (text == "true" || text == "false"):
		return negate(negated != (text == "false"), &Guard{op: opFact, fact: index})
	case fact.Type == Bool || fact.Type == Proof:
		c.fault(at, "Guard of a wrong type", "%q is %s and is not compared with %q.", fact.Name, fact.Type, text)
		return unknown()
	case fact.Type == Enum && !slices.Contains(fact.Values, text):
		c.fault(at, "Guard of a wrong type", "%q is one of %s, never %q.%s", fact.Name, list(fact.Values), text, suggest(text, fact.Values))
		return unknown()
	case fact.Type == Name && t.Value.Word != nil:
		c.fault(at, "Guard of a wrong type", "%q is a text: write %q.", fact.Name, text)
		return unknown()
	}
	return negate(negated, &Guard{op: opIn, fact: index, set: []string{text}})
}

func negate(yes bool, g *Guard) *Guard {
	if yes {
		return &Guard{op: opNot, kids: []*Guard{g}}
	}
	return g
}
