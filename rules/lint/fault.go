package lint

import (
	"github.com/hashicorp/hcl/v2"

	"github.com/dfe-engine/dfe/lang/tree"
)

// faultChecks gives each fault of the loader a code. Their details say why; the remedies are the general ones.
func faultChecks() []Check {
	fault := func(code Code, kind tree.Code, title, remedy string) Check {
		return Check{Code: code, Title: title, Severity: Error, Fixed: true, fault: kind, remedy: remedy}
	}
	checks := []Check{
		fault("DFE101", tree.CodeHCL, "text that is no HCL", "Correct the HCL at this place."),
		fault("DFE102", tree.CodeSyntax, "ClickHouse text that does not parse", "Correct the text at this place."),
		fault("DFE103", tree.CodeFile, "a file that cannot be read", "Correct the path, or put the file there."),
		fault("DFE104", tree.CodePath, "a path that leaves the tree", "Keep every file of a tree inside its directory."),
		fault("DFE105", tree.CodeLimit, "something beyond the limits", "Split what is too large, or nest it less."),
		fault("DFE106", tree.CodeUnknown, "a word the schema language does not have", "Use a word the place takes."),
		fault("DFE107", tree.CodeMissing, "something required that is absent", "State what is missing."),
		fault("DFE108", tree.CodeValue, "a value of the wrong kind", "Write a value the place takes."),
		fault("DFE109", tree.CodeName, "a name that cannot be, or contradicts the manifest", "Make the names agree."),
		fault("DFE110", tree.CodeDuplicate, "a name declared twice", "Keep one of the two, or give it another name."),
		fault("DFE111", tree.CodeVariable, "a variable without a usable value", "Give the variable a value that fits its type and rules."),
		fault("DFE112", tree.CodeInclude, "an include that cannot be followed", "Take the loop or the wrong name out of the include."),
		fault("DFE113", tree.CodeStatement, "a .sql file that is not one plain CREATE", "Write one CREATE statement of the declared kind."),
		fault("DFE114", tree.CodePlatform, "a definition that says what the platform decides", "Leave it out: each platform has its own."),
		fault("DFE115", tree.CodeOrder, "an object used before it is declared", "Move the entry it uses up in the manifest."),
		fault("DFE116", tree.CodeUndeclared, "an object used that nothing declares", "Declare it, before what uses it."),
		fault("DFE117", tree.CodeColumn, "a column that does not exist", "Correct the name, or declare the column."),
		fault("DFE118", tree.CodeType, "a type that does not exist", "Use a type ClickHouse has."),
		fault("DFE119", tree.CodeCodec, "a codec that cannot be", "Use a codec ClickHouse has, on a column that stores something."),
		fault("DFE120", tree.CodeEngine, "an engine that cannot be", "Use an engine ClickHouse has, with what it takes."),
		fault("DFE121", tree.CodeFunction, "a function that does not exist", "Use a function ClickHouse has, or declare it before."),
		fault("DFE122", tree.CodeSetting, "a setting that tables do not have", "Use a setting of MergeTree tables."),
		fault("DFE123", tree.CodeUnreadable, "a fragment that is not understood", "Write it in a way dfe reads, so that it is checked as well."),
		fault("DFE124", tree.CodeSecret, "a secret that stands in the tree", "Name where the secret comes from, and change the secret."),
		fault("DFE125", tree.CodeCycle, "objects that rest on each other", "Take one of the uses out of the circle."),
		fault(codeOther, "", "a fault of another kind", "Read the detail; it says what is wrong."),
	}
	for i := range checks {
		// The loader reports these two as warnings: a pass goes on, so their author may leave them.
		switch checks[i].Code {
		case "DFE123":
			checks[i].Severity, checks[i].Fixed = Warning, false
		case "DFE122":
			checks[i].Fixed = false
		}
	}
	return checks
}

// codeOther is the code of a fault that has none of its own, such as a failure of the loader itself.
const codeOther Code = "DFE199"

// faultFinding turns a diagnostic of the loader into a finding.
func faultFinding(d *hcl.Diagnostic) Finding {
	of := tree.CodeOf(d)
	var check Check
	for _, c := range faultChecks() {
		if c.fault == of || c.Code == codeOther {
			check = c
			break
		}
	}
	f := Finding{Code: check.Code, Severity: Error, Summary: d.Summary, Reason: d.Detail, Remedy: check.remedy}
	if d.Severity == hcl.DiagWarning {
		f.Severity = Warning
	}
	if d.Subject != nil {
		f.At = *d.Subject
	}
	return f
}
