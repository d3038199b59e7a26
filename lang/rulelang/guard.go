package rulelang

import "slices"

// Truth is the answer of a guard.
type Truth uint8

// The answers of a guard. Ask is that of a proof which the data has to give.
const (
	False Truth = iota
	Ask
	True
)

// Answer returns the Truth of a bool.
func Answer(yes bool) Truth {
	if yes {
		return True
	}
	return False
}

// FactValue is the value of a fact: Truth of a Bool or Proof, Text of an Enum or Name.
type FactValue struct {
	Truth Truth
	Text  string
}

// Guard is a checked guard. The nil guard is always true.
type Guard struct {
	op   guardOp
	kids []*Guard
	fact int
	set  []string // sorted: the texts that make an opIn true
}

type guardOp uint8

const (
	opFact guardOp = iota // a Bool or Proof fact
	opIn                  // an Enum or Name fact is one of set
	opNot
	opAnd
	opOr
)

// Eval answers the guard. The value of a fact is asked for by its index in the vocabulary, and only when it matters.
func (g *Guard) Eval(fact func(int) FactValue) Truth {
	if g == nil {
		return True
	}
	switch g.op {
	case opFact:
		return fact(g.fact).Truth
	case opIn:
		_, found := slices.BinarySearch(g.set, fact(g.fact).Text)
		return Answer(found)
	case opNot:
		return True - g.kids[0].Eval(fact)
	case opAnd:
		answer := True
		for _, kid := range g.kids {
			if answer = min(answer, kid.Eval(fact)); answer == False {
				break
			}
		}
		return answer
	default:
		answer := False
		for _, kid := range g.kids {
			if answer = max(answer, kid.Eval(fact)); answer == True {
				break
			}
		}
		return answer
	}
}

// facts adds the indexes of the facts the guard asks for.
func (g *Guard) facts(into map[int]bool) {
	if g == nil {
		return
	}
	if g.op == opFact || g.op == opIn {
		into[g.fact] = true
	}
	for _, kid := range g.kids {
		kid.facts(into)
	}
}
