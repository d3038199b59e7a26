package facts

import (
	"slices"
	"sort"
	"strings"
	"sync"
)

// Privilege is a row of system.privileges.
type Privilege struct {
	Name string
	// Level is the narrowest thing it can be granted on: GLOBAL, DATABASE, TABLE, VIEW, DICTIONARY, COLUMN,
	// NAMED_COLLECTION, USER_NAME, TABLE_ENGINE, DEFINER, SOURCE; empty for a mere group of others.
	Level string
	// Parent is the privilege this one is a part of; empty for the topmost.
	Parent string
}

// FindPrivilege returns a privilege by its name or an alias, in any case.
func FindPrivilege(s string) (Privilege, bool) {
	n, ok := find(privilegeNames[:], strings.ToUpper(s))
	if !ok {
		return Privilege{}, false
	}
	return privilege(n.value), true
}

func privilege(name string) Privilege {
	i := sort.Search(len(privileges), func(i int) bool { return privileges[i].Name >= name })
	if i < len(privileges) && privileges[i].Name == name {
		return privileges[i]
	}
	return Privilege{}
}

// PrivilegeNames returns the names of all privileges and their aliases, in upper case.
func PrivilegeNames() []string {
	names := make([]string, len(privilegeNames))
	for i, n := range privilegeNames {
		names[i] = n.key
	}
	return names
}

// PrivilegeParts returns the privileges that a privilege consists of and that can be granted alone, itself among them
// where it is no mere group. The slice is everybody's: it is not to be changed.
func PrivilegeParts(name string) []Privilege { return privilegeParts()[name] }

// privilegeParts has each privilege among the parts of all it is in.
var privilegeParts = sync.OnceValue(func() map[string][]Privilege {
	parts := map[string][]Privilege{}
	for _, p := range privileges {
		if p.Level == "" {
			continue
		}
		for at := p; at.Name != ""; at = privilege(at.Parent) {
			parts[at.Name] = append(parts[at.Name], p)
		}
	}
	return parts
})

// AccessSource reports whether s is a source that READ and WRITE are granted on. A source is also a privilege of its
// own, which is both (case S93).
func AccessSource(s string) bool { return slices.Contains(accessSources[:], s) }

// AccessSources returns these sources.
func AccessSources() []string { return slices.Clone(accessSources[:]) }
