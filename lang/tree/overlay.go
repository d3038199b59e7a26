package tree

import (
	"fmt"
	"io/fs"
	"maps"
	"path"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/dfe-engine/dfe/ast"
)

// Refusal is an object of an overlay that is left out, by name: it would touch what is not the overlay's. The rest of
// the overlay does not depend on it. Its diagnostic is among those of the load.
type Refusal struct {
	Kind  ast.Kind
	Name  ast.Name
	Fault *hcl.Diagnostic
}

// sharedDir is where a release keeps what its definitions include. An overlay may include it too, whether the release
// does or not.
const sharedDir = "common-header"

// rulesDir is where a tree has its rule tables. They are no definitions and are read elsewhere.
const rulesDir = "rules"

// refuse leaves an object of an overlay out.
func (l *loader) refuse(d *Declared, code Code, at hcl.Range, summary, detail string) {
	fault := &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: detail, Subject: &at, Extra: code}
	l.add(fault)
	d.Broken = true
	if !d.refused {
		d.refused = true
		l.tree.Refused = append(l.tree.Refused, Refusal{d.Kind, d.Name, fault})
	}
}

// badFile reports a file that cannot be had. In an overlay, one that is not its own keeps out the object that names it.
func (l *loader) badFile(d *Declared, at hcl.Range, bad *fileError) {
	if l.opts.Base != nil && bad.code == CodePath {
		l.refuse(d, bad.code, at, bad.summary, bad.detail)
		return
	}
	l.fault(bad.code, at, bad.summary, bad.detail)
}

// foreignFile reports a path of an overlay that lies under a directory of the release below: a later release may have a
// file of that name.
func (l *loader) foreignFile(name string) *fileError {
	if l.opts.Base == nil {
		return nil
	}
	clean, bad := cleanPath(name)
	if bad != nil {
		return bad
	}
	resolved, bad := l.files.resolve(clean)
	if bad != nil {
		return bad
	}
	for _, p := range []string{clean, resolved} {
		for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
			if l.opts.Base.holds(dir) {
				return &fileError{CodePath, "A directory of the core release",
					fmt.Sprintf("%q lies under %q, which holds files of the release that the overlay is laid over. An overlay has directories of its own, as in \"site/%s\".", name, dir, path.Base(clean))}
			}
		}
	}
	return nil
}

// holds reports a directory that files of the tree lie in.
func (t *Tree) holds(dir string) bool {
	if dir == rulesDir || dir == sharedDir {
		return true
	}
	for name := range t.files.sources {
		if path.Dir(name) == dir {
			return true
		}
	}
	return false
}

// keepShared keeps the files that an overlay may include and that the tree itself does not: they cannot be read any more
// once the tree is loaded. One that cannot be read is missed by whoever includes it.
func (l *loader) keepShared() {
	shared := &files{fsys: l.files.fsys, limits: l.limits, sources: map[string]*source{}, failed: map[string]bool{}}
	names, err := fs.Glob(l.files.fsys, sharedDir+"/*.hcl")
	if err != nil {
		return
	}
	for _, name := range names {
		if l.files.sources[name] == nil {
			_, _ = shared.read(name)
		}
	}
	l.tree.shared = shared
}

// header is a file that a definition includes: of the release below where that has it, with the names that it sees
// there, else of the tree itself.
func (l *loader) header(s *scope, name string) (inner *scope, ok bool, bad *fileError) {
	if l.opts.Base != nil {
		clean, bad := cleanPath(name)
		if bad != nil {
			return nil, false, bad
		}
		for _, below := range []*files{l.opts.Base.files, l.opts.Base.shared} {
			if below == nil || below.sources[clean] == nil {
				continue
			}
			src, ok, bad := below.hclBody(clean, s.faults)
			if bad != nil {
				return nil, false, bad
			}
			l.given[src.name] = src
			names := maps.Clone(s.ctx.Variables)
			maps.Copy(names, l.opts.Base.names)
			inner := s.in(src)
			inner.ctx = newContext(l.functions, names)
			return inner, ok, nil
		}
		if bad := l.foreignFile(name); bad != nil {
			return nil, false, bad
		}
	}
	src, ok, bad := l.files.hclBody(name, s.faults)
	if bad != nil {
		return nil, false, bad
	}
	return s.in(src), ok, nil
}

// below adds the variables of the release that the tree is laid over to its own. It takes none of them over.
func (l *loader) below(own cty.Value) cty.Value {
	if l.opts.Base == nil {
		return own
	}
	values := own.AsValueMap()
	if values == nil {
		values = map[string]cty.Value{}
	}
	for name, value := range l.opts.Base.names["var"].AsValueMap() {
		if _, taken := values[name]; taken {
			l.fault(CodeDuplicate, l.variable(name).Range, fmt.Sprintf("Variable %q belongs to the core release", name),
				"An overlay sees the variables of the release it is laid over and sets none of them. Give this one another name.")
		}
		values[name] = value
	}
	return cty.ObjectVal(values)
}

// leaveOut takes the refused objects out of the tree, and with them what uses one of them.
func (l *loader) leaveOut() {
	kept := l.tree.Objects[:0]
	for _, d := range l.tree.Objects {
		if d.refused {
			delete(l.tree.byName, keyOf(d.Kind, d.Name))
			continue
		}
		kept = append(kept, d)
	}
	l.tree.Objects = kept
}
