package tree

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/ddl"
)

// statement reads a .sql definition: one plain CREATE statement of the declared kind and name. IF NOT EXISTS and OR
// REPLACE say how a statement would run, not what it defines, and are passed over: no pass sends it as it stands.
func (l *loader) statement(k kind, d *Declared, src *source) {
	whole := text{value: string(src.bytes), source: src}
	d.places.file = whole
	list, err := ddl.ParseScript(whole.value)
	if err != nil {
		l.syntax(whole, err, "statement")
		return
	}
	want := fmt.Sprintf("A .sql definition of a %s is one statement, CREATE %s %s ...", k.name, sqlKind(k.name), d.Name.SQL())
	switch {
	case len(list) == 0:
		l.fault(CodeStatement, whole.at(0, 0), "A definition without a statement", want)
		return
	case len(list) > 1:
		l.fault(CodeStatement, whole.at(list[1].Pos, 1), "More than one statement", want+" Move the second into a file and a manifest entry of its own.")
		return
	}
	st := list[0]
	if st.Err != nil {
		l.syntax(whole, st.Err, "statement")
		return
	}
	if st.Object == nil || st.Attach {
		l.fault(CodeStatement, whole.at(st.Pos, firstWord(st.Text)), "Not a CREATE statement", want)
		return
	}
	origin := whole.at(st.Pos, 0).Start
	given := st.Object.ID()
	if !l.statementFits(k, d, whole, st) {
		return
	}
	if !k.statement(st.Object, d.Name, ast.Origin{File: src.name, Line: origin.Line, Column: origin.Column}) {
		l.fault(CodeStatement, whole.at(st.Pos, firstWord(st.Text)), fmt.Sprintf("The statement defines a %s", st.Object.Kind()),
			fmt.Sprintf("The manifest declares %s as a %s, %s:%d. Change one of the two.", d.Name, k.name, d.Entry.Filename, d.Entry.Start.Line))
		return
	}
	if given.Name != d.Name.Name || given.Database != "" && given.Database != d.Name.Database {
		l.fault(CodeName, mention(whole, st, given.Name), fmt.Sprintf("The statement defines %s", given),
			fmt.Sprintf("The manifest declares this file as %s, %s:%d. The two names have to agree; the statement may leave the database out.", d.Name, d.Entry.Filename, d.Entry.Start.Line))
	}
	for _, u := range st.Unreadable {
		l.warn(CodeUnreadable, whole.at(u.Offset, foundLength(whole.value, u)), "A fragment that is not understood",
			fmt.Sprintf("Found %s; expected %s. The fragment is kept and compared word by word, and nothing inside it is checked.", u.Found, u.Expected))
	}
	d.Object = st.Object
}

var onCluster = regexp.MustCompile(`(?i)\bON\s+CLUSTER\b`)

// statementFits refuses what has no place in a definition, because the platform or the pass decides it.
func (l *loader) statementFits(k kind, d *Declared, whole text, st ddl.Statement) bool {
	before := l.errors
	at := func(word string) hcl.Range { return mention(whole, st, word) }
	if st.Cluster != "" {
		spot := whole.at(st.Pos, 1)
		if m := onCluster.FindStringIndex(st.Text); m != nil {
			spot = whole.at(st.Pos+m[0], m[1]-m[0])
		}
		l.fault(CodePlatform, spot, "ON CLUSTER in a definition",
			"Where a statement runs is the platform's part: the database replicates what is created in it. Remove ON CLUSTER.")
	}
	if st.UUID != "" {
		l.fault(CodeStatement, at("UUID"), "A UUID in a definition", "A server gives each object its UUID. Remove it.")
	}
	if st.Temporary {
		l.fault(CodeStatement, at("TEMPORARY"), "A temporary object", "It would end with the session that created it. Remove TEMPORARY.")
	}
	if m, ok := st.Object.(*ast.MaterializedView); ok && m.Populate {
		l.fault(CodeStatement, at("POPULATE"), "POPULATE in a definition",
			"Rows inserted while it runs are lost to the view, and a pass that runs again does not fill it. Remove it; fill the view by an INSERT of your own.")
	}
	return l.errors == before
}

// mention is the place of a word in a statement; of its first word where the word is not found.
func mention(whole text, st ddl.Statement, word string) hcl.Range {
	if i := strings.Index(strings.ToUpper(st.Text), strings.ToUpper(word)); i >= 0 && word != "" && len(strings.ToUpper(st.Text)) == len(st.Text) {
		return whole.at(st.Pos+i, len(word))
	}
	return whole.at(st.Pos, firstWord(st.Text))
}

func firstWord(s string) int {
	if i := strings.IndexAny(s, " \t\r\n("); i > 0 {
		return i
	}
	return max(1, min(len(s), 1))
}

func sqlKind(k ast.Kind) string { return strings.ToUpper(strings.ReplaceAll(string(k), "_", " ")) }
