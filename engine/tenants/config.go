package tenants

import (
	"bytes"
	"fmt"
	"math/big"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/json"
	"github.com/zclconf/go-cty/cty"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/lang/ident"
	"github.com/dfe-engine/dfe/lang/regular"
	"github.com/dfe-engine/dfe/lang/series"
	"github.com/dfe-engine/dfe/lang/tree"
)

const (
	// configLimit bounds a config, in bytes.
	configLimit = 4 << 20
	// mostCounted is the largest limit of what is counted, longestTime that of execution_time, in seconds: a server keeps
	// times in nanoseconds (ClickHouse's ParserCreateQuotaQuery and EnabledQuota), and takes 9e12 s for 9223372036.85 s
	// (26.7, measured).
	mostCounted = 1<<63 - 1
	longestTime = 9223372036
)

// shortestTime is the smallest limit of execution_time, in seconds: a nanosecond. Anything less is 0, which is no limit.
func shortestTime() *big.Float {
	f, _, _ := big.ParseFloat("1e-9", 10, 512, big.ToNearestEven) // as precise as cty reads the number in a config
	return f
}

// Config is what an operator says of the deployment's tenants.
type Config struct {
	Tiers         []Tier
	Organisations []Tenant
	Groups        []Tenant

	name  string
	file  *hcl.File
	diags hcl.Diagnostics
}

// Tier is a quota.
type Tier struct {
	ID string
	// Limits are by length of time ("hour") and by ClickHouse's word for what is limited ("queries").
	Limits map[string]map[string]cty.Value
}

// Tenant is an organisation or a group.
type Tenant struct {
	ID string
	// Tier is the quota of its user; empty: none.
	Tier string
	// Organisations are those whose rows a group may read.
	Organisations []string
	// Secret is where the password of its user comes from.
	Secret Secret

	at hcl.Range
}

// Secret is where a password comes from: Source is "env" or "file".
type Secret struct{ Source, Name string }

// Load reads the config in a file. The error is an [engine.TreeError] where the config has a fault.
func Load(path string) (*Config, error) {
	text, err := regular.Read(path, configLimit)
	if err != nil {
		return nil, err
	}
	return Parse(path, text)
}

// Parse reads a config; name is what its faults call it. It is JSON where its name ends in .json or its text begins with a
// brace, else HCL. The error is an [engine.TreeError].
func Parse(name string, text []byte) (*Config, error) {
	c := &Config{name: name}
	var diags hcl.Diagnostics
	switch deep := tree.CheckNesting(name, text); {
	case !utf8.Valid(text): // the parser of JSON would put another letter for each wrong byte
		diags = hcl.Diagnostics{{Severity: hcl.DiagError, Extra: tree.CodeValue, Summary: "Invalid character encoding",
			Detail: "A config is text in UTF-8.", Subject: invalidByte(name, text).Ptr()}}
	case deep != nil:
		diags = hcl.Diagnostics{deep} // JSON has the same brackets
	case filepath.Ext(name) == ".json" || bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")):
		c.file, diags = json.Parse(text, name)
	default:
		c.file, diags = hclsyntax.ParseConfig(text, name, hcl.InitialPos)
	}
	c.diags = append(c.diags, diags...)
	if !diags.HasErrors() {
		c.read()
	}
	if c.file == nil {
		c.file = &hcl.File{Bytes: text}
	}
	if c.diags.HasErrors() {
		return nil, &engine.TreeError{What: "the tenants config", Files: map[string]*hcl.File{name: c.file}, Diags: tree.Bounded(c.diags)}
	}
	return c, nil
}

// invalidByte is where a text stops being UTF-8.
func invalidByte(name string, text []byte) hcl.Range {
	at := hcl.InitialPos
	for at.Byte < len(text) {
		r, size := utf8.DecodeRune(text[at.Byte:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at.Byte, at.Column = at.Byte+size, at.Column+1
		if r == '\n' {
			at.Line, at.Column = at.Line+1, 1
		}
	}
	return hcl.Range{Filename: name, Start: at, End: at}
}

func (c *Config) add(at hcl.Range, summary, detail string) {
	c.diags = append(c.diags, &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: detail, Subject: &at, Extra: tree.CodeValue})
}

func blocks() *hcl.BodySchema {
	id := []string{"id"}
	return &hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{{Type: "tier", LabelNames: id}, {Type: "organisation", LabelNames: id}, {Type: "group", LabelNames: id}}}
}

// periods are the lengths of time that a tier limits.
func periods() []string { return []string{"minute", "hour", "day", "month"} }

func attributes(names ...string) *hcl.BodySchema {
	s := &hcl.BodySchema{}
	for _, name := range names {
		s.Attributes = append(s.Attributes, hcl.AttributeSchema{Name: name})
	}
	return s
}

func (c *Config) read() {
	content, diags := c.file.Body.Content(blocks())
	c.diags = append(c.diags, diags...)
	seen := map[[2]string]hcl.Range{}
	for _, block := range content.Blocks {
		id, at := block.Labels[0], block.LabelRanges[0]
		if why := ident.Fault(id); why != "" {
			c.add(at, "Wrong id", fmt.Sprintf("The id of a tier, an organisation or a group %s.", why))
		}
		key := [2]string{block.Type, id}
		if first, twice := seen[key]; twice {
			c.add(at, fmt.Sprintf("The %s %q stands twice", block.Type, id), fmt.Sprintf("It is at line %d too. Remove one of the two.", first.Start.Line))
			continue
		}
		seen[key] = at
		switch block.Type {
		case "tier":
			c.tier(block)
		case "organisation":
			c.Organisations = append(c.Organisations, c.tenant(block, "tier", "secret_env", "secret_file"))
		case "group":
			c.Groups = append(c.Groups, c.tenant(block, "tier", "secret_env", "secret_file", "organisations"))
		}
	}
	for _, t := range slices.Concat(c.Organisations, c.Groups) {
		c.refers(t)
	}
}

// refers demands what a tenant names.
func (c *Config) refers(t Tenant) {
	if t.Tier != "" && !slices.ContainsFunc(c.Tiers, func(o Tier) bool { return o.ID == t.Tier }) {
		c.add(t.at, fmt.Sprintf("Unknown tier %q", t.Tier), fmt.Sprintf("The config declares no such tier, and %q is of it.", t.ID))
	}
	for i, id := range t.Organisations {
		if !slices.ContainsFunc(c.Organisations, func(o Tenant) bool { return o.ID == id }) {
			c.add(t.at, fmt.Sprintf("Unknown organisation %q", id), fmt.Sprintf("The config declares no such organisation, and the group %q is for it.", t.ID))
		}
		if slices.Contains(t.Organisations[:i], id) {
			c.add(t.at, fmt.Sprintf("The organisation %q stands twice", id), fmt.Sprintf("In the group %q. Remove one of the two.", t.ID))
		}
	}
}

func (c *Config) tier(block *hcl.Block) {
	t := Tier{ID: block.Labels[0], Limits: map[string]map[string]cty.Value{}}
	content, diags := block.Body.Content(attributes(periods()...))
	c.diags = append(c.diags, diags...)
	for _, period := range periods() {
		attr := content.Attributes[period]
		if attr == nil {
			continue
		}
		limits := map[string]cty.Value{}
		value, diags := attr.Expr.Value(nil)
		c.diags = append(c.diags, diags...)
		if diags.HasErrors() {
			continue
		}
		if value.IsNull() || !(value.Type().IsObjectType() || value.Type().IsMapType()) || value.LengthInt() == 0 {
			c.add(attr.Expr.Range(), fmt.Sprintf("Wrong value for %q", period), "Limits are written { queries = 1000, read_rows = 1e9 }, with at least one.")
			continue
		}
		for it := value.ElementIterator(); it.Next(); {
			name, limit := it.Element()
			c.limit(attr.Expr.Range(), limits, name.AsString(), limit)
		}
		t.Limits[period] = limits
	}
	if len(content.Attributes) == 0 {
		c.add(block.DefRange, fmt.Sprintf("The tier %q limits nothing", t.ID), `It has at least one of minute, hour, day and month, as in hour = { queries = 1000 }.`)
	}
	c.Tiers = append(c.Tiers, t)
}

// limits are what a tier may limit, in ClickHouse's words.
func limits() []string {
	return slices.DeleteFunc(ast.QuotaLimits(), func(name string) bool { return name == "queries_per_normalized_hash" })
}

func (c *Config) limit(at hcl.Range, into map[string]cty.Value, name string, value cty.Value) {
	if !slices.Contains(limits(), name) {
		c.add(at, fmt.Sprintf("Unknown limit %q", name), "A tier limits "+series.And(limits())+".")
		return
	}
	if value.IsNull() || value.Type() != cty.Number {
		c.add(at, fmt.Sprintf("Wrong value of the limit %q", name), "A limit is a number.")
		return
	}
	least, most, unit := big.NewFloat(1), new(big.Float).SetUint64(mostCounted), ""
	if name == "execution_time" {
		least, most, unit = shortestTime(), big.NewFloat(longestTime), " seconds"
	}
	n := value.AsBigFloat()
	switch {
	case n.Sign() == 0:
		c.add(at, fmt.Sprintf("The limit %q of 0 limits nothing", name), "ClickHouse takes 0 for no limit. Leave it out where there is none.")
		return
	case n.Cmp(least) < 0 || n.Cmp(most) > 0:
		c.add(at, fmt.Sprintf("Wrong value of the limit %q", name), fmt.Sprintf("It is from %s to %s%s: a server would keep another one than is written.", least.Text('g', 10), most.Text('f', 0), unit))
		return
	case !n.IsInt() && name != "execution_time":
		c.add(at, fmt.Sprintf("Wrong value of the limit %q", name), "It is a whole number. Only execution_time, in seconds, may be a fraction.")
		return
	}
	into[name] = value
}

func (c *Config) tenant(block *hcl.Block, names ...string) Tenant {
	t := Tenant{ID: block.Labels[0], at: block.DefRange}
	content, diags := block.Body.Content(attributes(names...))
	c.diags = append(c.diags, diags...)
	attrs := content.Attributes
	c.decode(attrs["tier"], &t.Tier)
	c.decode(attrs["organisations"], &t.Organisations)
	if slices.Contains(names, "organisations") && attrs["organisations"] == nil || attrs["organisations"] != nil && len(t.Organisations) == 0 {
		c.add(block.DefRange, fmt.Sprintf("The group %q is for no organisation", t.ID), `It names the organisations whose rows it may read: organisations = ["acme"].`)
	}
	t.Secret = c.secret(block, attrs["secret_env"], attrs["secret_file"])
	return t
}

func (c *Config) decode(attr *hcl.Attribute, into any) {
	if attr != nil {
		c.diags = append(c.diags, gohcl.DecodeExpression(attr.Expr, nil, into)...)
	}
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// secret reads where a password comes from. No message shows what stands there: it may be the password itself.
func (c *Config) secret(block *hcl.Block, env, file *hcl.Attribute) Secret {
	s := Secret{}
	if (env == nil) == (file == nil) {
		c.add(block.DefRange, fmt.Sprintf("The %s %q has not one password", block.Type, block.Labels[0]),
			`Its user proves who it is by a password that comes from the environment or from a file of whoever applies the config: secret_env = "NAME" or secret_file = "/path".`)
		return s
	}
	if env != nil {
		s.Source = "env"
		c.decode(env, &s.Name)
		if !variableName.MatchString(s.Name) {
			c.secretFault(env.NameRange, "secret_env is no name of a variable", "It is the name of an environment variable, never the password itself. Where this is the password, change it.")
		}
		return s
	}
	s.Source = "file"
	c.decode(file, &s.Name)
	if !strings.HasPrefix(s.Name, "/") {
		c.secretFault(file.NameRange, "secret_file is no absolute path", "It is the path of a file, never the password itself. Where this is the password, change it.")
	}
	return s
}

// secretFault is a fault on a line that is not shown.
func (c *Config) secretFault(at hcl.Range, summary, detail string) {
	c.add(at, summary, detail)
	c.diags[len(c.diags)-1].Extra = tree.CodeSecret
}
