package rules

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/rules/plan"
)

// tablePlan folds the commands of one table into as few ALTERs as the server takes each as a whole.
type tablePlan struct {
	*objectPlan
	sides tableSides
	order []string        // the table's columns after the statements planned so far
	added map[string]bool // the new columns the plan adds
	// The commands by the statement they belong to.
	firstSetting []tableCommand // before a projection that needs it
	types        []tableCommand // no proof needed
	proved       []tableCommand // each in a statement of its own, right after its proof
	rest         []tableCommand
	resets       []tableCommand
	settings     []tableCommand
	ttls         []tableCommand
}

// tableCommand is a command with what decides where it can stand.
type tableCommand struct {
	alterCommand
	decisions []int
	adds      string
	reads     map[string]bool // the new columns it reads
	rank      int
}

// The order of commands within a statement.
const (
	rankColumn = iota
	rankComment
	rankIndex
)

func (p *objectPlan) carryTable() {
	live, desired := p.live.(*ast.Table), p.desired.(*ast.Table)
	t := &tablePlan{objectPlan: p, sides: tableSides{live, desired}, added: map[string]bool{}}
	for _, c := range live.Columns {
		t.order = append(t.order, c.Name)
	}
	t.refuseUntyped()
	t.refuseOrphans()
	for i := range p.decisions {
		switch d := &p.decisions[i]; {
		case d.Action.Carried():
			t.collect(i, d)
		case !d.Bare:
			p.changes[i].Statement = t.operatorStatement(&d.Change)
		}
	}
	t.plan()
}

// refuseUntyped refuses a new column, index or projection of which the text leaves something to the server: an ALTER has
// to say it all (case S15).
func (t *tablePlan) refuseUntyped() {
	for i := range t.decisions {
		d := &t.decisions[i]
		if d.Action != AddColumn && d.Action != AddIndex && d.Action != AddProjection || d.Change.DesiredPart == nil {
			continue
		}
		for _, a := range d.Change.DesiredPart.Attrs {
			if reason := a.Value.Reason(); reason != "" {
				t.refuse(i, "what an ALTER adds is written out", "an ALTER has to name the "+a.Name+": "+reason, "write the "+a.Name+" into the definition")
				t.decisions[i].Bare = true
				break
			}
		}
	}
}

// refuseOrphans refuses what reads a declared column that the table will not have, because adding that column is
// refused: the server would answer with an error. It goes on until nothing more falls.
func (t *tablePlan) refuseOrphans() {
	for i := range t.decisions {
		if d := &t.decisions[i]; d.Action == AddColumn {
			t.added[d.Change.Path.Name] = true
		}
	}
	for again := true; again; {
		again = false
		for i := range t.decisions {
			d := &t.decisions[i]
			if d.Action != AddColumn && d.Action != AddIndex && d.Action != AddProjection {
				continue
			}
			for name := range partReads(d.Change.DesiredPart) {
				if t.sides.live.Column(name) != nil || t.sides.desired.Column(name) == nil || t.added[name] {
					continue
				}
				t.refuse(i, "what reads a refused column waits for it",
					fmt.Sprintf("it reads the column %s, and adding that is refused", name), "settle that column first")
				delete(t.added, d.Change.Path.Name)
				again = true
				break
			}
		}
	}
}

// partReads is the columns that the expressions of a part read. A type reads none.
func partReads(part *ast.Part) map[string]bool {
	reads := map[string]bool{}
	if part == nil {
		return reads
	}
	for _, a := range part.Attrs {
		if a.Name != "type" && a.Name != "codec" && !strings.HasPrefix(a.Name, "setting ") {
			identsOf(a.Value, reads)
		}
	}
	return reads
}

func (t *tablePlan) collect(i int, d *Decision) {
	c := tableCommand{decisions: []int{i}, reads: map[string]bool{}}
	for name := range partReads(d.Change.DesiredPart) {
		if t.added[name] && !(d.Change.Path.Part == "column" && name == d.Change.Path.Name) {
			c.reads[name] = true
		}
	}
	if d.Action == AddColumn {
		c.adds = d.Change.Path.Name
		t.rest = append(t.rest, c)
		return
	}
	statements := tableCommands(&t.sides, &d.Change, "")
	if len(statements) != 1 || len(statements[0]) != 1 {
		t.refuse(i, "what no single statement does is an operator's", "ClickHouse has no single statement for this change", "change it by hand")
		t.changes[i].Statement = t.operatorStatement(&d.Change)
		return
	}
	c.alterCommand = statements[0][0]
	switch d.Action {
	case ModifyColumn:
		if d.NeedsProof || d.Accepted && t.castQuery(d) != "" {
			t.proved = append(t.proved, c)
		} else {
			t.types = append(t.types, c)
		}
	case ModifySetting:
		if d.Change.Path.Name == projectionMode && t.addsProjection() {
			t.firstSetting = append(t.firstSetting, c)
		} else {
			t.settings = append(t.settings, c)
		}
	case ResetSetting:
		t.resets = append(t.resets, c)
	case ModifyTTL:
		t.ttls = append(t.ttls, c)
	case AddIndex, AddProjection:
		c.rank = rankIndex
		t.rest = append(t.rest, c)
	default:
		c.rank = rankComment
		t.rest = append(t.rest, c)
	}
}

func (t *tablePlan) addsProjection() bool {
	return slices.ContainsFunc(t.decisions, func(d Decision) bool { return d.Action == AddProjection })
}

// plan sends the statements in order: what others need first, then the metadata, TTLs last because they may read new
// columns. A statement never reads a column it adds.
func (t *tablePlan) plan() {
	t.statement(t.firstSetting, nil)
	t.statement(t.types, nil)
	for _, c := range t.proved {
		t.statement([]tableCommand{c}, t.proof(&t.decisions[c.decisions[0]]))
	}
	settings := foldSettings(t.settings, "MODIFY SETTING ")
	resets := foldSettings(t.resets, "RESET SETTING ")
	there := map[string]bool{} // new columns that a statement before adds
	rest := t.rest
	for first := true; len(rest) > 0; first = false {
		var now, later []tableCommand
		for _, c := range rest {
			if isSubset(c.reads, there) {
				now = append(now, c)
			} else {
				later = append(later, c)
			}
		}
		if len(now) == 0 {
			// Columns whose expressions read each other in a circle: the server says what is wrong with them.
			now, later = later, nil
		}
		now = t.placed(now)
		if first {
			// Everything behind SETTING belongs to it, so it ends the statement, and a statement has but one such end.
			if len(settings) > 0 {
				now, settings = append(now, settings...), nil
			} else {
				now, resets = append(now, resets...), nil
			}
		}
		t.statement(now, nil)
		for _, c := range now {
			there[c.adds] = true
		}
		rest = later
	}
	t.statement(settings, nil)
	t.statement(resets, nil)
	t.statement(t.ttls, nil)
}

// castQuery is [castQuery] of a decision's column.
func (t *tablePlan) castQuery(d *Decision) string {
	return castQuery(t.pair.Name, d.Change.Path.Name, d.Change.Live, d.Change.Desired)
}

// proof is what is asked before a column gets another type: whether it loses a value, or, where that is accepted, whether the
// statement can be carried out at all.
func (t *tablePlan) proof(d *Decision) *plan.Proof {
	proof := &plan.Proof{Path: d.Change.Path.String(), Note: proofNote, Accepted: d.Accepted}
	if d.Accepted {
		proof.Query, proof.Show = t.castQuery(d), castShowQuery(t.pair.Name, d.Change.Path.Name, d.Change.Live, d.Change.Desired)
		return proof
	}
	proof.Query = proofQuery(t.pair.Name, d.Change.Path.Name, d.Change.Live, d.Change.Desired)
	proof.Show = showQuery(t.pair.Name, d.Change.Path.Name, d.Change.Live, d.Change.Desired)
	return proof
}

func isSubset(a, b map[string]bool) bool {
	for name := range a {
		if !b[name] {
			return false
		}
	}
	return true
}

// placed gives the new columns of one statement their positions and orders the statement's commands.
func (t *tablePlan) placed(commands []tableCommand) []tableCommand {
	byName := map[string]tableCommand{}
	var names []string
	var others []tableCommand
	for _, c := range commands {
		if c.adds == "" {
			others = append(others, c)
			continue
		}
		byName[c.adds] = c
		names = append(names, c.adds)
	}
	placed := make([]tableCommand, 0, len(commands))
	for _, at := range placements(t.order, t.sides.desired.Columns, names) {
		c := byName[at.name]
		c.alterCommand = tableCommands(&t.sides, &t.decisions[c.decisions[0]].Change, at.clause)[0][0]
		placed = append(placed, c)
		t.order = insertColumn(t.order, at)
	}
	sort.SliceStable(others, func(i, j int) bool { return others[i].rank < others[j].rank })
	return append(placed, others...)
}

func insertColumn(order []string, at placement) []string {
	switch at.after {
	case placeLast:
		return append(order, at.name)
	case placeFirst:
		return slices.Insert(order, 0, at.name)
	}
	return slices.Insert(order, slices.Index(order, at.after)+1, at.name)
}

// foldSettings joins settings commands into one: the list behind the keyword.
func foldSettings(commands []tableCommand, keyword string) []tableCommand {
	if len(commands) < 2 {
		return commands
	}
	folded := commands[0]
	for _, c := range commands[1:] {
		folded.sql += ", " + strings.TrimPrefix(c.sql, keyword)
		folded.decisions = append(folded.decisions, c.decisions...)
	}
	return []tableCommand{folded}
}

func (t *tablePlan) statement(commands []tableCommand, proof *plan.Proof) {
	if len(commands) == 0 {
		return
	}
	alter := make([]alterCommand, len(commands))
	var decisions []int
	conditional := true
	for i, c := range commands {
		alter[i], decisions = c.alterCommand, append(decisions, c.decisions...)
		conditional = conditional && strings.Contains(c.sql, " IF NOT EXISTS ")
	}
	t.send(alterTable(t.pair.Name, alter), conditional, proof, decisions...)
}

// operatorStatement is what an operator can run for a change that the plan leaves alone; "" where ClickHouse has
// nothing for it.
func (t *tablePlan) operatorStatement(c *ast.Change) string {
	if c.CannotTell != "" {
		return ""
	}
	place := ""
	if c.Path.Part == "column" && c.Path.Attr == "" && c.Op == ast.Add {
		if t.extendsKey(c.Path.Name) {
			return t.sortingStatement()
		}
		place = t.sides.place(c.Path.Name)
	}
	var list []string
	for _, commands := range tableCommands(&t.sides, c, place) {
		list = append(list, alterTable(t.pair.Name, commands))
	}
	return joinStatements(list)
}

func (t *tablePlan) sortingStatement() string {
	var list []string
	for _, commands := range t.sides.sortingCommands() {
		list = append(list, alterTable(t.pair.Name, commands))
	}
	return joinStatements(list)
}

// extendsKey reports whether a new column is one with which the declared sorting key extends the live one.
func (t *tablePlan) extendsKey(name string) bool {
	commands := t.sides.sortingCommands()
	if len(commands) == 0 {
		return false
	}
	names := map[string]bool{}
	for _, element := range keyElements(t.sides.desired.OrderBy)[len(keyElements(t.sides.live.OrderBy)):] {
		identsOf(element, names)
	}
	return names[name]
}
