package tree

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"
	"golang.org/x/text/unicode/norm"

	"github.com/dfe-engine/dfe/ast"
)

// NoFormError says that an object has a fact a .hcl definition cannot state. Its CREATE statement, as a .sql
// definition, states everything.
type NoFormError struct {
	Object ast.Name
	Reason string
}

func (e *NoFormError) Error() string {
	return fmt.Sprintf("%s has no .hcl definition: %s; write it as a .sql definition", e.Object, e.Reason)
}

// Render writes an object as an .hcl definition, formatted. Loading what it writes gives the same object, its name
// aside: the manifest holds that. The error is a [*NoFormError]. What a platform adds, a Replicated prefix with its
// arguments, is left out.
func Render(o ast.Object) ([]byte, error) {
	for _, k := range kinds() {
		if k.name != o.Kind() {
			continue
		}
		w := &writer{}
		k.render(w, o)
		if w.reason != "" {
			return nil, &NoFormError{Object: o.ID(), Reason: w.reason}
		}
		return hclwrite.Format([]byte(w.b.String())), nil
	}
	return nil, &NoFormError{Object: o.ID(), Reason: fmt.Sprintf("the language has no kind %q", o.Kind())}
}

// writer collects the text of a definition. The first fact it cannot state is its reason to give up.
type writer struct {
	b      strings.Builder
	reason string
}

func (w *writer) fail(format string, args ...any) {
	if w.reason == "" {
		w.reason = fmt.Sprintf(format, args...)
	}
}

// quoted returns a text as an HCL string. HCL keeps text in Unicode's composed form and knows no other bytes.
func (w *writer) quoted(s string) string {
	if !utf8.ValidString(s) || !norm.NFC.IsNormalString(s) {
		w.fail("it holds text that HCL would change: %q", s)
	}
	return string(hclwrite.TokensForValue(cty.StringVal(s)).Bytes())
}

func (w *writer) raw(name, literal string) { fmt.Fprintf(&w.b, "%s = %s\n", name, literal) }

// text writes an attribute; an empty text is none.
func (w *writer) text(name, s string) {
	if s != "" {
		w.raw(name, w.quoted(s))
	}
}

// node writes ClickHouse text.
func (w *writer) node(name string, n *ast.Node) {
	if n == nil {
		return
	}
	if reason := n.Reason(); reason != "" {
		w.fail("its %s is not known: %s", name, reason)
		return
	}
	w.raw(name, w.quoted(n.String()))
}

// query writes a query as a heredoc, where nothing in it would change.
func (w *writer) query(name string, n *ast.Node) {
	if n == nil {
		return
	}
	text := n.String()
	w.quoted(text)
	if strings.ContainsAny(text, "\r\n\x00") || text == "SQL" || strings.TrimSpace(text) != text {
		w.raw(name, w.quoted(text))
		return
	}
	text = strings.NewReplacer("${", "$${", "%{", "%%{").Replace(text)
	fmt.Fprintf(&w.b, "%s = <<-SQL\n  %s\nSQL\n", name, text)
}

func (w *writer) list(name string, items []*ast.Node) {
	quoted := make([]string, len(items))
	for i, n := range items {
		quoted[i] = w.quoted(n.String())
	}
	w.raw(name, "["+strings.Join(quoted, ", ")+"]")
}

func (w *writer) block(kind, label string, body func()) {
	if w.b.Len() > 0 {
		w.b.WriteByte('\n')
	}
	w.b.WriteString(kind)
	if label != "" {
		w.b.WriteString(" " + w.quoted(label))
	}
	w.b.WriteString(" {\n")
	body()
	w.b.WriteString("}\n")
}

// gap sets the attributes that follow blocks apart.
func (w *writer) gap() {
	if w.b.Len() > 0 {
		w.b.WriteByte('\n')
	}
}

var (
	plainNumber = regexp.MustCompile(`^(0|[1-9][0-9]{0,50})$`)
	plainKey    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// settings writes { name = value } where every value is plain, and ClickHouse text otherwise. The order of an HCL
// object is that of its keys, so settings in another order stay text.
func (w *writer) settings(settings []ast.Setting) {
	if len(settings) == 0 {
		return
	}
	plain, last := make([]string, 0, len(settings)), ""
	for _, s := range settings {
		value, ok := w.plainValue(s.Value)
		if !ok || !plainKey.MatchString(s.Name) || s.Name <= last {
			break
		}
		last = s.Name
		plain = append(plain, s.Name+" = "+value)
	}
	if len(plain) == len(settings) {
		w.raw("settings", "{\n"+strings.Join(plain, "\n")+"\n}")
		return
	}
	text := make([]string, len(settings))
	for i, s := range settings {
		text[i] = s.String()
	}
	w.raw("settings", w.quoted(strings.Join(text, ", ")))
}

func (w *writer) plainValue(n *ast.Node) (string, bool) {
	switch {
	case n.Kind == ast.Number && plainNumber.MatchString(n.Text):
		return n.Text, true
	case n.Kind == ast.Operator && n.Text == "-" && len(n.Kids) == 1 && n.Kids[0].Kind == ast.Number && plainNumber.MatchString(n.Kids[0].Text) && n.Kids[0].Text != "0":
		return "-" + n.Kids[0].Text, true
	case n.Kind == ast.Keyword && (n.Text == "true" || n.Text == "false"):
		return n.Text, true
	case n.Kind == ast.String:
		return w.quoted(n.Text), true
	}
	return "", false
}

// engine writes an engine without what the platform adds.
func (w *writer) engine(e *ast.Engine) {
	if e == nil {
		return
	}
	own := *e
	own.Replication, own.ReplicationArgs = "", nil
	w.text("engine", own.String())
}

// unread gives up on clauses no parser of ours reads.
func (w *writer) unread(nodes []*ast.Node) {
	if len(nodes) > 0 {
		w.fail("a clause of it is kept as tokens: %s", nodes[0].String())
	}
}

func (w *writer) security(s ast.Security) {
	w.text("sql_security", strings.ToLower(s.Mode))
	w.text("definer", s.Definer)
}
