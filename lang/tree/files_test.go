package tree_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hashicorp/hcl/v2"

	"github.com/dfe-engine/dfe/lang/tree"
)

// readInto copies the files of a directory, its next/ left out, over what is there.
func readInto(t *testing.T, files fstest.MapFS, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == "next" {
				return filepath.SkipDir
			}
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		files[filepath.ToSlash(rel)] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

const oneTable = "column \"id\" {\n  type = \"UInt64\"\n}\nengine   = \"MergeTree\"\norder_by = \"id\"\n"

func manifestOf(from string) []byte {
	return []byte("release = \"1.0.0\"\ndatabase \"d\" {}\ntable \"d.t\" { from = \"" + from + "\" }\n")
}

func summaries(diags hcl.Diagnostics) string {
	var out []string
	for _, d := range diags {
		out = append(out, d.Summary)
	}
	return strings.Join(out, "; ")
}

func TestASymbolicLinkIsFollowedInsideTheTreeOnly(t *testing.T) {
	outside := t.TempDir()
	dir := t.TempDir()
	write := func(path, data string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	link := func(target, name string) {
		t.Helper()
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(outside, "secret.hcl"), oneTable)
	write(filepath.Join(dir, "real.hcl"), oneTable)
	link("real.hcl", "inside.hcl")
	link(filepath.Join(outside, "secret.hcl"), "absolute.hcl")
	link("../"+filepath.Base(outside)+"/secret.hcl", "relative.hcl")
	link(outside, "directory")
	link("loop.hcl", "loop.hcl")
	for from, want := range map[string]string{
		"inside.hcl":           "",
		"absolute.hcl":         "Symbolic link leaves the tree",
		"relative.hcl":         "Symbolic link leaves the tree",
		"directory/secret.hcl": "Symbolic link leaves the tree",
		"loop.hcl":             "Symbolic links loop",
	} {
		write(filepath.Join(dir, "manifest.hcl"), string(manifestOf(from)))
		_, diags := tree.LoadDir(dir, tree.Options{})
		if got := summaries(diags); got != want {
			t.Errorf("LoadDir, %s: %q, want %q", from, got, want)
		}
		// A plain directory file system follows links wherever they lead; the loader itself does not.
		_, diags = tree.Load(os.DirFS(dir), tree.Options{})
		if got := summaries(diags); got != want {
			t.Errorf("DirFS, %s: %q, want %q", from, got, want)
		}
	}
}

func TestADirectoryThatIsNotThereIsOneFault(t *testing.T) {
	_, diags := tree.LoadDir(filepath.Join(t.TempDir(), "nowhere"), tree.Options{})
	if got := summaries(diags); got != "No schema tree" {
		t.Errorf("%q", got)
	}
}

func TestLimitsHold(t *testing.T) {
	includes := fstest.MapFS{
		"manifest.hcl": {Data: manifestOf("t.hcl")},
		"t.hcl":        {Data: []byte("include = [\"i0.hcl\"]\n" + oneTable)},
	}
	for i := range 20 {
		next := "n" + itoa(i+1)
		name := "n" + itoa(i)
		if i == 0 {
			name = "i0"
		}
		includes[name+".hcl"] = &fstest.MapFile{Data: []byte("include = [\"" + next + ".hcl\"]\n")}
	}
	deep := strings.Repeat("[", 50_000) + strings.Repeat("]", 50_000)
	chain := "1" + strings.Repeat(" + 1", 50_000)
	for name, c := range map[string]struct {
		files  fstest.MapFS
		limits tree.Limits
		want   string
	}{
		"a definition over the ceiling": {
			fstest.MapFS{"manifest.hcl": {Data: manifestOf("t.sql")}, "t.sql": {Data: []byte("CREATE TABLE d.t -- " + strings.Repeat("x", 4096))}},
			tree.Limits{FileBytes: 1024}, "File is too large",
		},
		"a tree over the ceiling": {
			fstest.MapFS{"manifest.hcl": {Data: manifestOf("t.hcl")}, "t.hcl": {Data: []byte(oneTable)}},
			tree.Limits{TotalBytes: 100}, "Tree is too large",
		},
		"too many objects": {
			fstest.MapFS{"manifest.hcl": {Data: manifestOf("t.hcl")}, "t.hcl": {Data: []byte(oneTable)}},
			tree.Limits{Objects: 1}, "Too many objects",
		},
		"includes too deep": {includes, tree.Limits{}, "Includes nest too deeply"},
		"brackets too deep": {
			fstest.MapFS{"manifest.hcl": {Data: []byte("locals {\n  x = " + deep + "\n}\n")}}, tree.Limits{}, "Nested too deeply",
		},
		"a chain of operators": {
			fstest.MapFS{"manifest.hcl": {Data: []byte("locals {\n  x = " + chain + "\n}\n")}}, tree.Limits{}, "Nested too deeply",
		},
		"a local that grows": {
			fstest.MapFS{"manifest.hcl": {Data: []byte("release = \"1.0.0\"\ndatabase \"d\" {}\n" + doubling(40))}},
			tree.Limits{ValueBytes: 1 << 16}, "Local \"x16\" is too large",
		},
	} {
		_, diags := tree.Load(c.files, tree.Options{Limits: c.limits})
		if got := summaries(diags); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestALongFileIsNotADeepOne(t *testing.T) {
	var manifest strings.Builder
	manifest.WriteString("release = \"1.0.0\"\ndatabase \"d\" {}\nlocals {\n  list = [\n")
	for i := range 5000 {
		manifest.WriteString("    [" + itoa(i) + ", -1 + 2, \"${1 + 1}\"],\n")
	}
	manifest.WriteString("  ]\n")
	for i := range 5000 {
		manifest.WriteString("  x" + itoa(i) + " = 1 + 2 * -3\n")
	}
	manifest.WriteString("}\n")
	tr, diags := tree.Load(fstest.MapFS{"manifest.hcl": {Data: []byte(manifest.String())}}, tree.Options{})
	clean(t, tr, diags)
}

// doubling declares locals each of which is the one before twice.
func doubling(n int) string {
	var b strings.Builder
	b.WriteString("locals {\n  x0 = \"ab\"\n")
	for i := 1; i <= n; i++ {
		prev := "local.x" + itoa(i-1)
		b.WriteString("  x" + itoa(i) + " = \"${" + prev + "}${" + prev + "}\"\n")
	}
	b.WriteString("}\n")
	return b.String()
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}
