package ddl_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// pair is one line of ddl_pairs.jsonl: one object in two texts.
type pair struct {
	ID     string `json:"id"`
	DB     string `json:"db"`
	Name   string `json:"name"`
	Source string `json:"source"`
	Live   string `json:"live"`
}

// alteration is one line of ddl_alters.jsonl.
type alteration struct {
	ID     string `json:"id"`
	Before string `json:"before"`
	Alter  string `json:"alter"`
	After  string `json:"after"`
}

// measured is one line of measured_pairs.jsonl.
type measured struct {
	ID         string   `json:"id"`
	Statements []string `json:"statements"`
	Error      *string  `json:"error"`
	Stored     *string  `json:"stored"`
}

// shared finds a file of the corpus in a directory "shared" next to the repository, or returns "".
func shared(name string) string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for {
		if path := filepath.Join(dir, "shared", name); fileExists(path) {
			return path
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// lines reads a file of the corpus, one T a line.
func lines[T any](tb testing.TB, name string) []T {
	tb.Helper()
	path := shared(name)
	if path == "" {
		tb.Skip("the shared corpus is not here")
	}
	f, err := os.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var all []T
	for sc := newScanner(f); sc.Scan(); {
		var v T
		if err := json.Unmarshal(sc.Bytes(), &v); err != nil {
			tb.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}

func newScanner(f *os.File) *bufio.Scanner {
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 16<<20)
	return sc
}

// corpusTexts returns both sides of every pair.
func corpusTexts(tb testing.TB) []string {
	tb.Helper()
	pairs := lines[pair](tb, "corpus/ddl_pairs.jsonl")
	texts := make([]string, 0, 2*len(pairs))
	for _, p := range pairs {
		texts = append(texts, p.Source, p.Live)
	}
	return texts
}
