package rulelang

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
)

// Table is the checked rules of one kind, in the order in which they are tried.
type Table struct {
	Kind  string
	Range hcl.Range
	Laws  []*Law
}

// Law is a checked rule.
type Law struct {
	Name   string
	Kind   string
	On     Matcher
	When   *Guard
	Action string
	Report bool
	// Bare says that ClickHouse has no statement for what is refused or reported here.
	Bare    bool
	Unless  *Way
	Because string
	Advice  string
	Range   hcl.Range
	// Syntax is the rule as written.
	Syntax *Rule
}

// Way is the way past a law's action.
type Way struct {
	Guard  *Guard
	Action string
	Report bool
	Proof  *Guard
	Saying string
}

// Matcher is a checked pattern.
type Matcher struct {
	ops  [3]bool
	part string // "" for the object, anyPart for every part
	name string // "" for any
	attr string // "" for the part itself
}

// Matches reports whether a change is one the pattern is about: op is "add", "remove" or "change", and the path is a
// kind of part, its name and an attribute, as ast.Path has them. A part without an attribute in the pattern means the
// part as a whole for add and remove, and any change inside it for change.
func (m Matcher) Matches(op, part, name, attr string) bool {
	if m.part == anyPart {
		return part != "" && m.ops[opIndex(op)]
	}
	if m.part != part || m.name != "" && m.name != name {
		return false
	}
	if m.attr != "" {
		return m.ops[opIndex(op)] && (attr == m.attr || len(attr) > len(m.attr) && attr[len(m.attr)] == ' ' && strings.HasPrefix(attr, m.attr))
	}
	if attr != "" {
		return m.ops[opIndex("change")]
	}
	return m.ops[opIndex(op)]
}

func opIndex(op string) int {
	for i, o := range ops {
		if o == op {
			return i
		}
	}
	return len(ops) - 1
}
