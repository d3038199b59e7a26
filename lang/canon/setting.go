package canon

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/facts"
)

const defaultGranularity = "8192"

// settings returns the settings a table of the engine stores, by name: a setting of the session that the CREATE statement
// carries is not the table's, and DEFAULT is no value (cases S54, S55).
func (f *form) settings(engine string, list []ast.Setting) []ast.Setting {
	keep := func(s ast.Setting) bool {
		return facts.KeepsSetting(engine, s.Name) && !(s.Value != nil && s.Value.Kind == ast.Keyword && s.Value.Text == "DEFAULT")
	}
	return f.settingList(list, keep)
}

func (f *form) settingList(list []ast.Setting, keep func(ast.Setting) bool) []ast.Setting {
	clean := true
	for i, s := range list {
		if keep != nil && !keep(s) || f.namedSetting(s) != s.Value || i > 0 && list[i-1].Name >= s.Name {
			clean = false
			break
		}
	}
	if clean {
		return list
	}
	out := make([]ast.Setting, 0, len(list))
	for _, s := range list {
		if keep == nil || keep(s) {
			out = append(out, ast.Setting{Name: s.Name, Value: f.namedSetting(s)})
		}
	}
	slices.SortStableFunc(out, func(a, b ast.Setting) int { return strings.Compare(a.Name, b.Name) })
	return slices.CompactFunc(out, func(a, b ast.Setting) bool { return a.Name == b.Name && equal(a.Value, b.Value) })
}

func (f *form) namedSetting(s ast.Setting) *ast.Node {
	if known, ok := facts.MergeTreeSetting(s.Name); ok && known.Type == "String" {
		return f.expr(s.Value)
	}
	return f.settingValue(s.Value)
}

// settingValue: true is 1, '10Mi' is 10485760 and 1e6 is 1000000.
func (f *form) settingValue(n *ast.Node) *ast.Node {
	if n == nil {
		return at(&ast.Node{Pos: -1}, ast.Number, "1") // SETTINGS name, without a value
	}
	n = f.expr(n)
	switch {
	case n.Kind == ast.Keyword && n.Text == "true", n.Kind == ast.String && n.Text == "true":
		return at(n, ast.Number, "1")
	case n.Kind == ast.Keyword && n.Text == "false", n.Kind == ast.String && n.Text == "false":
		return at(n, ast.Number, "0")
	case n.Kind == ast.Number && strings.HasSuffix(n.Text, "."):
		return at(n, ast.Number, n.Text[:len(n.Text)-1])
	case n.Kind == ast.String:
		if text, ok := quantity(n.Text); ok {
			return at(n, ast.Number, text)
		}
	case n.Kind == ast.Func && n.Text == "disk":
		return sortedArgs(n)
	}
	return n
}

// quantity reads a number in a string: '86400', '0.5', '10Mi'.
func quantity(s string) (string, bool) {
	if s == "" || s[0] != '-' && (s[0] < '0' || s[0] > '9') {
		return "", false
	}
	digits := strings.TrimRight(s, "kKMGTPEi")
	scale := uint64(1)
	if suffix := s[len(digits):]; suffix != "" {
		base := uint64(1000)
		if strings.HasSuffix(suffix, "i") {
			base, suffix = 1024, suffix[:len(suffix)-1]
		}
		power := strings.Index("kMGTPE", strings.Replace(suffix, "K", "k", 1))
		if len(suffix) != 1 || power < 0 {
			return "", false
		}
		for range power + 1 {
			scale *= base
		}
	}
	if u, err := strconv.ParseUint(digits, 10, 64); err == nil {
		return strconv.FormatUint(u*scale, 10), scale == 1 || u <= 1<<63/scale*2-1
	}
	if v, err := strconv.ParseFloat(digits, 64); err == nil && scale == 1 {
		return strings.TrimSuffix(floatText(v), "."), true
	}
	return "", false
}

// sortedArgs orders the name = value arguments of a call that is a map.
func sortedArgs(n *ast.Node) *ast.Node {
	byName := func(a, b *ast.Node) int { return strings.Compare(a.Text, b.Text) }
	if slices.ContainsFunc(n.Kids, func(k *ast.Node) bool { return k.Kind != ast.Equals }) || slices.IsSortedFunc(n.Kids, byName) {
		return n
	}
	kids := slices.Clone(n.Kids)
	slices.SortStableFunc(kids, byName)
	return at(n, n.Kind, n.Text, kids...)
}
