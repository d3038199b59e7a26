package tokens

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/dfe-engine/dfe/lang/series"
)

// Parse reads the text of a file of tokens. Every fault is a diagnostic; none shows a value, which may be a secret in
// the wrong place: print them without their source.
func Parse(name string, text []byte) ([]*Token, hcl.Diagnostics) {
	file, diags := hclsyntax.ParseConfig(text, name, hcl.InitialPos)
	if diags.HasErrors() {
		return nil, bare(diags)
	}
	content, diags := file.Body.Content(&hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{{Type: "token", LabelNames: []string{"name"}}}})
	p := &parser{diags: bare(diags)}
	for _, block := range content.Blocks {
		p.token(block)
	}
	if p.diags.HasErrors() {
		return nil, p.diags
	}
	return p.tokens, nil
}

// bare are diagnostics without what was evaluated.
func bare(diags hcl.Diagnostics) hcl.Diagnostics {
	for _, d := range diags {
		d.Expression, d.EvalContext = nil, nil
	}
	return diags
}

type parser struct {
	tokens []*Token
	diags  hcl.Diagnostics
}

func (p *parser) fault(at hcl.Range, summary, detail string) {
	p.diags = append(p.diags, &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: detail, Subject: &at})
}

func (p *parser) token(block *hcl.Block) {
	content, diags := block.Body.Content(&hcl.BodySchema{Attributes: []hcl.AttributeSchema{
		{Name: "hash", Required: true}, {Name: "permissions", Required: true}, {Name: "organisations"},
	}})
	p.diags = append(p.diags, bare(diags)...)
	t := &Token{Name: block.Labels[0]}
	if t.Name == "" {
		p.fault(block.LabelRanges[0], "A token without a name", "Its name is the label of the block; the audit log calls it so.")
	}
	if slices.ContainsFunc(p.tokens, func(o *Token) bool { return o.Name == t.Name }) {
		p.fault(block.LabelRanges[0], fmt.Sprintf("Two tokens called %q", t.Name), "The audit log tells them apart by name. Rename one of them.")
	}
	if attr := content.Attributes["hash"]; attr != nil {
		p.hash(t, attr)
	}
	if attr := content.Attributes["permissions"]; attr != nil {
		p.permissions(t, attr)
	}
	if attr := content.Attributes["organisations"]; attr != nil {
		t.Organisations = p.texts(attr, "the ids of organisations")
		if len(t.Organisations) == 0 {
			p.fault(attr.Expr.Range(), "A token for no organisation", `"organisations" lists the only ones the token is good for. Leave it out for all.`)
		}
	}
	p.tokens = append(p.tokens, t)
}

func (p *parser) hash(t *Token, attr *hcl.Attribute) {
	var text string
	if diags := gohcl.DecodeExpression(attr.Expr, nil, &text); diags.HasErrors() {
		p.diags = append(p.diags, bare(diags)...)
		return
	}
	digits, ok := strings.CutPrefix(text, scheme)
	sum, err := hex.DecodeString(digits)
	switch {
	case strings.HasPrefix(text, prefix):
		p.fault(attr.Expr.Range(), "A token in place of its hash", `Whoever reads this file has it: make another one with "dfe token new".`)
	case !ok || err != nil || len(sum) != len(t.hash):
		p.fault(attr.Expr.Range(), "No hash", `It is "sha256:" and 64 hexadecimal digits, as "dfe token new" prints it.`)
	default:
		copy(t.hash[:], sum)
		if slices.ContainsFunc(p.tokens, func(o *Token) bool { return o.hash == t.hash }) {
			p.fault(attr.Expr.Range(), "One hash twice", "Each caller has a token of its own, so that the audit log tells them apart.")
		}
	}
}

func (p *parser) permissions(t *Token, attr *hcl.Attribute) {
	known := make([]string, 0, len(Permissions()))
	for _, k := range Permissions() {
		known = append(known, string(k))
	}
	list := p.texts(attr, strings.Join(known, ", "))
	for _, word := range list {
		if !slices.Contains(known, word) {
			p.fault(attr.Expr.Range(), "Unknown permission", "The permissions are "+series.And(known)+".")
			continue
		}
		t.Permissions = append(t.Permissions, Permission(word))
	}
	if len(list) == 0 {
		p.fault(attr.Expr.Range(), "A token that allows nothing", "It has at least one of "+series.And(known)+".")
	}
}

func (p *parser) texts(attr *hcl.Attribute, what string) []string {
	list := []string{}
	if diags := gohcl.DecodeExpression(attr.Expr, nil, &list); diags.HasErrors() {
		p.fault(attr.Expr.Range(), fmt.Sprintf("Wrong value for %q", attr.Name), "It is a list of texts: "+what+".")
		return []string{}
	}
	return list
}

// Block writes the entry of a token for a file.
func Block(name, hash string, permissions []Permission, organisations []string) []byte {
	f := hclwrite.NewEmptyFile()
	body := f.Body().AppendNewBlock("token", []string{name}).Body()
	body.SetAttributeValue("hash", cty.StringVal(hash))
	words := make([]cty.Value, len(permissions))
	for i, p := range permissions {
		words[i] = cty.StringVal(string(p))
	}
	body.SetAttributeValue("permissions", cty.TupleVal(words))
	if len(organisations) > 0 {
		ids := make([]cty.Value, len(organisations))
		for i, id := range organisations {
			ids[i] = cty.StringVal(id)
		}
		body.SetAttributeValue("organisations", cty.TupleVal(ids))
	}
	return bytes.TrimLeft(hclwrite.Format(f.Bytes()), "\n")
}
