package tree

import (
	"fmt"
	"io/fs"
	"maps"
	"os"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/deps"
)

// ManifestName is the file at the root of a tree that lists its objects.
const ManifestName = "manifest.hcl"

// Tree is a schema release: what a manifest and its definitions say, as written.
type Tree struct {
	// Release is what the ledger, the status and the metrics report as the schema release.
	Release string
	// MinServer is the oldest server version the release runs on ("25.8"), or "".
	MinServer string
	// Objects are the declared objects in manifest order, which is dependency order.
	Objects []*Declared
	// Variables are the variables of the manifest with the values of this load, in the order declared.
	Variables []Variable

	// Refused are the objects of an overlay that are left out; they are not among the others.
	Refused []Refusal

	sources map[string]*source
	byName  map[nameKey]*Declared
	// What an overlay of this tree sees: its own files, those it shares, and var and local.
	files, shared *files
	names         map[string]cty.Value
}

// nameKey is a name in the space where it has to be unique.
type nameKey struct {
	space ast.Kind
	name  ast.Name
}

func keyOf(kind ast.Kind, name ast.Name) nameKey { return nameKey{kind.Space(), name} }

// Declared is one object of a tree. An object whose definition has a fault is in the tree too, with what could be read
// of it and Broken set, so that what depends on it is not reported as well.
type Declared struct {
	Kind   ast.Kind
	Name   ast.Name
	Object ast.Object
	// File is the definition file; the manifest for an object declared inside it.
	File string
	// Entry is the object's block in the manifest; Key is each.key where that block has for_each.
	Entry hcl.Range
	Key   string
	// Depends are the objects of the tree that have to exist first, each once: the database, then those the definition
	// uses, in the order of their first use.
	Depends []*Declared
	Broken  bool

	places  places
	refs    []deps.Ref // once the tree is checked
	columns *relation  // what it gives to a query, made when first asked for
	refused bool       // an overlay that leaves it out
}

// Refs are the references of the definition to other objects, as [deps.Of] finds them; they are found once. They belong to the
// tree, and a caller only reads them.
func (d *Declared) Refs() []deps.Ref {
	if d.refs == nil && d.Object != nil {
		return deps.Of(d.Object)
	}
	return d.refs
}

// Find returns the object that is declared under a name, or nil. A name of a table, view, materialized view or
// dictionary finds an object of any of these kinds: they share one space of names.
func (t *Tree) Find(kind ast.Kind, name ast.Name) *Declared {
	if t == nil {
		return nil
	}
	return t.byName[keyOf(kind, name)]
}

// Files returns the sources of the tree by name, for [WriteDiagnostics] and [Plain].
func (t *Tree) Files() map[string]*hcl.File {
	files := make(map[string]*hcl.File, len(t.sources))
	for name, s := range t.sources {
		files[name] = &hcl.File{Bytes: s.bytes}
	}
	return files
}

// Options of [Load]. The zero value loads manifest.hcl with the defaults of its variables.
type Options struct {
	// Variables are values for the manifest's variables, as a command line gives them.
	Variables map[string]string
	Limits    Limits
	// Base is the tree this one is an overlay of: what it declares counts as declared before.
	Base *Tree
}

// LoadDir loads the tree of a directory. The operating system itself holds every path inside it.
func LoadDir(dir string, opts Options) (*Tree, hcl.Diagnostics) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return &Tree{}, hcl.Diagnostics{{Severity: hcl.DiagError, Extra: CodeFile, Summary: "No schema tree",
			Detail: fmt.Sprintf("The directory of the tree cannot be opened: %v.", err)}}
	}
	defer root.Close()
	return Load(root.FS(), opts)
}

// Load reads the tree at the root of a file system. It returns what it could read and every fault it found: the tree is
// fit for use only when the diagnostics have no error. The tree is never nil.
func Load(fsys fs.FS, opts Options) (tree *Tree, diags hcl.Diagnostics) {
	l := &loader{
		faults:    &faults{},
		opts:      opts,
		limits:    opts.Limits.withDefaults(),
		functions: functions(),
		kinds:     map[string]kind{},
		given:     map[string]*source{},
		fragments: map[fragment]*ast.Node{},
		tree:      &Tree{byName: map[nameKey]*Declared{}},
	}
	l.files = &files{fsys: fsys, limits: l.limits, sources: map[string]*source{}, failed: map[string]bool{}}
	for _, k := range kinds() {
		l.kinds[string(k.name)] = k
	}
	l.load()
	l.keepShared()
	l.tree.files, l.tree.names = l.files, l.names
	l.tree.sources = maps.Clone(l.files.sources)
	maps.Copy(l.tree.sources, l.given)
	return l.tree, l.sorted()
}

// loader is one load of one tree.
type loader struct {
	*faults
	opts      Options
	limits    Limits
	files     *files
	functions map[string]function.Function
	kinds     map[string]kind
	fragments map[fragment]*ast.Node
	given     map[string]*source // values from the command line and files of the release below, as sources of faults
	manifest  *source
	names     map[string]cty.Value // var and local
	inCycle   map[*Declared]bool   // the objects that rest on themselves
	tree      *Tree
}

var manifestShape = shape{what: "a manifest", attrs: []string{"release", "min_server"}}

func (l *loader) load() {
	manifest, ok, bad := l.files.hclBody(ManifestName, l.faults)
	if bad != nil {
		l.add(&hcl.Diagnostic{Severity: hcl.DiagError, Extra: bad.code, Summary: "No manifest",
			Detail: fmt.Sprintf("A schema tree has a %s at its root, which lists its objects. %s", ManifestName, bad.detail)})
		return
	}
	l.manifest = manifest
	if !ok {
		return
	}
	at := manifest.span(0, 0)
	s := manifestShape
	s.blocks = map[string]int{"variable": 1, "locals": 0}
	for name := range l.kinds {
		s.blocks[name] = 1
	}
	body := l.read(manifest.body, at, s)

	byType := map[string][]*hclsyntax.Block{}
	var entries []*hclsyntax.Block
	for _, block := range body.blocks {
		if _, isKind := l.kinds[block.Type]; isKind {
			entries = append(entries, block)
		} else {
			byType[block.Type] = append(byType[block.Type], block)
		}
	}
	variables := l.below(l.variables(byType["variable"]))
	l.names = map[string]cty.Value{"var": variables, "local": l.locals(byType["locals"], variables)}

	root := l.scope(manifest, nil)
	l.tree.Release = l.version(root, l.require(body, "release", `A manifest states its release, as in release = "2026.11.0".`), "release")
	l.tree.MinServer = l.version(root, body.attrs["min_server"], "min_server")
	if len(entries) == 0 {
		l.fault(CodeMissing, at, "The manifest declares no object", "It lists the objects of the deployment, as in database \"app\" {}.")
	}
	for _, block := range entries {
		l.entry(l.kinds[block.Type], block)
	}
	l.check()
}

// scope returns a scope over a file of the tree, with names beside var and local.
func (l *loader) scope(src *source, more map[string]cty.Value) *scope {
	names := maps.Clone(l.names)
	maps.Copy(names, more)
	return &scope{faults: l.faults, source: src, limits: l.limits, ctx: newContext(l.functions, names)}
}

// version reads a version: numbers with dots, "2026.11.0", with an optional suffix after a dash.
func (l *loader) version(s *scope, attr *hclsyntax.Attribute, name string) string {
	t, ok := s.text(attr)
	if !ok {
		return ""
	}
	if _, err := ParseVersion(t.value); err != nil {
		l.fault(CodeValue, attr.Expr.Range(), fmt.Sprintf("%q is no version", name), fmt.Sprintf("%s: %v.", abbreviate(t.value), err))
		return ""
	}
	return t.value
}
