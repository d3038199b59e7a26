package rules

import (
	"fmt"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/rulelang"
)

// costQuery counts the rows that carrying out a decision about a table costs, where the data can tell: those whose value
// does not fit another type, and those that are past a new TTL. It is "" where nothing is lost, or nothing can be asked.
func (p *objectPlan) costQuery(d *Decision) string {
	c := &d.Change
	switch {
	case d.Action == ModifyColumn && c.Path.Attr == "type" && lossless(c.Live, c.Desired) != rulelang.True:
		if d.NeedsProof || lossless(c.Live, c.Desired) == rulelang.Ask {
			return proofQuery(p.pair.Name, c.Path.Name, c.Live, c.Desired)
		}
	case d.Action == ModifyTTL && c.Op != ast.Remove:
		live, ok := p.live.(*ast.Table)
		if !ok || c.CannotTell != "" {
			return ""
		}
		return expiredQuery(live, c)
	}
	return ""
}

// expiredQuery counts the live rows that are past a declared TTL of the table or of a column.
func expiredQuery(live *ast.Table, c *ast.Change) string {
	ttl := c.Desired
	if ttl == nil && c.DesiredPart != nil {
		ttl = c.DesiredPart.Attr("")
	}
	if ttl == nil {
		return ""
	}
	rules := []*ast.Node{ttl}
	if ttl.Kind == ast.List {
		rules = ttl.Kids
	}
	var past []string
	for _, rule := range rules {
		condition := expired(rule)
		if condition == "" {
			continue
		}
		reads := map[string]bool{}
		identsOf(rule, reads)
		for name := range reads {
			if live.Column(name) == nil {
				return "" // it reads what is not there yet
			}
		}
		past = append(past, condition)
	}
	if len(past) == 0 {
		return ""
	}
	return fmt.Sprintf("SELECT count() FROM %s WHERE %s", live.Name.SQL(), strings.Join(past, " OR "))
}

// expired is true of a row that the rule deletes or rolls up; "" for a rule that moves or recompresses.
func expired(rule *ast.Node) string {
	at := rule
	var where *ast.Node
	if rule.Kind == ast.Clause {
		if rule.Text != "DELETE" && rule.Text != "GROUP BY" || len(rule.Kids) == 0 {
			return ""
		}
		at = rule.Kids[0]
		for _, kid := range rule.Kids[1:] {
			if kid.Kind == ast.Clause && kid.Text == "WHERE" && len(kid.Kids) == 1 {
				where = kid.Kids[0]
			}
		}
	}
	if where == nil {
		return fmt.Sprintf("(%s) <= now()", at)
	}
	return fmt.Sprintf("((%s) <= now() AND (%s))", at, where)
}
