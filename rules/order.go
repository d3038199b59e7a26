package rules

import (
	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/deps"
	"github.com/dfe-engine/dfe/rules/plan"
)

// dependencyOrder is the order in which the pairs' statements are sent: that of the pairs, except that what an object
// reads or writes comes before it. Objects that read each other in a circle keep the order of the pairs.
func dependencyOrder(pairs []Pair, statements [][]*plan.Statement) []int {
	at := make(map[ast.Name]int, len(pairs))
	for i := range pairs {
		if len(statements[i]) > 0 {
			at[pairs[i].Name] = i
		}
	}
	order := make([]int, 0, len(at))
	visited := make([]bool, len(pairs))
	var visit func(int)
	visit = func(i int) {
		if visited[i] {
			return
		}
		visited[i] = true
		name := pairs[i].Name
		if database, ok := at[ast.Name{Name: name.Database}]; ok && name.Database != "" {
			visit(database)
		}
		for _, ref := range deps.Of(pairs[i].Desired) {
			if needed, ok := at[ref.Name]; ok {
				visit(needed)
			}
		}
		order = append(order, i)
	}
	for i := range pairs {
		if len(statements[i]) > 0 {
			visit(i)
		}
	}
	return order
}
