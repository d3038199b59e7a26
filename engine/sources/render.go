package sources

import (
	"bytes"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/lang/ident"
	"github.com/dfe-engine/dfe/lang/tree"
	"github.com/dfe-engine/dfe/stdlib"
)

// included is the file of the standard definitions that stands for the config: its columns and indexes.
const included = "config.hcl"

// Part is the schema of the source. A change that is refused keeps all of it from being applied: whoever deploys a source
// is there to be told.
func (c *Config) Part() engine.Part {
	return engine.Part{
		Scope: ledger.ScopeSource, What: c.What(), Render: c.render, Whole: true,
		Files: map[string]*hcl.File{c.name: c.file},
		Owns:  c.owns, Prefixes: []string{ident.Join(c.Table().String(), ""), c.Topic() + "_"},
	}
}

// owns reports an object of the ledger that the source has, or had: it says so by its name. The database is the
// organisation's.
func (c *Config) owns(kind ast.Kind, name string) bool {
	if kind == ast.KindTopic {
		word, found := strings.CutPrefix(name, c.Topic()+"_")
		return found && word != "" && !strings.Contains(word, "_") // web_land_load is of the source web_land
	}
	return name == c.Table().String() || strings.HasPrefix(name, ident.Join(c.Table().String(), ""))
}

// What names the source for people.
func (c *Config) What() string { return fmt.Sprintf("the source %q of %q", c.ID, c.Organisation) }

// templates are the standard definitions.
func templates() layer { return layer{FS: stdlib.FS, dir: "sources"} }

// render loads the standard definitions for the source.
func (c *Config) render(core *tree.Tree) (*tree.Tree, hcl.Diagnostics) {
	files := templates()
	files.name, files.text = included, c.parts()
	rendered, diags := tree.Load(files, tree.Options{Base: core, Variables: c.variables()})
	return rendered, c.place(diags)
}

// variables are the values of the variables of the standard definitions.
func (c *Config) variables() map[string]string {
	var columns []string
	for _, list := range [][]column{c.profile, c.own} {
		for _, o := range list {
			if !o.ephemeral {
				columns = append(columns, o.name)
			}
		}
	}
	comment := c.Title
	if comment == "" {
		comment = fmt.Sprintf("Data source %s of the organisation %s", c.ID, c.Organisation)
	}
	return map[string]string{
		"organisation": c.Organisation, "source": c.ID, "database": c.Database(), "table": c.Table().Name, "profile": c.Profile,
		"columns": list(columns), "keys": list(c.Keys), "views": list(c.Views), "ttl_days": strconv.Itoa(c.TTLDays), "comment": comment,
		"topic": c.Topic(), "partitions": strconv.Itoa(c.Partitions),
	}
}

// list writes texts as a value of a variable.
func list(texts []string) string {
	values := make([]cty.Value, len(texts))
	for i, text := range texts {
		values[i] = cty.StringVal(text)
	}
	return string(hclwrite.TokensForValue(cty.TupleVal(values)).Bytes())
}

// parts is the text of the config with everything blank but its columns, its indexes and the comments, which may waive a
// finding: what is left stands at its own place.
func (c *Config) parts() []byte {
	text := bytes.Clone(c.file.Bytes)
	keep := make([]bool, len(text))
	mark := func(r hcl.Range) {
		for i := r.Start.Byte; i < r.End.Byte && i < len(keep); i++ {
			keep[i] = true
		}
	}
	for _, block := range c.body.Blocks {
		mark(hcl.RangeBetween(block.TypeRange, block.CloseBraceRange))
	}
	tokens, _ := hclsyntax.LexConfig(text, c.name, hcl.InitialPos)
	for _, t := range tokens {
		if t.Type == hclsyntax.TokenComment {
			mark(t.Range)
		}
	}
	for i, b := range text {
		if !keep[i] && b != '\n' {
			text[i] = ' '
		}
	}
	return text
}

// profileColumns are the columns that every table of a profile has.
func profileColumns(profile string) []column {
	var list []column
	for next := []string{profile + "_columns.hcl"}; len(next) > 0; next = next[1:] {
		text, err := fs.ReadFile(templates(), next[0])
		if err != nil {
			continue // the loader says what is wrong with the standard definitions
		}
		file, _ := hclsyntax.ParseConfig(text, next[0], hcl.InitialPos)
		body, isNative := file.Body.(*hclsyntax.Body)
		if !isNative {
			continue
		}
		if attr := body.Attributes["include"]; attr != nil {
			files, _ := attr.Expr.Value(nil)
			for _, f := range files.AsValueSlice() {
				next = append(next, f.AsString())
			}
		}
		var own []column
		for _, block := range body.Blocks {
			if block.Type == "column" {
				own = append(own, columnOf(block))
			}
		}
		list = append(own, list...)
	}
	return list
}
