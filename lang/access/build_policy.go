package access

import (
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/ddl"
)

func (b *builder) policy(st *Statement, s *policySyntax) {
	st.Kind = ast.KindRowPolicy
	b.condition(st, s.Condition)
	if s.Cluster != nil {
		st.Cluster = b.name(*s.Cluster)
	}
	b.policyNames(st, b.names(s.Names), s.Tables)
	for _, m := range s.More {
		b.policyNames(st, b.names([]word{m.Name}), []*policyTable{m.Table})
	}
	policy := &ast.RowPolicy{Short: st.Policies[0].Short, Table: st.Policies[0].Table}
	for _, c := range s.Clauses {
		switch {
		case c.As != "":
			b.once(st, c.Pos, "as")
			policy.Restrictive = strings.EqualFold(c.As, "RESTRICTIVE")
		case c.For:
		case c.None:
			b.once(st, c.Pos, "filter")
		case c.Filter != nil:
			b.once(st, c.Pos, "filter")
			policy.Filter = b.filter(c.Filter)
		case c.To != nil:
			b.once(st, c.Pos, "to")
			policy.To = b.recipients(c.To)
		default:
			b.common(st, c.Common)
		}
	}
	if st.Verb == Create {
		policy.To = nobody(policy.To)
	}
	st.Object = policy
}

func (b *builder) policyNames(st *Statement, short []string, tables []*policyTable) {
	if len(short) > 1 && len(tables) > 1 {
		b.fail(tables[1].Pos, "one table for several policies", "")
	}
	for _, s := range short {
		for _, t := range tables {
			table := b.table(t)
			if slices.Contains(st.Policies, PolicyName{s, table}) {
				b.fail(t.Pos, "each policy once", "")
			}
			st.Policies = append(st.Policies, PolicyName{s, table})
			st.Names = append(st.Names, ast.RowPolicyName(s, table))
		}
	}
}

func (b *builder) table(t *policyTable) ast.Name {
	switch {
	case t.Any:
		return ast.Name{}
	case t.All:
		return ast.Name{Database: b.name(*t.First)}
	case t.Table != nil:
		return ast.Name{Database: b.name(*t.First), Name: b.name(*t.Table)}
	}
	return ast.Name{Name: b.name(*t.First)}
}

// filter hands the condition to the parser of expressions.
func (b *builder) filter(f *filterSyntax) *ast.Node {
	text := b.text[f.Pos.Offset:f.EndPos.Offset]
	node, err := ddl.ParseExpr(text)
	if err == nil {
		return node
	}
	if b.err == nil {
		at := f.Pos.Offset
		expected := "a condition on the rows"
		if e, ok := err.(*ddl.Error); ok {
			at, expected = at+e.Offset, e.Expected
		}
		b.err = fault(b.text, at, expected, "")
	}
	return nil
}
