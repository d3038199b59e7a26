package rules

import (
	"slices"

	"github.com/dfe-engine/dfe/ast"
)

// carryWhole plans the objects that are written anew as a whole, and the few statements that change one in place.
func (p *objectPlan) carryWhole() {
	var replaced, commented, untold []int
	refused := false
	for i := range p.decisions {
		d := &p.decisions[i]
		switch {
		case d.Action.Replaces():
			replaced = append(replaced, i)
		case d.Action == ModifyComment:
			commented = append(commented, i)
		case d.Change.CannotTell != "" && p.stateless():
			untold = append(untold, i)
		case d.Action == Refused || d.Change.CannotTell != "":
			refused = true
		}
		if !d.Action.Carried() && !d.Bare {
			p.changes[i].Statement = p.wholeStatement(&d.Change)
		}
	}
	if refused {
		for _, i := range replaced {
			p.refuse(i, "an object is written anew only where every change of it may be made",
				"another change of {object} is refused, and writing it anew would make that one too", "settle the refused change first")
			p.changes[i].Reason = "another change of " + p.pair.Name.String() + " is refused, and writing it anew would make that one too"
			p.changes[i].Statement = p.wholeStatement(&p.decisions[i].Change)
		}
		replaced = nil
	}
	if len(replaced) > 0 {
		// What cannot be told of an object that holds no state is written with the rest.
		for _, i := range untold {
			d, with := &p.decisions[i], p.decisions[replaced[0]]
			d.Action, d.Rule, d.Reason, d.Change.CannotTell = with.Action, with.Rule, with.Reason, ""
			p.changes[i] = p.change(d)
			replaced = append(replaced, i)
		}
	}
	switch {
	case len(replaced) > 0:
		// The definition carries its comment along.
		p.send(replaceSQL(p.options.statement(p.pair.Desired), p.options.Platform), false, nil, append(replaced, commented...)...)
	case len(commented) > 0:
		p.send(commentSQL(p.pair.Desired), false, nil, commented...)
	}
}

// stateless reports whether writing the object anew loses nothing, whatever it looked like before.
func (p *objectPlan) stateless() bool {
	return p.pair.Kind == ast.KindView || p.pair.Kind == ast.KindFunction
}

// wholeStatement is the statement with which an operator makes a change of an object that is no table, or "".
func (p *objectPlan) wholeStatement(c *ast.Change) string {
	switch desired := p.pair.Desired.(type) {
	case *ast.View, *ast.Dictionary, *ast.Function:
		return replaceSQL(p.options.statement(desired), p.options.Platform)
	case *ast.MaterializedView:
		if !p.keepsColumns() && desired.Inner != nil {
			return ""
		}
		live, _ := p.pair.Live.(*ast.MaterializedView)
		return materializedStatement(live, p.options.statement(desired).(*ast.MaterializedView), c)
	default:
		if c.Path.Part == "comment" {
			return commentSQL(p.pair.Desired)
		}
		return ""
	}
}

// keepsColumns reports whether no column differs: an inner table takes no other column (error 16, case S80).
func (p *objectPlan) keepsColumns() bool {
	return !slices.ContainsFunc(p.decisions, func(d Decision) bool { return d.Change.Path.Part == "column" })
}

// materializedStatement is the in-place statement for a change of a materialized view, where ClickHouse has one: the
// query (case S80; the list of columns follows it), the schedule (case S84) and the SQL security (case S83). No statement
// adds or removes APPEND, and none leaves it out (error 48, measured on 26.7.2): it stays as it is live.
func materializedStatement(live, desired *ast.MaterializedView, c *ast.Change) string {
	head := "ALTER TABLE " + desired.Name.SQL() + " "
	switch c.Path.Part {
	case "query", "column":
		return head + "MODIFY QUERY " + desired.Query.String()
	case "refresh":
		if c.Path.Attr != "append" && c.Path.Attr != "" && live != nil && live.Refresh != nil && desired.Refresh != nil {
			refresh := *desired.Refresh
			refresh.Append = live.Refresh.Append
			return head + "MODIFY " + refresh.String()
		}
	case "security":
		if desired.Security.Mode != "" {
			return head + "MODIFY " + securitySQL(desired.Security)
		}
	case "comment":
		return commentSQL(desired)
	}
	return ""
}
