package access

import (
	"github.com/dfe-engine/dfe/ast"
)

// Verb is what a statement does.
type Verb string

// The verbs.
const (
	Create Verb = "CREATE"
	Alter  Verb = "ALTER"
	Drop   Verb = "DROP"
	Grant  Verb = "GRANT"
	Revoke Verb = "REVOKE"
)

// Statement is one statement of access.
type Statement struct {
	Verb Verb
	Kind ast.Kind
	// Object is what the statement defines or, of an ALTER, the clauses it has; a [*ast.Grant] without a name for GRANT and
	// REVOKE; nil for DROP. It has the first of Names.
	Object ast.Object
	// Names are all objects the statement is about; of row policies as [ast.RowPolicyName] has them.
	Names []string
	// Policies are the short name and the table of each of Names, of row policies.
	Policies []PolicyName

	OrReplace, IfNotExists, IfExists bool
	Cluster, Storage, NewName        string

	// Steps are the changes of settings an ALTER spells out.
	Steps []SettingStep
	// Auth says how an ALTER USER takes the authentication: "" replaces, ADD adds, RESET keeps the newest.
	Auth string
	// HostStep is ADD or DROP where ALTER USER HOST does not replace.
	HostStep string
	// Written names the clauses the statement has: "settings", "authentication", "hosts", "valid_until", "default_roles",
	// "default_database", "grantees", "to", "key", "intervals", "filter", "as".
	Written map[string]bool

	// To of a GRANT or REVOKE that is for all but some; Object's To is then empty.
	To *ast.Recipients
	// Replace is WITH REPLACE OPTION: ReplaceRoles for roles, ReplaceRights for privileges.
	Replace bool

	// passwords are the literals of the authentication, by its place.
	passwords map[int]string
}

// PolicyName is a row policy's name in two parts.
type PolicyName struct {
	Short string
	Table ast.Name
}

// SettingStep is one step of an ALTER over settings.
type SettingStep struct {
	// Op is "drop all settings", "drop all profiles", "drop setting", "drop profile", "add", "modify".
	Op      string
	Setting ast.ProfileSetting
}

// Password returns the literal value the i-th authentication of the statement holds. It is for a server that has to keep
// it, and for nobody who prints.
func (s *Statement) Password(i int) (string, bool) {
	p, ok := s.passwords[i]
	return p, ok
}

// HoldsPassword reports whether the statement holds the value of a secret.
func (s *Statement) HoldsPassword() bool { return len(s.passwords) > 0 }
