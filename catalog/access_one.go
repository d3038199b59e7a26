package catalog

import (
	"context"
	"errors"

	"github.com/dfe-engine/dfe/ast"
)

// unknownAccess are ClickHouse's codes for an access object that is not there.
func unknownAccess(code int32) bool {
	switch code {
	case 180, // THERE_IS_NO_PROFILE
		192, // UNKNOWN_USER
		199, // UNKNOWN_QUOTA
		511, // UNKNOWN_ROLE
		523: // UNKNOWN_ROW_POLICY
		return true
	}
	return false
}

// readAccessObject reads the one access object that holds a name, in two queries at most, however many there are. The
// server prints it as SHOW ACCESS does (26.7, measured). It is nil where there is none.
func readAccessObject(ctx context.Context, c *Conn, kind ast.Kind, name ast.Name) (*Object, error) {
	a, err := readAccessRows(ctx, c, kind, name)
	switch {
	case err != nil || a == nil:
		return nil, err
	case a.Unreadable == nil && a.Find(kind, name) == nil && len(a.Opaque) > 0:
		return &Object{Kind: kind, Name: name, Text: a.Opaque[0].Text, Unreadable: a.Opaque[0].Unreadable}, nil
	}
	return a.Find(kind, name), nil
}

// readAccessRows reads what a server prints of one access object, nil where there is none.
func readAccessRows(ctx context.Context, c *Conn, kind ast.Kind, name ast.Name) (*Access, error) {
	var rows []string
	show := func(query string) (bool, error) {
		before := len(rows)
		err := c.Select(ctx, query, nil, func(scan func(...any) error) error {
			var text string
			err := scan(&text)
			rows = append(rows, text)
			return err
		})
		if e, answered := Exception(err); answered && unknownAccess(e.Code) {
			rows = rows[:before]
			return false, nil
		}
		return err == nil, err
	}
	kinds := []ast.Kind{kind}
	switch kind { // users and roles share one space of names
	case ast.KindUser:
		kinds = append(kinds, ast.KindRole)
	case ast.KindRole:
		kinds = append(kinds, ast.KindUser)
	}
	for _, k := range kinds {
		found, err := show("SHOW CREATE " + accessWords(k) + " " + accessName(k, name))
		if found && len(kinds) > 1 {
			found, err = show("SHOW GRANTS FOR " + ast.QuoteIdent(name.Name))
		}
		switch {
		case err != nil:
			return refusedAccess(err)
		case found:
			a := NewAccess(rows)
			return a, a.readSources(ctx, c)
		}
		rows = nil // dropped between the two questions, or never there
	}
	return nil, nil
}

// accessWords is the kind in a statement.
func accessWords(kind ast.Kind) string {
	for _, h := range heads {
		if h.kind == kind {
			return h.words[len("CREATE ") : len(h.words)-1]
		}
	}
	return ""
}

// accessName is the name in a statement. That of a row policy says its table.
func accessName(kind ast.Kind, name ast.Name) string {
	if kind == ast.KindRowPolicy {
		return name.Name
	}
	return ast.QuoteIdent(name.Name)
}

// refusedAccess is what a server's refusal to show access objects comes to: none of them can be read. Any other failure is
// an error.
func refusedAccess(err error) (*Access, error) {
	if answer, refused := Exception(err); refused && answer.Code == accessDenied {
		a := NewAccess(nil)
		a.Unreadable = errors.New("the server does not let access objects be read: " + ServerMessage(answer) + ": grant SHOW ACCESS ON *.* to the engine's user")
		return a, nil
	}
	return nil, &ReadError{"the access objects", err}
}

// Put sets what holds the name of a user, a role, a settings profile, a quota or a row policy; nil: nothing does.
func (a *Access) Put(kind ast.Kind, name ast.Name, o *Object) {
	key := accessKeyOf(kind, name.Name)
	if o == nil {
		delete(a.objects, key)
		return
	}
	a.objects[key] = o
}
