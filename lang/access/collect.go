package access

import "github.com/dfe-engine/dfe/ast"

// Collect makes objects of statements: what CREATE defines, with the rights that GRANT and REVOKE give to the roles and
// users among them. Statements about anything else are left out.
func Collect(list []*Statement) []ast.Object {
	var objects []ast.Object
	holders := map[string]ast.Object{}
	for _, st := range list {
		switch st.Verb {
		case Create:
			objects = append(objects, st.Object)
			if st.Kind == ast.KindRole || st.Kind == ast.KindUser {
				holders[st.Names[0]] = st.Object
			}
		case Grant, Revoke:
			g := st.Object.(*ast.Grant)
			for _, to := range g.To {
				switch o := holders[to].(type) {
				case *ast.Role:
					o.Rights = append(o.Rights, g.Rights...)
				case *ast.User:
					o.Rights = append(o.Rights, g.Rights...)
				}
			}
		}
	}
	return objects
}
