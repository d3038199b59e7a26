package tree

import (
	"fmt"
	"path"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// instance is one object of a manifest entry: the entry itself, or one element of its for_each.
type instance struct {
	key   string
	names map[string]cty.Value
}

// entry reads one block of the manifest and the definitions it declares.
func (l *loader) entry(k kind, block *hclsyntax.Block) {
	s := shape{what: "a manifest entry of kind " + string(k.name), attrs: []string{"name", "for_each"}}
	if k.inline {
		s.attrs = append(s.attrs, k.shape.attrs...)
		s.blocks = k.shape.blocks
	} else {
		s.attrs = append(s.attrs, "from")
	}
	body := l.read(block.Body, block.DefRange(), s)
	for _, inst := range l.instances(k, block, body) {
		if len(l.tree.Objects) >= l.limits.Objects {
			l.fault(CodeLimit, block.DefRange(), "Too many objects", fmt.Sprintf("A tree declares at most %d objects.", l.limits.Objects))
			return
		}
		l.declare(k, block, body, inst)
	}
}

// instances evaluates for_each: a map gives each.key and each.value, a set gives its element as both.
func (l *loader) instances(k kind, block *hclsyntax.Block, body content) []instance {
	attr := body.attrs["for_each"]
	if attr == nil {
		return []instance{{}}
	}
	if body.attrs["name"] == nil {
		l.fault(CodeMissing, block.DefRange(), `Missing attribute "name"`,
			fmt.Sprintf("With for_each the label %q stands for several objects, and each needs a name of its own, as in name = \"otel.logs_${each.key}\".", block.Labels[0]))
		return nil
	}
	s := l.scope(l.manifest, nil)
	v, ok := s.value(attr.Expr)
	if !ok {
		return nil
	}
	v, _ = v.UnmarkDeep()
	typ := v.Type()
	switch {
	case v.IsNull() || !(typ.IsMapType() || typ.IsObjectType() || typ.IsSetType()):
		advice := ""
		if typ.IsListType() || typ.IsTupleType() {
			advice = " Write toset([...]) for a list of names."
		}
		l.fault(CodeValue, attr.Expr.Range(), "Wrong value for for_each", "for_each takes a map or a set of texts; this is "+describe(v)+"."+advice)
		return nil
	case v.LengthInt() > l.limits.Objects:
		l.fault(CodeLimit, attr.Expr.Range(), "Too many objects", fmt.Sprintf("A tree declares at most %d objects.", l.limits.Objects))
		return nil
	}
	var out []instance
	for it := v.ElementIterator(); it.Next(); {
		key, value := it.Element()
		if typ.IsSetType() {
			key = value
		}
		text, isText := stringOf(key)
		if !isText {
			l.fault(CodeValue, attr.Expr.Range(), "Wrong value for for_each", "A set for for_each has texts as its elements; one of these is "+describe(key)+".")
			return nil
		}
		each := cty.ObjectVal(map[string]cty.Value{"key": cty.StringVal(text), "value": value})
		out = append(out, instance{key: text, names: map[string]cty.Value{"each": each}})
	}
	return out
}

// declare reads one object and adds it to the tree.
func (l *loader) declare(k kind, block *hclsyntax.Block, body content, inst instance) {
	at := block.LabelRanges[0]
	label := block.Labels[0]
	s := l.scope(l.manifest, inst.names)
	if attr := body.attrs["name"]; attr != nil {
		t, ok := s.text(attr)
		if !ok {
			return
		}
		label, at = t.value, attr.Expr.Range()
	}
	name, err := k.parse(label)
	if err != nil {
		l.fault(CodeName, at, fmt.Sprintf("Invalid name of a %s: %q", k.name, label), fmt.Sprintf("The name of a %s: %v.", k.name, err))
		return
	}
	if first := l.tree.Find(k.name, name); first != nil {
		l.fault(CodeDuplicate, at, fmt.Sprintf("%s is declared twice", name),
			fmt.Sprintf("It is already the %s declared at %s:%d. A name belongs to one object.", first.Kind, first.Entry.Filename, first.Entry.Start.Line))
		return
	}
	if first := l.opts.Base.Find(k.name, name); first != nil {
		l.refuse(&Declared{Kind: k.name, Name: name}, CodeDuplicate, at, fmt.Sprintf("%s belongs to the core release", name),
			"An overlay adds objects and changes none of the release it is laid over. Give the object another name.")
		return
	}
	d := &Declared{Kind: k.name, Name: name, File: l.manifest.name, Entry: at, Key: inst.key, places: places{entry: at}}
	l.tree.Objects = append(l.tree.Objects, d)
	l.tree.byName[keyOf(k.name, name)] = d

	self := cty.ObjectVal(map[string]cty.Value{"database": cty.StringVal(name.Database), "name": cty.StringVal(name.Name)})
	names := map[string]cty.Value{"self": self}
	for n, v := range inst.names {
		names[n] = v
	}
	before := l.errors
	if k.inline {
		def := &definition{scope: l.scope(l.manifest, names), loader: l, kind: k, declared: d, content: body}
		def.build()
	} else if attr := l.require(body, "from", fmt.Sprintf("The entry of a %s names its definition file, as in from = \"tables/%s.hcl\".", k.name, name.Name)); attr != nil {
		l.fromFile(k, d, attr, s, names)
	} else {
		d.Broken = true
	}
	d.Broken = d.Broken || d.Object == nil || l.errors > before
}

// fromFile reads the definition an entry points to.
func (l *loader) fromFile(k kind, d *Declared, attr *hclsyntax.Attribute, s *scope, names map[string]cty.Value) {
	from, ok := s.text(attr)
	if !ok {
		d.Broken = true
		return
	}
	if bad := l.foreignFile(from.value); bad != nil {
		l.badFile(d, attr.Expr.Range(), bad)
		return
	}
	switch ext := path.Ext(from.value); ext {
	case ".hcl":
		src, good, bad := l.files.hclBody(from.value, l.faults)
		if bad != nil {
			l.badFile(d, attr.Expr.Range(), bad)
			return
		}
		d.File = src.name
		if !good {
			d.Broken = true
			return
		}
		at := src.span(0, 0)
		def := &definition{scope: l.scope(src, names), loader: l, kind: k, declared: d}
		def.content = l.read(src.body, at, k.shape)
		def.build()
	case ".sql":
		if k.statement == nil && k.sql == nil {
			l.fault(CodeFile, attr.Expr.Range(), fmt.Sprintf("A %s has no statement", k.name),
				fmt.Sprintf("ClickHouse has no CREATE for a %s: define it in a .hcl file.", k.name))
			return
		}
		src, bad := l.files.read(from.value)
		if bad != nil {
			l.badFile(d, attr.Expr.Range(), bad)
			return
		}
		d.File = src.name
		if k.sql != nil {
			k.sql(l, k, d, src)
			return
		}
		l.statement(k, d, src)
	default:
		l.fault(CodeFile, attr.Expr.Range(), "Unknown kind of definition file",
			fmt.Sprintf("%q ends in neither .hcl (structure) nor .sql (one CREATE statement).", from.value))
	}
}
