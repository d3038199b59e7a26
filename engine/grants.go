package engine

import (
	"context"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/grants"
	"github.com/dfe-engine/dfe/rules"
)

// Needed are the grants the engine's own user needs for the schema. Its JSON form is a contract.
type Needed struct {
	Version  int    `json:"version"`
	User     string `json:"user"`
	Platform string `json:"platform"`
	// Asked says that the server was asked whether the user has them.
	Asked  bool          `json:"asked"`
	Grants []NeededGrant `json:"grants"`
}

// NeededGrant is one statement for an administrator.
type NeededGrant struct {
	Statement string `json:"statement"`
	Why       string `json:"why"`
	// Missing is true where the server was asked and the user lacks it.
	Missing bool `json:"missing"`
}

// Missing counts the grants that the user lacks.
func (n *Needed) Missing() int {
	missing := 0
	for _, g := range n.Grants {
		if g.Missing {
			missing++
		}
	}
	return missing
}

// Grants lists the grants that the user of this engine's target needs, and asks the server which of them are missing.
func (e *Engine) Grants(ctx context.Context) (*Needed, error) {
	s, err := e.resolve()
	if err != nil {
		return nil, err
	}
	conn, err := e.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer e.disconnect(ctx, conn, "grants read")
	facts, err := catalog.ReadFacts(ctx, conn)
	if err != nil {
		return nil, err
	}
	user, err := grants.User(ctx, conn)
	if err != nil {
		return nil, err
	}
	p := e.platform(facts)
	missing, err := grants.Missing(ctx, conn, s.grants(p))
	if err != nil {
		return nil, err
	}
	n := s.needed(user, p)
	n.Asked = true
	for _, g := range missing {
		for i := range n.Grants {
			n.Grants[i].Missing = n.Grants[i].Missing || n.Grants[i].Statement == g.SQL(user)
		}
	}
	return n, nil
}

// GrantsFor lists the grants that a user needs on a platform. No server is asked.
func (e *Engine) GrantsFor(user string, p rules.Platform) (*Needed, error) {
	s, err := e.resolve()
	if err != nil {
		return nil, err
	}
	return s.needed(user, p), nil
}

func (s *schema) needed(user string, p rules.Platform) *Needed {
	n := &Needed{Version: 1, User: user, Platform: string(p), Grants: []NeededGrant{}}
	for _, g := range s.grants(p) {
		n.Grants = append(n.Grants, NeededGrant{Statement: g.SQL(user), Why: g.Why})
	}
	return n
}

func (s *schema) grants(p rules.Platform) []grants.Grant {
	objects := make([]ast.Object, 0, len(s.objects))
	for _, d := range s.objects {
		objects = append(objects, d.Object)
	}
	return append(grants.Required(s.databases(), s.kinds(), p), grants.PassedOn(objects)...)
}

// kinds are those of the declared objects.
func (s *schema) kinds() map[ast.Kind]bool {
	found := map[ast.Kind]bool{}
	for _, d := range s.objects {
		found[d.Kind] = true
	}
	return found
}

// checkGrants names what the engine's user is not allowed, before anything is sent. A server that cannot be asked is
// left to answer each statement.
func (p *pass) checkGrants(ctx context.Context) error {
	missing, err := grants.Missing(ctx, p.conn, p.schema.grants(p.platform))
	if _, answered := catalog.Exception(err); answered {
		p.e.log.WarnContext(ctx, "the server does not say what its user may do", "error", err.Error())
		return nil
	}
	if err != nil || len(missing) == 0 {
		return err
	}
	user, err := grants.User(ctx, p.conn)
	if err != nil {
		return err
	}
	return &grants.MissingError{User: user, Missing: missing}
}
