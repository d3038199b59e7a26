package tokens_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/engine/tokens"
)

// write puts a text into the file of a test, which only its owner may write.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func block(name, hash string) string {
	return string(tokens.Block(name, hash, []tokens.Permission{tokens.SourceDeploy}, nil))
}

func TestATokenIsFoundByItsHashAlone(t *testing.T) {
	token, hash := tokens.New()
	other, otherHash := tokens.New()
	unknown, _ := tokens.New()
	text := string(tokens.Block("ci", hash, []tokens.Permission{tokens.SourcePlan}, []string{"acme"})) + "\n" + block("ops", otherHash)
	list, diags := tokens.Parse("tokens.hcl", []byte(text))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	ci, ops := tokens.Find(list, token), tokens.Find(list, other)
	if ci == nil || ci.Name != "ci" || !ci.May(tokens.SourcePlan) || ci.May(tokens.SourceDeploy) || !ci.For("acme") || ci.For("other") {
		t.Errorf("%+v", ci)
	}
	if ops == nil || ops.Name != "ops" || !ops.May(tokens.SourceDeploy) || !ops.For("other") {
		t.Errorf("%+v", ops)
	}
	for _, presented := range []string{unknown, "", hash, strings.ToLower(token), token + " ", token[:len(token)-1]} {
		if found := tokens.Find(list, presented); found != nil {
			t.Errorf("%q is taken for %s", presented, found.Name)
		}
	}
	if strings.Contains(text, token) || !regexp.MustCompile(`^dfe_[A-Za-z0-9_-]{43}$`).MatchString(token) {
		t.Errorf("%s in\n%s", token, text)
	}
}

// TestATokenThatPeopleChoseIsNone holds though its hash stands in the file: it could be guessed.
func TestATokenThatPeopleChoseIsNone(t *testing.T) {
	// The SHA-256 of "hunter2".
	list, diags := tokens.Parse("tokens.hcl", []byte(block("ops", "sha256:f52fbd32b2b3b86ff88ef6c490628285f482af15ddcb29541f94bcf526a3f6c7")))
	if diags.HasErrors() || tokens.Find(list, "hunter2") != nil {
		t.Errorf("found, %v", diags)
	}
}

func TestEveryFaultOfAFileIsNamedAndNoneShowsAValue(t *testing.T) {
	token, hash := tokens.New()
	for _, c := range []struct{ text, want string }{
		{`token "a" {`, "Unclosed configuration block"},
		{`tokens "a" {}`, "Unsupported block type"},
		{`token "a" { permissions = ["source.deploy"] }`, "Missing required argument"},
		{block("a", token), "A token in place of its hash"},
		{block("a", "sha256:abc"), "No hash"},
		{block("a", strings.TrimPrefix(hash, "sha256:")), "No hash"},
		{block("a", hash) + block("a", strings.Replace(hash, hash[7:9], "zz", 1)), `Two tokens called "a"`},
		{block("a", hash) + block("b", hash), "One hash twice"},
		{block("", hash), "A token without a name"},
		{`token "a" {` + "\nhash = \"" + hash + "\"\npermissions = []\n}", "A token that allows nothing"},
		{`token "a" {` + "\nhash = \"" + hash + "\"\npermissions = [\"all\"]\n}", "Unknown permission"},
		{`token "a" {` + "\nhash = \"" + hash + "\"\npermissions = 7\n}", `Wrong value for "permissions"`},
		{block("a", hash)[:len(block("a", hash))-2] + "organisations = []\n}", "A token for no organisation"},
		{`token "a" {` + "\nhash = " + token + "\npermissions = [\"source.plan\"]\n}", "Variables not allowed"},
	} {
		list, diags := tokens.Parse("tokens.hcl", []byte(c.text))
		if text := diags.Error(); !strings.Contains(text, c.want) || strings.Contains(text, token[4:]) || list != nil {
			t.Errorf("%s\n%s, want %s", c.text, text, c.want)
		}
	}
}

func TestAFileIsReadAgainAtEveryCall(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.hcl")
	token, hash := tokens.New()
	write(t, path, block("ci", hash))
	f, err := tokens.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	names := func() []string {
		list, err := f.Tokens()
		var found []string
		for _, token := range list {
			found = append(found, token.Name)
		}
		if err != nil {
			found = append(found, err.Error()[strings.LastIndex(err.Error(), ": ")+2:])
		}
		return found
	}
	got := [][]string{names()}
	write(t, path, block("ops", hash))
	got = append(got, names())
	write(t, path, "")
	got = append(got, names())
	write(t, path, "token {}")
	got = append(got, names())
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	got = append(got, names())
	write(t, path, block("ci", hash))
	got = append(got, names())
	want := [][]string{{"ci"}, {"ops"}, nil, {"Missing name for token; All token blocks must have 1 labels (name)."}, {"no such file or directory"}, {"ci"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if list, _ := f.Tokens(); tokens.Find(list, token) == nil {
		t.Error("the token is not found any more")
	}
}

func TestAFileThatOthersMayWriteGivesNobodyAccess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.hcl")
	_, hash := tokens.New()
	write(t, path, block("ci", hash))
	for mode, refused := range map[os.FileMode]bool{0o600: false, 0o400: false, 0o644: false, 0o620: true, 0o602: true, 0o666: true} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := tokens.Open(path); errors.Is(err, tokens.ErrMode) != refused {
			t.Errorf("mode %o: %v", mode, err)
		}
	}
}

func TestWhatIsNoFileIsNotOpened(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	large := filepath.Join(dir, "large")
	write(t, large, strings.Repeat("#", 1<<20+1))
	for path, want := range map[string]string{
		dir: "no regular file", pipe: "no regular file", large: "too large", filepath.Join(dir, "absent"): "no such file",
	} {
		var fault *tokens.FileError
		if _, err := tokens.Open(path); !errors.As(err, &fault) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
