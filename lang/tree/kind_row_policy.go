package tree

import (
	"errors"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/access"
)

// rowPolicyKind is a row policy. Its name is ClickHouse's own: "short ON db.table".
func rowPolicyKind() kind {
	return kind{
		name:      ast.KindRowPolicy,
		parseName: parsePolicyName,
		shape:     shape{what: "a row policy definition", attrs: []string{"filter", "restrictive", "to", "to_except"}},
		build: func(d *definition) ast.Object {
			d.require(d.content, "filter", `A row policy has a condition, as in filter = "owner = currentUser()".`)
			policy := policyNamed(d.declared.Name.Name)
			policy.Filter = d.fragment("filter", parseExpr)
			policy.Restrictive = d.flag(d.content, "restrictive")
			policy.To, policy.Origin = d.recipients("to", "all"), d.origin()
			return policy
		},
		sql: (*loader).accessStatements,
		render: func(w *writer, o ast.Object) {
			p := o.(*ast.RowPolicy)
			if p.Filter == nil {
				w.fail("it has no condition")
			}
			w.node("filter", p.Filter)
			if p.Restrictive {
				w.raw("restrictive", "true")
			}
			w.recipients("to", "all", p.To)
		},
	}
}

func parsePolicyName(label string) (ast.Name, error) {
	st, err := access.Parse("CREATE ROW POLICY " + label)
	if err != nil || len(st.Policies) != 1 || st.Policies[0].Table.Database == "" || len(st.Written) > 0 || st.Cluster != "" {
		return ast.Name{}, errors.New(`it is written with its table, as in "own_rows ON shop.orders"; "own_rows ON shop.*" is about every table of the database`)
	}
	return ast.Name{Name: st.Names[0]}, nil
}

// policyNamed is the policy of a name that [parsePolicyName] has read.
func policyNamed(name string) *ast.RowPolicy {
	st, err := access.Parse("CREATE ROW POLICY " + name)
	if err != nil {
		return &ast.RowPolicy{Short: name}
	}
	return &ast.RowPolicy{Short: st.Policies[0].Short, Table: st.Policies[0].Table}
}
