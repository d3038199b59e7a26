package rehearsal

import (
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/canon"
	"github.com/dfe-engine/dfe/lang/facts"
	"github.com/dfe-engine/dfe/lang/series"
)

// costume is what an object wears on the server and not on the stage. It is put on again before the two are compared.
type costume struct {
	engine *ast.Engine // of a table or a database; of a materialized view, its inner table's
	// settings that only the server knows or can keep.
	settings []ast.Setting
	ttl      *ast.Node // with the rules that move parts; nil where there are none
	security ast.Security
}

// plain returns the object as one server without Keeper, disks and users of its own can have it, and what it took off.
func plain(o ast.Object) (ast.Object, costume) {
	switch o := o.(type) {
	case *ast.Database:
		if o.Engine != nil && o.Engine.Name != "Atomic" && o.Engine.Name != "Replicated" && o.Engine.Name != "Shared" {
			return o, costume{}
		}
		naked := *o
		naked.Engine, naked.Settings = &ast.Engine{Name: "Atomic"}, nil
		return &naked, costume{engine: o.Engine, settings: o.Settings}
	case *ast.Table:
		return plainTable(o)
	case *ast.View:
		if foreign(o.Security) {
			naked := *o
			naked.Security = ast.Security{}
			return &naked, costume{security: o.Security}
		}
	case *ast.MaterializedView:
		naked, off := *o, costume{}
		if foreign(o.Security) {
			naked.Security, off.security = ast.Security{}, o.Security
		}
		if o.Inner != nil {
			inner, of := plainTable(o.Inner)
			naked.Inner = inner.(*ast.Table)
			off.engine, off.settings, off.ttl = of.engine, of.settings, of.ttl
		}
		return &naked, off
	}
	return o, costume{}
}

func plainTable(t *ast.Table) (ast.Object, costume) {
	naked, off := *t, costume{}
	if t.Engine != nil {
		// The canonical form tells the family from its replication.
		engine := canon.Object(&ast.Table{Name: t.Name, Engine: t.Engine}, canon.Env{}).(*ast.Table).Engine
		if engine.Replication != "" {
			naked.Engine, off.engine = &ast.Engine{Name: engine.Name, Args: engine.Args, HasParens: len(engine.Args) > 0}, t.Engine
		}
	}
	if naked.Engine != nil && strings.HasSuffix(naked.Engine.Name, "MergeTree") {
		naked.Settings = nil
		for _, s := range t.Settings {
			if _, known := facts.MergeTreeSetting(s.Name); known && !ofStorage(s.Name) {
				naked.Settings = append(naked.Settings, s)
			} else {
				off.settings = append(off.settings, s)
			}
		}
	}
	if slices.ContainsFunc(ttlRules(t.TTL), moves) {
		off.ttl = t.TTL
		naked.TTL = nil
		if left := slices.DeleteFunc(slices.Clone(ttlRules(t.TTL)), moves); len(left) > 0 {
			naked.TTL = ast.N(ast.List, "", left...)
		}
	}
	return &naked, off
}

// ofStorage are the settings that name what the configuration of a server has.
func ofStorage(setting string) bool {
	return setting == "storage_policy" || setting == "disk" || setting == "table_disk"
}

func ttlRules(ttl *ast.Node) []*ast.Node {
	if ttl == nil {
		return nil
	}
	if ttl.Kind != ast.List {
		return []*ast.Node{ttl}
	}
	return ttl.Kids
}

// moves reports a TTL rule that moves parts to a disk or a volume.
func moves(rule *ast.Node) bool {
	return rule.Kind == ast.Clause && strings.HasPrefix(rule.Text, "TO ")
}

// foreign reports a definer that is a user of the server.
func foreign(s ast.Security) bool {
	return s.Definer != "" && s.Definer != "CURRENT_USER" && s.Definer != "default"
}

// on puts the costume on an object that was read from the stage.
func (c costume) on(o ast.Object) ast.Object {
	switch o := o.(type) {
	case *ast.Database:
		worn := *o
		if c.engine != nil {
			worn.Engine = c.engine
		}
		worn.Settings = append(slices.Clone(o.Settings), c.settings...)
		return &worn
	case *ast.Table:
		return c.onTable(o)
	case *ast.View:
		worn := *o
		if c.security != (ast.Security{}) {
			worn.Security = c.security
		}
		return &worn
	case *ast.MaterializedView:
		worn := *o
		if c.security != (ast.Security{}) {
			worn.Security = c.security
		}
		if o.Inner != nil {
			worn.Inner = c.onTable(o.Inner)
		}
		return &worn
	}
	return o
}

func (c costume) onTable(t *ast.Table) *ast.Table {
	worn := *t
	if c.engine != nil {
		worn.Engine = c.engine
	}
	if c.ttl != nil {
		worn.TTL = c.ttl
	}
	worn.Settings = append(slices.Clone(t.Settings), c.settings...)
	return &worn
}

// without says what an object is created without; "" for what is no loss to a rehearsal.
func (c costume) without() string {
	var parts []string
	if c.security.Definer != "" {
		parts = append(parts, "its definer "+c.security.Definer)
	}
	for _, s := range c.settings {
		parts = append(parts, "its setting "+s.Name)
	}
	if c.ttl != nil {
		parts = append(parts, "the TTL rules that move parts")
	}
	if len(parts) == 0 {
		return ""
	}
	return "played without " + series.And(parts)
}
