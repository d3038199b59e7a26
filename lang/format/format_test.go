package format_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/dfe-engine/dfe/lang/format"
	"github.com/dfe-engine/dfe/lang/lex"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestFilesHaveOneLayout formats in.KIND of each case of testdata and compares with out.KIND, which stays as it is.
func TestFilesHaveOneLayout(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil || len(archive.Files) != 2 {
				t.Fatalf("a case has the two files in.KIND and out.KIND: %v", err)
			}
			in, out := archive.Files[0], &archive.Files[1]
			got := formatted(t, in.Name, in.Data)
			if *update {
				out.Data = got
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(out.Data), string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(string(got), string(formatted(t, in.Name, got))); diff != "" {
				t.Errorf("formatted again (-once +twice):\n%s", diff)
			}
		})
	}
}

func formatted(t *testing.T, name string, src []byte) []byte {
	t.Helper()
	out, err := format.File(name, src)
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, src)
	}
	return out
}

// TestWhatWeShipIsFormatted holds the core release and the examples to the layout.
func TestWhatWeShipIsFormatted(t *testing.T) {
	count := 0
	for _, dir := range []string{"stdlib", "examples"} {
		root := filepath.Join("..", "..", dir)
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !format.Known(path) {
				return err
			}
			count++
			src, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if diff := cmp.Diff(string(src), string(formatted(t, path, src))); diff != "" {
				t.Errorf("%s is not formatted (-is +should be):\n%s", path, diff)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if count < 30 {
		t.Errorf("only %d files were found", count)
	}
}

// TestStatementsOfAccessStayAsTheyAreWritten holds that every .sql definition a tree may have is one that can be formatted.
func TestStatementsOfAccessStayAsTheyAreWritten(t *testing.T) {
	for _, text := range []string{
		"CREATE ROLE reader;\n\n-- what it reads\nGRANT SELECT(id), INSERT ON shop.orders TO reader;\nREVOKE SELECT ON shop.secrets FROM reader;\n",
		"CREATE USER u\n  IDENTIFIED WITH sha256_password BY secret('env:U')\n  HOST LOCAL\n",
		"CREATE SETTINGS PROFILE web SETTINGS max_threads = 2 MIN 1 MAX 8\n",
		"CREATE QUOTA q FOR INTERVAL 1 hour MAX queries = 1 TO u\n",
		"CREATE ROW POLICY p ON shop.orders USING owner = currentUser() TO ALL\n",
		"GRANT reader TO u\n",
	} {
		out, err := format.File("a.sql", []byte(text))
		if err != nil || string(out) != text {
			t.Errorf("%s\nbecomes\n%s\n%v", text, out, err)
		}
	}
}

// TestABrokenFileIsAnError holds that no layout is made of what cannot be read.
func TestABrokenFileIsAnError(t *testing.T) {
	for name, src := range map[string]string{
		"a.hcl": `column "id" {`, "b.sql": "CREATE TABLE t (a UInt8", "c.sql": "SELECT 1", "d.sql": "-- nothing\n", "e.sql": "CREATE TABLE t (a UInt8) /* open",
		"deep.hcl": "x = " + strings.Repeat("[", 1<<20), "deep.sql": "CREATE VIEW v AS SELECT " + strings.Repeat("(", 1<<16) + "1" + strings.Repeat(")", 1<<16),
		"f.rules": "rule", "g.txt": "x", "h.sql": "CREATE TABLE t (a UInt8) ENGINE = Log; DROP TABLE t",
	} {
		if out, err := format.File(name, []byte(src)); err == nil || out != nil {
			t.Errorf("%s: got %.100q, %v", name, out, err)
		}
	}
}

// pair is a line of the shared corpus.
type pair struct{ ID, Source, Live string }

// corpus calls f for each pair of the shared corpus, which stands beside the repository.
func corpus(t testing.TB, f func(pair)) {
	t.Helper()
	path := filepath.Join("shared", "corpus", "ddl_pairs.jsonl")
	var file *os.File
	for range 6 {
		path = filepath.Join("..", path)
		if open, err := os.Open(path); err == nil {
			file = open
			break
		}
	}
	if file == nil {
		t.Skip("the shared corpus is not beside the repository")
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var p pair
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		f(p)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// TestTheLayoutIsClickHouses formats what a server printed. It stays as it is, but for the spaces that 26.7 prints before
// SKIP in a JSON type and two forms that only it prints.
func TestTheLayoutIsClickHouses(t *testing.T) {
	total, other := 0, 0
	corpus(t, func(p pair) {
		total++
		out, err := format.SQL([]byte(p.Live))
		if err != nil {
			t.Errorf("%s: %v", p.ID, err)
			return
		}
		if strings.TrimSuffix(string(out), "\n") == p.Live || strings.Contains(p.Live, "    SKIP ") {
			return
		}
		other++
		t.Logf("%s (-server +ours):\n%s", p.ID, cmp.Diff(p.Live, string(out)))
	})
	if other > 2 {
		t.Errorf("%d of %d statements have another layout than the server gave them", other, total)
	}
}

// TestFormattingTwiceChangesNothing formats what people wrote, as it is and with comments strewn into every fourth gap,
// which the formatter itself proves to be kept.
func TestFormattingTwiceChangesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	corpus(t, func(p pair) {
		for _, src := range []string{p.Source, strew(random, p.Source)} {
			once, err := format.SQL([]byte(src))
			if err != nil {
				t.Errorf("%s: %v\n%s", p.ID, err, src)
				continue
			}
			twice, err := format.SQL(once)
			if err != nil || !bytes.Equal(once, twice) {
				t.Errorf("%s: %v (-once +twice):\n%s", p.ID, err, cmp.Diff(string(once), string(twice)))
			}
		}
	})
}

// strew puts comments of every form between tokens.
func strew(random *rand.Rand, src string) string {
	forms := []string{" -- c%d\n", "\n-- c%d\n", "/* c%d */", "\n\n/* c\n %d */\n\n", " # c%d\n", "\n  -- c%d\n\n\n  -- c\n"}
	tokens, _ := lex.All(nil, src)
	var b strings.Builder
	at := 0
	for i, t := range tokens {
		b.WriteString(src[at:t.Pos])
		if random.IntN(4) == 0 {
			b.WriteString(strings.ReplaceAll(forms[random.IntN(len(forms))], "%d", fmt.Sprint(i)))
		}
		b.WriteString(t.Text(src))
		at = int(t.End)
	}
	return b.String()
}

func BenchmarkSQL(b *testing.B) {
	var texts [][]byte
	size := 0
	corpus(b, func(p pair) {
		texts = append(texts, []byte(p.Source))
		size += len(p.Source)
	})
	b.SetBytes(int64(size))
	for b.Loop() {
		for _, text := range texts {
			if _, err := format.SQL(text); err != nil {
				b.Fatal(err)
			}
		}
	}
}
