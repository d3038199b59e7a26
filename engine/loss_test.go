package engine_test

import (
	"encoding/json"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/rules/plan"
)

// What rows hold is theirs to see who may read the table. A pass tells how many, and the query that shows them.
func TestNoValueOfARowIsToldOrRecorded(t *testing.T) {
	s := newStage(t)
	s.exec("CREATE DATABASE DB")
	s.exec("CREATE TABLE DB.people (k UInt64, plain String, inside Array(String)) ENGINE = MergeTree ORDER BY k")
	s.exec("INSERT INTO DB.people VALUES (1, 'person-1', ['person-2']), (2, 'person-1', [])")
	s.tree(`
-- manifest.hcl --
release = "1"
database "DB" {}
table "DB.people" { from = "people.sql" }
-- people.sql --
CREATE TABLE DB.people (k UInt64, plain UInt32, inside Array(UInt32)) ENGINE = MergeTree ORDER BY k
`)
	var logged strings.Builder
	r := s.pass(engine.Options{AllowDrift: true, Log: debugLog(&logged)})
	document, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for where, text := range map[string]string{
		"the report": string(document), "the log": logged.String(),
		"the ledger": s.value("SELECT arrayStringConcat(groupArray(formatRow('JSONEachRow', *))) FROM dfe.schema_migrations"),
	} {
		if strings.Contains(text, "person-") {
			t.Errorf("%s holds a value of a row: %s", where, text)
		}
	}
	for _, words := range []string{"2 rows hold values that UInt32 cannot keep", "which this lists: SELECT plain, count()", "the server answers code 6 to SELECT count()"} {
		if !strings.Contains(string(document), words) {
			t.Errorf("the report does not say %q: %s", words, document)
		}
	}
}

// Nobody can count the rows once merges have deleted them.
func TestATTLSaysHowManyRowsArePastItBeforeItIsChanged(t *testing.T) {
	s := newStage(t)
	s.exec("CREATE DATABASE DB")
	s.exec("CREATE TABLE DB.seen (at DateTime, note String) ENGINE = MergeTree ORDER BY at")
	s.exec("SYSTEM STOP MERGES DB.seen")
	s.exec("INSERT INTO DB.seen SELECT now() - number * 86400, 'x' FROM numbers(10)")
	s.tree(`
-- manifest.hcl --
release = "1"
database "DB" {}
table "DB.seen" { from = "seen.sql" }
-- seen.sql --
CREATE TABLE DB.seen (at DateTime, note String) ENGINE = MergeTree ORDER BY at TTL at + INTERVAL 36 HOUR
`)
	e := s.engine(engine.Options{AllowDrift: true})
	doc, err := e.Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := s.pass(engine.Options{AllowDrift: true})
	planned, reported := doc.Objects[len(doc.Objects)-1].Changes, r.Objects[len(r.Objects)-1].Changes
	for what, changes := range map[string][]*plan.Change{"the plan": planned, "the report": reported} {
		if len(changes) != 1 || changes[0].Rows == nil || *changes[0].Rows != 8 {
			t.Errorf("%s: %+v, want one change and 8 rows", what, changes)
		}
	}
}

// The word for a loss is no word for a table that can no longer be read.
func TestAnAcceptedLossIsRefusedWhereRowsCannotBeCastAtAll(t *testing.T) {
	s := newStage(t)
	s.exec("CREATE DATABASE DB")
	s.exec("CREATE TABLE DB.codes (k UInt8, code String, parts Array(String)) ENGINE = MergeTree ORDER BY k")
	s.exec("INSERT INTO DB.codes VALUES (1, '256', ['1']), (2, 'Zebra', ['Zebra']), (3, '', [])")
	s.tree(`
-- manifest.hcl --
release = "1.0.0"
database "DB" {}
table "DB.codes" { from = "codes.sql" }
-- codes.sql --
CREATE TABLE DB.codes (k UInt8, code UInt8, parts Array(UInt8)) ENGINE = MergeTree ORDER BY k
`)
	o := engine.Options{AllowDrift: true, AcceptLoss: []string{s.db + ".codes.code", s.db + ".codes.parts"}}
	r := s.pass(o)
	codes := r.Objects[len(r.Objects)-1]
	if len(codes.Statements) != 0 || codes.Refused() != 2 || len(codes.Changes) != 2 {
		t.Fatalf("%+v", codes)
	}
	code, parts := codes.Changes[0], codes.Changes[1]
	for text, words := range map[string]string{
		code.Reason:  "2 rows hold values that cannot be cast to UInt8",
		code.Advice:  "which this lists: SELECT code, count() FROM " + s.db + ".codes WHERE",
		parts.Reason: "the server answers code 6 to SELECT countIf(",
	} {
		if !strings.Contains(text, words) || strings.Contains(text, "--accept-loss") || strings.Contains(text, "Zebra") {
			t.Errorf("it is not said that %q: %s", words, text)
		}
	}
	s.exec("ALTER TABLE DB.codes DELETE WHERE k > 1 SETTINGS mutations_sync = 2")
	if r := s.pass(o); r.Summary.Applied != 1 || r.Summary.Statements != 2 {
		t.Errorf("after the remedy: %+v", r.Summary)
	}
	if rows := s.value("SELECT toString(code) || toString(parts) FROM DB.codes"); rows != "0[1]" {
		t.Errorf("the rows read %s: the loss that was accepted is that 256 wraps", rows)
	}
}

func TestATypeThatTheStoredRowsDoNotTakeIsNotCalledApplied(t *testing.T) {
	s := newStage(t)
	s.tree(`
-- manifest.hcl --
release = "1.0.0"
database "DB" {}
table "DB.codes" { from = "codes.sql" }
-- codes.sql --
CREATE TABLE DB.codes (k UInt8, code String) ENGINE = MergeTree ORDER BY k
`)
	s.pass(engine.Options{})
	s.exec("INSERT INTO DB.codes VALUES (1, '5')")
	s.tree(`
-- codes.sql --
CREATE TABLE DB.codes (k UInt8, code UInt64) ENGINE = MergeTree ORDER BY k
`)
	// A row that is written after the rows were asked and before the statement.
	w := s.wire()
	w.statement = func(int) bool {
		s.exec("INSERT INTO DB.codes VALUES (2, 'Zebra')")
		return true
	}
	o := engine.Options{Target: catalog.Target{URL: w.URL}, AllowDrift: true, AcceptLoss: []string{s.db + ".codes.code"}, Wait: time.Minute}
	r, err := s.engine(o).Pass(t.Context())
	if err == nil || r.State != engine.Failed || r.Code != "mutation_fails" || r.Summary.Applied != 0 || r.Summary.Failed != 1 {
		t.Fatalf("state %s, code %q, %+v, error %v", r.State, r.Code, r.Summary, err)
	}
	for _, text := range []string{r.Error, s.records()["codes"].Error} {
		for _, want := range []string{"fails on", "code 6", "KILL MUTATION WHERE database = '" + s.db + "' AND table = 'codes'"} {
			if !strings.Contains(text, want) {
				t.Errorf("it is not said that %q: %s", want, text)
			}
		}
		if strings.Contains(text, "Zebra") {
			t.Errorf("a value of a row is told: %s", text)
		}
	}
	// The next pass has nothing to do, and still says so.
	again, err := s.engine(engine.Options{Wait: time.Minute}).Pass(t.Context())
	if err != nil || len(again.Notices) != 1 || again.Notices[0].Code != "mutation_fails" {
		t.Errorf("error %v, notices %+v", err, again.Notices)
	}
	s.exec("KILL MUTATION WHERE database = 'DB' AND table = 'codes' SYNC")
	s.exec("ALTER TABLE DB.codes MODIFY COLUMN code String")
	if rows := s.value("SELECT arrayStringConcat(arraySort(groupArray(code)), ' ') FROM DB.codes"); rows != "5 Zebra" {
		t.Errorf("after the remedy the rows read %s", rows)
	}
}

// TestAMutationThatAPassBeganAndThatGoesOnIsTold asks a server whose profile has alter_sync = 0, so that an ALTER is answered
// before its rows are written anew, and holds the mutation back.
func TestAMutationThatAPassBeganAndThatGoesOnIsTold(t *testing.T) {
	s := newStage(t)
	s.tree(`
-- manifest.hcl --
release = "1.0.0"
database "DB" {}
table "DB.codes" { from = "codes.sql" }
-- codes.sql --
CREATE TABLE DB.codes (k UInt8, code UInt8) ENGINE = MergeTree ORDER BY k
`)
	s.pass(engine.Options{})
	s.exec("INSERT INTO DB.codes VALUES (1, 200)")
	s.exec("SYSTEM STOP MERGES DB.codes")
	s.tree(`
-- codes.sql --
CREATE TABLE DB.codes (k UInt8, code UInt64) ENGINE = MergeTree ORDER BY k
`)
	target, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	profile := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		settings := r.Out.URL.Query()
		settings.Set("alter_sync", "0")
		r.Out.URL.RawQuery = settings.Encode()
	}})
	t.Cleanup(profile.Close)
	r := s.pass(engine.Options{Target: catalog.Target{URL: profile.URL}, AllowDrift: true})
	if r.State != engine.Converged || r.Summary.Applied != 1 || len(r.Notices) != 1 || r.Notices[0].Code != "mutation_under_way" ||
		!strings.Contains(r.Notices[0].Text, s.db+".codes goes on") || !strings.Contains(r.Notices[0].Text, "with 1 part to do") {
		t.Fatalf("state %s, %+v, notices %+v", r.State, r.Summary, r.Notices)
	}
	if row := s.value("SELECT toTypeName(code) || toString(code) FROM DB.codes"); row != "UInt64200" {
		t.Errorf("meanwhile the row reads %s", row)
	}
	// It is the pass that began it that tells.
	if again := s.pass(engine.Options{}); len(again.Notices) != 0 || again.Summary.Statements != 0 {
		t.Errorf("the next pass: %+v, notices %+v", again.Summary, again.Notices)
	}
}
