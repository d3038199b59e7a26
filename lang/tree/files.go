package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/dfe-engine/dfe/lang/plainhcl"
	"github.com/dfe-engine/dfe/lang/regular"
)

// Limits bound what a tree may make the loader read and build. A zero field means its default.
type Limits struct {
	FileBytes    int64 // one file; default 16 MiB, the ceiling of a statement
	TotalBytes   int64 // all files together; default 256 MiB
	Objects      int   // objects a manifest declares, instances of for_each included; default 100,000
	IncludeDepth int   // includes within includes; default 16
	Nesting      int   // brackets within brackets of one HCL expression; default 200
	ValueBytes   int64 // one evaluated text, local or variable; default 16 MiB
}

func (l Limits) withDefaults() Limits {
	setDefault := func(v *int64, d int64) {
		if *v <= 0 {
			*v = d
		}
	}
	setDefault(&l.FileBytes, 16<<20)
	setDefault(&l.TotalBytes, 256<<20)
	setDefault(&l.ValueBytes, 16<<20)
	if l.Objects <= 0 {
		l.Objects = 100_000
	}
	if l.IncludeDepth <= 0 {
		l.IncludeDepth = 16
	}
	if l.Nesting <= 0 {
		l.Nesting = 200
	}
	return l
}

// source is one file of the tree, read once.
type source struct {
	name   string
	bytes  []byte
	starts []int // byte offset of each line, made when first asked for
	body   *hclsyntax.Body
}

// pos turns a byte offset into a position. Columns count runes, as HCL's do for text without combining marks.
func (s *source) pos(offset int) hcl.Pos {
	if offset <= 0 {
		return hcl.InitialPos
	}
	if s.starts == nil {
		s.starts = append(s.starts, 0)
		for i, b := range s.bytes {
			if b == '\n' {
				s.starts = append(s.starts, i+1)
			}
		}
	}
	offset = min(max(offset, 0), len(s.bytes))
	line := sort.SearchInts(s.starts, offset+1) - 1
	return hcl.Pos{Line: line + 1, Column: utf8.RuneCount(s.bytes[s.starts[line]:offset]) + 1, Byte: offset}
}

func (s *source) span(from, to int) hcl.Range {
	return hcl.Range{Filename: s.name, Start: s.pos(from), End: s.pos(max(to, from))}
}

// files reads the files of one tree, each once, inside the tree and inside the limits.
type files struct {
	fsys    fs.FS
	limits  Limits
	total   int64
	sources map[string]*source
	failed  map[string]bool
}

// fileError is a fault about a file: what is wrong, and what to do.
type fileError struct {
	code            Code
	summary, detail string
}

func (e *fileError) Error() string { return e.summary + ": " + e.detail }

// cleanPath checks that name is a path inside the tree and returns it in its shortest form.
func cleanPath(name string) (string, *fileError) {
	clean := path.Clean(name)
	switch {
	case name == "":
		return "", &fileError{CodePath, "Empty path", "A path names a file of the tree, relative to the directory of the manifest."}
	case path.IsAbs(name) || strings.Contains(name, `\`) || strings.Contains(name, "\x00"):
		return "", &fileError{CodePath, "Path is not inside the tree",
			fmt.Sprintf("%q is not a path relative to the directory of the manifest. Write it with forward slashes, as in \"tables/otel/logs.hcl\".", name)}
	case clean == ".." || strings.HasPrefix(clean, "../"):
		return "", &fileError{CodePath, "Path leaves the tree",
			fmt.Sprintf("%q points outside the directory of the manifest. A tree is read only inside its own directory: move the file into it.", name)}
	case !fs.ValidPath(clean):
		return "", &fileError{CodePath, "Not a path", fmt.Sprintf("%q is not a path a file can have.", name)}
	}
	return clean, nil
}

// read returns the file, from memory when it was read before.
func (f *files) read(name string) (*source, *fileError) {
	name, bad := cleanPath(name)
	if bad != nil {
		return nil, bad
	}
	if s := f.sources[name]; s != nil {
		return s, nil
	}
	if _, bad := f.resolve(name); bad != nil {
		return nil, bad
	}
	data, bad := f.slurp(name)
	if bad != nil {
		return nil, bad
	}
	s := &source{name: name, bytes: data}
	f.sources[name] = s
	return s, nil
}

func (f *files) slurp(name string) ([]byte, *fileError) {
	data, err := regular.ReadFS(f.fsys, name, f.limits.FileBytes)
	switch {
	case errors.Is(err, regular.ErrKind):
		return nil, &fileError{CodeFile, "Not a file", fmt.Sprintf("%q is no regular file.", name)}
	case errors.Is(err, regular.ErrSize):
		return nil, &fileError{CodeLimit, "File is too large", fmt.Sprintf("%q is larger than the ceiling of %d bytes for one definition.", name, f.limits.FileBytes)}
	case err != nil:
		return nil, f.openError(name, err)
	}
	if f.total += int64(len(data)); f.total > f.limits.TotalBytes {
		return nil, &fileError{CodeLimit, "Tree is too large", fmt.Sprintf("The files of this tree are together larger than the ceiling of %d bytes.", f.limits.TotalBytes)}
	}
	return data, nil
}

func (f *files) openError(name string, err error) *fileError {
	if !errors.Is(err, fs.ErrNotExist) {
		return &fileError{CodeFile, "File cannot be read", fmt.Sprintf("%q: %v.", name, regular.Reason(err))}
	}
	var siblings []string
	if entries, err := fs.ReadDir(f.fsys, path.Dir(name)); err == nil {
		for _, e := range entries {
			siblings = append(siblings, path.Join(path.Dir(name), e.Name()))
		}
	} else if errors.Is(err, fs.ErrNotExist) {
		return &fileError{CodeFile, "Missing file", fmt.Sprintf("There is no directory %q in the tree, so no %q.", path.Dir(name), name)}
	}
	return &fileError{CodeFile, "Missing file", fmt.Sprintf("There is no file %q in the tree.", name) + suggest(name, siblings)}
}

// resolve follows symbolic links to where a file is, and refuses one that leaves the tree. A file system without links
// has none.
func (f *files) resolve(name string) (string, *fileError) {
	const maxLinks = 40
	rest, done := strings.Split(name, "/"), ""
	for links := 0; len(rest) > 0; {
		done, rest = path.Join(done, rest[0]), rest[1:]
		info, err := fs.Lstat(f.fsys, done)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			continue // what does not exist is reported by the one who opens it
		}
		target, err := fs.ReadLink(f.fsys, done)
		if err != nil {
			return "", &fileError{CodeFile, "File cannot be read", fmt.Sprintf("%q is a symbolic link that cannot be followed.", done)}
		}
		resolved := path.Join(path.Dir(done), target)
		if path.IsAbs(target) || resolved == ".." || strings.HasPrefix(resolved, "../") {
			return "", &fileError{CodePath, "Symbolic link leaves the tree",
				fmt.Sprintf("%q leads to %q, outside the directory of the manifest. Put the file itself into the tree.", done, target)}
		}
		if links++; links > maxLinks {
			return "", &fileError{CodePath, "Symbolic links loop", fmt.Sprintf("%q does not end after %d links.", name, maxLinks)}
		}
		done, rest = "", slices.Concat(strings.Split(resolved, "/"), rest)
	}
	return done, nil
}

// hclBody returns the parsed body of an .hcl file. Its syntax faults go to out, the first time only; ok is false when
// there were any: what a broken file half says would only lead to faults that are none.
func (f *files) hclBody(name string, out *faults) (*source, bool, *fileError) {
	s, bad := f.read(name)
	if bad != nil {
		return nil, false, bad
	}
	if s.body != nil || f.failed[s.name] {
		return s, !f.failed[s.name], nil
	}
	if body, plain := plainhcl.Parse(s.bytes, s.name, f.limits.Nesting); plain {
		s.body = body
		return s, true, nil
	}
	if at, deep := tooDeep(s, f.limits.Nesting); deep {
		f.failed[s.name] = true
		out.fault(CodeLimit, at, "Nested too deeply", fmt.Sprintf("Expressions may nest %d levels deep.", f.limits.Nesting))
		return s, false, nil
	}
	file, diags := hclsyntax.ParseConfig(s.bytes, s.name, hcl.InitialPos)
	out.extend(diags)
	s.body, _ = file.Body.(*hclsyntax.Body)
	f.failed[s.name] = diags.HasErrors() || s.body == nil
	return s, !f.failed[s.name], nil
}

// CheckNesting reports HCL text that nests deeper than the limits of a tree allow, or nil. Whoever parses text that others
// sent asks it first: the parser recurses as deep as the text does.
func CheckNesting(name string, text []byte) *hcl.Diagnostic {
	limit := Limits{}.withDefaults().Nesting
	at, deep := tooDeep(&source{name: name, bytes: text}, limit)
	if !deep {
		return nil
	}
	return &hcl.Diagnostic{Severity: hcl.DiagError, Extra: CodeLimit, Subject: &at,
		Summary: "Nested too deeply", Detail: fmt.Sprintf("Expressions may nest %d levels deep.", limit)}
}

// tooDeep measures nesting before the recursive parser meets it: HCL has no limit of its own, and a stack that
// overflows cannot be recovered from. A chain of operators counts as well, since evaluation recurses along it.
func tooDeep(s *source, limit int) (hcl.Range, bool) {
	const harmless = 32 << 10 // bytes: too few to nest dangerously
	const chainLimit = 2000
	if len(s.bytes) < harmless {
		return hcl.Range{}, false
	}
	tokens, _ := hclsyntax.LexConfig(s.bytes, s.name, hcl.InitialPos)
	// One level for each open bracket: how long its expression is by now, and whether a new line ends it.
	type level struct {
		chain int
		lines bool
	}
	levels := []level{{lines: true}}
	for i, t := range tokens {
		top := &levels[len(levels)-1]
		switch t.Type {
		case hclsyntax.TokenOBrace:
			levels = append(levels, level{lines: true})
		case hclsyntax.TokenOBrack, hclsyntax.TokenOParen, hclsyntax.TokenOQuote, hclsyntax.TokenOHeredoc,
			hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
			if t.Type == hclsyntax.TokenOBrack && i > 0 && tokens[i-1].Type != hclsyntax.TokenComma {
				top.chain++ // an index: a[0][1][2] is a chain as well
			}
			levels = append(levels, level{})
		case hclsyntax.TokenCBrack, hclsyntax.TokenCBrace, hclsyntax.TokenCParen, hclsyntax.TokenCQuote, hclsyntax.TokenCHeredoc,
			hclsyntax.TokenTemplateSeqEnd:
			if len(levels) > 1 {
				levels = levels[:len(levels)-1]
			}
		case hclsyntax.TokenComma:
			top.chain = 0
		case hclsyntax.TokenNewline:
			if top.lines {
				top.chain = 0
			}
		case hclsyntax.TokenIdent, hclsyntax.TokenNumberLit, hclsyntax.TokenStringLit, hclsyntax.TokenQuotedLit,
			hclsyntax.TokenComment, hclsyntax.TokenEqual, hclsyntax.TokenDot, hclsyntax.TokenEOF:
		default:
			top.chain++
		}
		if len(levels) > limit || levels[len(levels)-1].chain > chainLimit {
			return t.Range, true
		}
	}
	return hcl.Range{}, false
}
