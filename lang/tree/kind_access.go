package tree

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/access"
	"github.com/dfe-engine/dfe/lang/ddl"
	"github.com/dfe-engine/dfe/lang/series"
)

// What the kinds that say who may do what have in common: recipients, settings with their bounds, rights.

// rightAttrs and rightBlocks are what a body takes that grants something to somebody.
var rightAttrs = []string{"roles", "admin_roles"}

func rightBlocks() map[string]int { return map[string]int{"grant": 0, "revoke": 0} }

var (
	rightShape   = shape{what: "a grant", attrs: []string{"privileges", "on", "grant_option"}}
	settingShape = shape{what: "a setting", attrs: []string{"value", "min", "max", "writability"}}
)

// rights reads grant and revoke blocks and the granted roles.
func (d *definition) rights() []ast.Right {
	var out []ast.Right
	for _, attr := range []string{"roles", "admin_roles"} {
		for _, t := range d.nameList(attr) {
			r := ast.Right{Role: t.value, Option: attr == "admin_roles"}
			out = append(out, r)
			d.declared.places.setText(ast.Path{Part: r.PartKind(), Name: r.PartName()}, t, nil)
		}
	}
	for _, block := range d.content.blocks {
		if block.Type == "grant" || block.Type == "revoke" {
			out = append(out, d.right(block)...)
		}
	}
	return out
}

// right reads one block: every privilege on every target. The words are ClickHouse's, and its parser reads them.
func (d *definition) right(block *hclsyntax.Block) []ast.Right {
	body := d.read(block.Body, block.DefRange(), rightShape)
	privileges := d.require(body, "privileges", `A grant names privileges, as in privileges = ["SELECT", "INSERT(id)"].`)
	on := d.require(body, "on", `A grant says on what, as in on = "shop.*"; on = "*.*" is everything.`)
	if privileges == nil || on == nil {
		return nil
	}
	words, _, ok1 := d.texts(privileges)
	targets, _, ok2 := d.texts(on)
	option := d.flag(body, "grant_option")
	if !ok1 || !ok2 {
		return nil
	}
	var out []ast.Right
	for _, target := range targets {
		for _, w := range words {
			out = append(out, d.parseRight(w, target, option, block.Type == "revoke")...)
		}
	}
	return out
}

func (d *definition) parseRight(privilege, target text, option, revoke bool) []ast.Right {
	const before, between, after = "GRANT ", " ON ", " TO x"
	sql := before + privilege.value + between + target.value + after
	st, err := access.Parse(sql)
	if err != nil {
		d.rightFault(err, privilege, target, len(before))
		return nil
	}
	g, ok := st.Object.(*ast.Grant)
	if !ok || len(g.To) != 1 || g.To[0] != "x" || st.Replace {
		d.fault(CodeValue, privilege.whole(), "Not a privilege", `A privilege is written as in ClickHouse, "SELECT" or "ALTER UPDATE(total)", and what it is on as "shop.orders".`)
		return nil
	}
	for i := range g.Rights {
		g.Rights[i].Option = option && !revoke
		g.Rights[i].Revoke = revoke
		if option && revoke {
			d.fault(CodeValue, privilege.whole(), "A revoke with grant_option", "What is revoked is revoked whole. Remove grant_option.")
		}
		path := ast.Path{Part: g.Rights[i].PartKind(), Name: g.Rights[i].PartName()}
		d.declared.places.setText(path, target, nil)
		d.declared.places.setText(ast.Path{Part: path.Part, Name: path.Name, Attr: "privilege"}, privilege, nil)
	}
	return g.Rights
}

// rightFault reports a fault of the statement that a privilege and its target make, in the text it stands in.
func (d *definition) rightFault(err error, privilege, target text, start int) {
	var at *ddl.Error
	if !errors.As(err, &at) {
		d.syntax(privilege, err, "privilege")
		return
	}
	moved, in, what := *at, privilege, "privilege"
	if moved.Offset -= start; moved.Offset > len(privilege.value) {
		moved.Offset -= len(privilege.value) + len(" ON ")
		in, what = target, "what a privilege is on"
	}
	moved.Offset = min(max(moved.Offset, 0), len(in.value))
	if moved.Found == "TO" {
		moved.Found = "the end of the text"
	}
	d.syntax(in, &moved, what)
}

// nameList reads a list of names of users, roles or profiles, in quotes as HCL has them.
func (d *definition) nameList(attr string) []text {
	list, _, ok := d.texts(d.content.attrs[attr])
	if !ok {
		return nil
	}
	for _, t := range list {
		if t.value == "" {
			d.fault(CodeName, t.whole(), "An empty name", "A user, a role or a profile has a name.")
		}
	}
	return list
}

func values(list []text) []string {
	var out []string
	for _, t := range list {
		out = append(out, t.value)
	}
	return out
}

// recipients reads to = ["a", "b"], to = "all" with to_except, or to = "none".
func (d *definition) recipients(attr, all string) *ast.Recipients {
	a := d.content.attrs[attr]
	except := d.nameList(attr + "_except")
	if a == nil {
		if len(except) > 0 {
			d.fault(CodeMissing, except[0].whole(), fmt.Sprintf("%s_except without %s", attr, attr), fmt.Sprintf("It takes some out of all: write %s = %q as well.", attr, all))
		}
		return nil
	}
	list, isList, ok := d.texts(a)
	if !ok {
		return nil
	}
	path := ast.Path{Part: attr}
	for _, t := range list {
		d.declared.places.setText(ast.Path{Part: attr, Name: t.value}, t, nil)
	}
	for _, t := range except {
		d.declared.places.setText(ast.Path{Part: attr, Name: t.value}, t, nil)
	}
	d.declared.places.setSpot(path, a.Expr.Range())
	if !isList && len(list) == 1 {
		switch list[0].value {
		case all:
			return &ast.Recipients{All: true, Except: values(except)}
		case "none":
			return &ast.Recipients{}
		}
	}
	if len(except) > 0 {
		d.fault(CodeValue, except[0].whole(), fmt.Sprintf("%s_except beside a list of names", attr), fmt.Sprintf("It takes some out of all: write %s = %q, or leave the names out of the list.", attr, all))
	}
	return &ast.Recipients{Names: values(list)}
}

// profileSettings reads settings = { name = value }, setting blocks with bounds, and the profiles that hold as well.
func (d *definition) profileSettings(profiles string) []ast.ProfileSetting {
	var out []ast.ProfileSetting
	for _, t := range d.nameList(profiles) {
		out = append(out, ast.ProfileSetting{Profile: t.value})
		d.declared.places.setText(ast.Path{Part: "inherit", Name: t.value}, t, nil)
	}
	path := func(name string) ast.Path { return ast.Path{Part: "setting", Name: name} }
	for _, s := range d.settings(d, d.content.attrs["settings"], path) {
		out = append(out, ast.ProfileSetting{Name: s.Name, Value: s.Value})
	}
	for _, block := range d.content.blocks {
		if block.Type != "setting" {
			continue
		}
		name := block.Labels[0]
		if slices.ContainsFunc(out, func(s ast.ProfileSetting) bool { return s.Name == name }) {
			d.fault(CodeDuplicate, block.LabelRanges[0], fmt.Sprintf("Setting %q is written twice", name), "A setting has one value and one set of bounds.")
			continue
		}
		d.declared.places.setSpot(path(name), block.LabelRanges[0])
		out = append(out, d.boundedSetting(block, name))
	}
	return out
}

func (d *definition) boundedSetting(block *hclsyntax.Block, name string) ast.ProfileSetting {
	body := d.read(block.Body, block.DefRange(), settingShape)
	s := ast.ProfileSetting{Name: name}
	for attr, into := range map[string]**ast.Node{"value": &s.Value, "min": &s.Min, "max": &s.Max} {
		a := body.attrs[attr]
		v, ok := d.given(a)
		if !ok {
			continue
		}
		if *into = settingNode(v); *into == nil {
			d.fault(CodeValue, a.Expr.Range(), fmt.Sprintf("Wrong value for %q", attr), "A setting is a number, a text or a bool; this is "+describe(v)+".")
		}
	}
	if a := body.attrs["writability"]; a != nil {
		t, _ := d.text(a)
		known := []string{"const", "writable", "changeable_in_readonly"}
		if !slices.Contains(known, t.value) {
			d.fault(CodeValue, a.Expr.Range(), fmt.Sprintf("Wrong value for %q", "writability"), "It is "+expected(known)+"."+suggest(t.value, known))
		} else {
			s.Writability = strings.ToUpper(t.value)
		}
	}
	if len(body.attrs) == 0 {
		d.fault(CodeMissing, block.DefRange(), "A setting that says nothing", "It has a value, min, max or writability.")
	}
	return s
}

// One definition of an access object as a .sql file is its CREATE statement and, of a role or a user, the GRANT and REVOKE
// statements that make up its rights. A grant is GRANT and REVOKE statements alone.
func (l *loader) accessStatements(k kind, d *Declared, src *source) {
	whole := text{value: string(src.bytes), source: src}
	d.places.file = whole
	list, err := access.ParseScript(whole.value)
	if err != nil {
		l.syntax(whole, err, "statement")
		return
	}
	want := fmt.Sprintf("A .sql definition of a %s is one statement, CREATE %s %s ...", k.name, sqlKind(k.name), ast.QuoteIdent(d.Name.Name))
	switch k.name {
	case ast.KindGrant:
		want = "A .sql definition of a grant is GRANT and REVOKE statements."
	case ast.KindRole, ast.KindUser:
		want += ", and GRANT and REVOKE statements for it behind that."
	case ast.KindRowPolicy:
		want = "A .sql definition of a row policy is one statement, CREATE ROW POLICY " + d.Name.Name + " ..."
	}
	if len(list) == 0 {
		l.fault(CodeStatement, whole.at(0, 0), "A definition without a statement", want)
		return
	}
	before := l.errors
	var object ast.Object
	if k.name == ast.KindGrant {
		object = &ast.Grant{Name: d.Name.Name}
	}
	for i, st := range list {
		at := whole.at(st.Offset, firstWord(whole.value[st.Offset:]))
		l.plainAccess(st, whole)
		switch grants := st.Verb == access.Grant || st.Verb == access.Revoke; {
		case grants && (i > 0 || k.name == ast.KindGrant):
			l.addRights(d, object, st, whole)
		case i == 0 && st.Verb == access.Create && st.Kind == k.name:
			object = st.Object
			if len(st.Names) != 1 || st.Names[0] != d.Name.Name {
				l.fault(CodeName, at, fmt.Sprintf("The statement defines %s", series.And(st.Names)),
					fmt.Sprintf("The manifest declares this file as %s, %s:%d. The two names have to agree.", d.Name, d.Entry.Filename, d.Entry.Start.Line))
			}
		default:
			l.fault(CodeStatement, at, "A statement that has no place here", want)
		}
	}
	if l.errors > before || object == nil {
		return
	}
	d.Object = withOrigin(object, ast.Origin{File: src.name, Line: 1, Column: 1})
}

// plainAccess refuses what the platform or the pass decides, and passwords.
func (l *loader) plainAccess(st access.Placed, whole text) {
	at := whole.at(st.Offset, firstWord(whole.value[st.Offset:]))
	switch {
	case st.HoldsPassword():
		l.literalSecret(at)
	case st.Cluster != "":
		l.fault(CodePlatform, at, "ON CLUSTER in a definition", "Where a statement runs is the platform's part. Remove ON CLUSTER.")
	case st.Storage != "":
		l.fault(CodePlatform, at, "A storage in a definition", "Where a server keeps its users is the server's part. Remove IN.")
	case st.Replace:
		l.fault(CodeStatement, at, "WITH REPLACE OPTION in a definition", "Whether a role has these rights and no others is said by exclusive = true in an .hcl definition. Remove the option.")
	case st.To != nil:
		l.fault(CodeStatement, at, "A revoke from everybody", "A definition says what one user or role has. Name it.")
	}
}

func (l *loader) addRights(d *Declared, object ast.Object, st access.Placed, whole text) {
	g := st.Object.(*ast.Grant)
	for _, r := range g.Rights {
		path := ast.Path{Part: r.PartKind(), Name: r.PartName()}
		d.places.setSpot(path, whole.at(st.Offset, firstWord(whole.value[st.Offset:])))
	}
	switch o := object.(type) {
	case *ast.Grant:
		for _, to := range g.To {
			if !slices.Contains(o.To, to) {
				o.To = append(o.To, to)
			}
			for _, r := range g.Rights {
				r.To = to
				o.Rights = append(o.Rights, r)
			}
		}
		return
	case *ast.Role:
		o.Rights = append(o.Rights, g.Rights...)
	case *ast.User:
		o.Rights = append(o.Rights, g.Rights...)
	}
	if len(g.To) != 1 || g.To[0] != d.Name.Name {
		l.fault(CodeName, whole.at(st.Offset, firstWord(whole.value[st.Offset:])), "A grant to somebody else",
			fmt.Sprintf("This file says what %s has. What others have stands in their own definitions, or in a grant of its own.", d.Name))
	}
}

func withOrigin(o ast.Object, origin ast.Origin) ast.Object {
	switch o := o.(type) {
	case *ast.Role:
		o.Origin = origin
	case *ast.User:
		o.Origin = origin
	case *ast.SettingsProfile:
		o.Origin = origin
	case *ast.Quota:
		o.Origin = origin
	case *ast.RowPolicy:
		o.Origin = origin
	case *ast.Grant:
		o.Origin = origin
	}
	return o
}
