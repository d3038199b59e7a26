package cli_test

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// hostile has what a terminal obeys, and what hides or turns around what stands beside it.
const hostile = "\x1b[2J\x1b]0;x\x07\u202eevil\u2066\u200b\ufeff\u009b31m\x7f"

// writeHostile writes a tree in which HOSTILE stands for that.
func writeHostile(t *testing.T, archive string) string {
	t.Helper()
	return write(t, strings.ReplaceAll(archive, "HOSTILE", hostile))
}

// demandVisible demands that everything a command prints for people is there to see, with each character as its escape.
func demandVisible(t *testing.T, r result, escape string) {
	t.Helper()
	for _, text := range []string{r.out, r.err} {
		if i := strings.IndexFunc(text, func(c rune) bool { return c != '\n' && c != '\t' && !unicode.IsGraphic(c) }); i >= 0 {
			t.Errorf("it reaches the terminal: %q", text[i:])
		}
	}
	if escape != "" && !strings.Contains(r.out+r.err, escape) {
		t.Errorf("%s is not shown: %s%s", escape, r.out, r.err)
	}
}

func TestTextsOfOthersAreVisibleAndSteerNoTerminal(t *testing.T) {
	dir := writeHostile(t, `
-- manifest.hcl --
release = "1"
database "d" {
  comment = "HOSTILE"
}
table "d.t" { from = "t.sql" }
-- t.sql --
CREATE TABLE d.t (a UInt8 COMMENT 'HOSTILE') ENGINE = MergeTree ORDER BY `+"`no HOSTILE`"+`
-- live.sql --
CREATE TABLE d.t (a UInt8 COMMENT 'HOSTILE', `+"`HOSTILE` UInt8"+`) ENGINE = MergeTree ORDER BY a
-- desired.sql --
CREATE TABLE d.t (a String COMMENT 'HOSTILE', `+"`xHOSTILE` UInt8, `over\rwritten` UInt8"+`) ENGINE = MergeTree ORDER BY a
-- source.hcl --
id           = "web"
organisation = "acme"
profile      = "minimal"
keys         = ["HOSTILE"]
views        = ["HOSTILE"]
-- tenants.hcl --
organisation "HOSTILE" {
  tier = "HOSTILE"
}
`)
	in := func(name string) string { return filepath.Join(dir, name) }
	diff := []string{"schema", "diff", "--from", in("live.sql"), "--to", in("desired.sql")}
	for _, args := range [][]string{
		diff,
		{"schema", "lint", "--tree", dir},
		{"schema", "plan", "--tree", dir, "--url", "http://127.0.0.1:1"},
		{"source", "plan", in("source.hcl"), "--url", "http://127.0.0.1:1"},
		{"tenant", "plan", in("tenants.hcl"), "--url", "http://127.0.0.1:1"},
		{"source", "plan", "no\x1b[2J\u202efile", "--url", "http://127.0.0.1:1"},
		{"schema", "plan", "--format", "\x1b[2J\u202e"},
		{"no\x1b[2J\u202ecommand"},
	} {
		demandVisible(t, run(t, nil, args...), `\u202e`)
	}
	var document struct {
		Objects []struct{ Changes []struct{ Path string } }
	}
	decode(t, run(t, nil, append(diff, "--format", "json")...).out, &document)
	exact := false
	for _, o := range document.Objects {
		for _, c := range o.Changes {
			exact = exact || strings.Contains(c.Path, "x"+hostile)
		}
	}
	if !exact {
		t.Errorf("JSON does not hold the name as it is: %+v", document)
	}
}

func TestWhatAPlanAPassAndAStatusSayIsVisible(t *testing.T) {
	dir, data := writeHostile(t, `
-- manifest.hcl --
release = "1"
database "d" {}
table "d.a HOSTILE" { from = "t.hcl" }
-- t.hcl --
column "a" {
  type    = "UInt8"
  comment = "HOSTILE"
}
engine   = "MergeTree"
order_by = ["a"]
-- source.hcl --
id           = "HOSTILE"
organisation = "HOSTILE"
title        = "HOSTILE"
profile      = "minimal"
`), filepath.Join(t.TempDir(), "data")
	at := []string{"--tree", dir, "--embedded", data}
	source := filepath.Join(dir, "source.hcl")
	for _, args := range [][]string{
		{"schema", "plan"}, {"schema", "apply"}, {"schema", "status"}, {"schema", "plan", "--all"}, {"source", "plan", source}, {"source", "apply", source},
	} {
		demandVisible(t, dfe(t, nil, append(args, at...)...), "")
	}
}
