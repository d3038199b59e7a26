package sources

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/gocty"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/lang/ident"
	"github.com/dfe-engine/dfe/lang/regular"
	"github.com/dfe-engine/dfe/lang/series"
	"github.com/dfe-engine/dfe/lang/tree"
)

const (
	// configLimit bounds a config, in bytes: a table of many thousand columns is smaller.
	configLimit = 1 << 20
	// daysLimit bounds a TTL, in days: a hundred years.
	daysLimit = 36500
	// partitionsLimit bounds the partitions of a topic: more is a matter for whoever runs the bus.
	partitionsLimit = 1000
	usualPartitions = 3
)

// Limit bounds a config, in bytes.
func Limit() int64 { return configLimit }

// Config is what an operator says of a data source.
type Config struct {
	ID, Organisation, Profile string
	// Title is what the source is, for people; empty: its ids.
	Title string
	// Keys are the columns that tell rows apart.
	Keys []string
	// TTLDays is how long rows are kept; 0: for ever.
	TTLDays int
	Views   []string
	// Partitions is the number of partitions of each of the source's topics.
	Partitions int

	file *hcl.File
	name string
	body *hclsyntax.Body
	// own are the columns that the config declares, profile those that it has by its profile.
	own, profile []column
	diags        hcl.Diagnostics
}

// column is a column by its name, and whether a query can ask for it.
type column struct {
	name               string
	ephemeral, virtual bool
	at                 hcl.Range
}

// Load reads the config in a file. The error is an [engine.TreeError] where the config has a fault.
func Load(path string) (*Config, error) {
	text, err := regular.Read(path, configLimit)
	if err != nil {
		return nil, err
	}
	return Parse(path, text)
}

// Parse reads a config; name is what its faults call it. The error is an [engine.TreeError].
func Parse(name string, text []byte) (*Config, error) {
	c := &Config{name: name, file: &hcl.File{Bytes: text}}
	if len(text) > configLimit {
		c.add(hcl.Range{Filename: name}, "A config is too large", fmt.Sprintf("It has at most %d bytes.", configLimit))
		return nil, c.fault()
	}
	if deep := tree.CheckNesting(name, text); deep != nil {
		c.diags = append(c.diags, deep)
		return nil, c.fault()
	}
	parsed, diags := hclsyntax.ParseConfig(text, name, hcl.InitialPos)
	c.diags = append(c.diags, diags...)
	body, isNative := parsed.Body.(*hclsyntax.Body)
	if !diags.HasErrors() && isNative {
		c.body = body
		c.read()
	}
	if c.diags.HasErrors() {
		return nil, c.fault()
	}
	return c, nil
}

// fault is all that is wrong.
func (c *Config) fault() error {
	return &engine.TreeError{What: "the source config", Files: map[string]*hcl.File{c.name: c.file}, Diags: tree.Bounded(c.diags)}
}

func (c *Config) add(at hcl.Range, summary, detail string) {
	c.diags = append(c.diags, &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: detail, Subject: &at, Extra: tree.CodeValue})
}

func configSchema() *hcl.BodySchema {
	return &hcl.BodySchema{
		Attributes: []hcl.AttributeSchema{
			{Name: "id", Required: true}, {Name: "organisation", Required: true}, {Name: "profile", Required: true},
			{Name: "title"}, {Name: "keys"}, {Name: "ttl_days"}, {Name: "views"}, {Name: "partitions"},
		},
		Blocks: []hcl.BlockHeaderSchema{{Type: "column", LabelNames: []string{"name"}}, {Type: "index", LabelNames: []string{"name"}}},
	}
}

// views are the standard views, all of which a source has that names none.
func views() []string { return []string{"latest", "errors", "daily_volume"} }

// profiles are what a source's table can be.
func profiles() []string { return []string{"minimal", "timeseries", "passthrough"} }

func (c *Config) read() {
	content, diags := c.body.Content(configSchema())
	c.diags = append(c.diags, diags...)
	attrs := content.Attributes
	c.id(attrs["id"], &c.ID)
	c.id(attrs["organisation"], &c.Organisation)
	c.text(attrs["profile"], &c.Profile)
	c.text(attrs["title"], &c.Title)
	c.Keys = c.texts(attrs["keys"], nil)
	c.Views = c.texts(attrs["views"], views())
	c.TTLDays = c.number(attrs["ttl_days"], 0, daysLimit, 0, fmt.Sprintf("It is a whole number of days from 1 to %d; 0, or leaving it out, keeps rows for ever.", daysLimit))
	c.Partitions = c.number(attrs["partitions"], 1, partitionsLimit, usualPartitions, fmt.Sprintf("It is a whole number of partitions from 1 to %d, of each topic.", partitionsLimit))
	c.oneOf(attrs["profile"], "profile", []string{c.Profile}, profiles())
	c.oneOf(attrs["views"], "standard view", c.Views, views())
	if slices.Contains(profiles(), c.Profile) {
		c.profile = profileColumns(c.Profile)
	}
	for _, block := range c.body.Blocks {
		c.constant(block.Body)
		if block.Type == "column" && len(block.Labels) == 1 {
			c.column(block)
		}
	}
	c.keys(attrs["keys"])
}

// constant refuses references: a config stands for itself.
func (c *Config) constant(body *hclsyntax.Body) {
	for _, attr := range body.Attributes {
		for _, t := range attr.Expr.Variables() {
			c.add(t.SourceRange(), "A config has no variables", "Write the value itself. In a text, $${ stands for ${.")
		}
	}
	for _, block := range body.Blocks {
		c.constant(block.Body)
	}
}

func (c *Config) text(attr *hcl.Attribute, into *string) bool {
	if attr == nil {
		return false
	}
	diags := gohcl.DecodeExpression(attr.Expr, nil, into)
	c.diags = append(c.diags, diags...)
	return !diags.HasErrors()
}

func (c *Config) id(attr *hcl.Attribute, into *string) {
	if !c.text(attr, into) {
		return
	}
	if err := ident.Fault(*into); err != "" {
		c.add(attr.Expr.Range(), fmt.Sprintf("Wrong value for %q", attr.Name), "An id "+err+".")
	}
}

func (c *Config) texts(attr *hcl.Attribute, otherwise []string) []string {
	if attr == nil {
		return otherwise
	}
	var list []string
	v, diags := attr.Expr.Value(nil)
	c.diags = append(c.diags, diags...)
	if diags.HasErrors() {
		return nil
	}
	texts, err := tree.Fitted(v, cty.List(cty.String))
	if err == nil {
		err = gocty.FromCtyValue(texts, &list)
	}
	if err != nil {
		c.add(attr.Expr.Range(), fmt.Sprintf("Wrong value for %q", attr.Name), fmt.Sprintf("It is a list of texts, as in [\"a\", \"b\"]: %v.", err))
		return nil
	}
	seen := map[string]bool{}
	for _, text := range list {
		if seen[text] {
			c.add(attr.Expr.Range(), fmt.Sprintf("%q stands twice in %q", text, attr.Name), "Remove one of the two.")
		}
		seen[text] = true
	}
	return list
}

func (c *Config) oneOf(attr *hcl.Attribute, what string, given, known []string) {
	if attr == nil {
		return
	}
	for _, word := range given {
		if word != "" && !slices.Contains(known, word) {
			c.add(attr.Expr.Range(), fmt.Sprintf("Unknown %s %q", what, word), "It is "+series.Or(known)+".")
		}
	}
}

// number reads a whole number from least to most; otherwise is what an absent one is.
func (c *Config) number(attr *hcl.Attribute, least, most, otherwise int, accepts string) int {
	if attr == nil {
		return otherwise
	}
	v, diags := attr.Expr.Value(nil)
	c.diags = append(c.diags, diags...)
	if diags.HasErrors() {
		return otherwise
	}
	if v.Type() == cty.Number && !v.IsNull() {
		if n, exact := v.AsBigFloat().Int64(); exact == big.Exact && n >= int64(least) && n <= int64(most) {
			return int(n)
		}
	}
	c.add(attr.Expr.Range(), fmt.Sprintf("Wrong value for %q", attr.Name), accepts)
	return otherwise
}

func (c *Config) column(block *hclsyntax.Block) {
	name, at := block.Labels[0], block.LabelRanges[0]
	if slices.ContainsFunc(c.profile, func(o column) bool { return o.name == name }) {
		c.add(at, fmt.Sprintf("The profile has a column %q", name), fmt.Sprintf("Every table of profile %s has it already. Leave it out, or give this one another name.", c.Profile))
	}
	c.own = append(c.own, columnOf(block))
}

func columnOf(block *hclsyntax.Block) column {
	attrs := block.Body.Attributes
	return column{block.Labels[0], attrs["ephemeral"] != nil, attrs["alias"] != nil, block.LabelRanges[0]}
}

func (c *Config) keys(attr *hcl.Attribute) {
	all := map[string]column{}
	for _, o := range slices.Concat(c.own, c.profile) {
		all[o.name] = o
	}
	for _, key := range c.Keys {
		found, known := all[key]
		switch {
		case !known:
			c.add(attr.Expr.Range(), fmt.Sprintf("Unknown key %q", key), "A key is a column of the source: one that the config declares, or one of its profile.")
		case found.ephemeral || found.virtual:
			c.add(attr.Expr.Range(), fmt.Sprintf("%q is no key", key), "A key is a column that the table stores.")
		}
	}
}

// Database is the name of the organisation's database, Table that of the source's table in it.
func (c *Config) Database() string { return Database(c.Organisation) }

// Table is the name of the source's table.
func (c *Config) Table() ast.Name { return ast.Name{Database: c.Database(), Name: ident.Of(c.ID)} }

// Database is the name of the database of an organisation.
func Database(organisation string) string { return "org_" + ident.Of(organisation) }

// Topic is what the names of the source's topics begin with.
func (c *Config) Topic() string { return ident.Join(ident.Of(c.Organisation), ident.Of(c.ID)) }
