package plan_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/rules/plan"
)

// sample is a plan with every shape of object and change.
func sample() *plan.Document {
	proved := &plan.Statement{Kind: "table", Object: "shop.orders", Action: "modify-column", SQL: "ALTER TABLE shop.orders MODIFY COLUMN units UInt16",
		Paths: []string{"column.units.type"}, Expect: plan.Expect{Exists: true, Kind: "table", Engine: "MergeTree", UUID: "u-1", Checksum: "abc"},
		Proof: &plan.Proof{Path: "column.units.type", Query: "SELECT count() FROM shop.orders WHERE 0", Show: "SELECT units FROM shop.orders WHERE 0", Note: "rows written meanwhile are not covered"}}
	doc := &plan.Document{Version: plan.Version, Platform: "embedded", Objects: []*plan.Object{
		{Kind: "table", Name: "shop.orders", File: "tables/orders.hcl", Line: 3, Checksum: "def", Changes: []*plan.Change{
			{Path: "column.note", Op: "add", Action: "add-column", Rule: "a declared column the table lacks is added", Desired: "String", Statement: "ALTER TABLE shop.orders ADD COLUMN IF NOT EXISTS note String"},
			{Path: "column.units.type", Op: "change", Action: "modify-column", Rule: "a type", Reason: "asked of the data", Live: "UInt32", Desired: "UInt16", Statement: proved.SQL},
			{Path: "index.by_sold", Op: "add", Action: "add-index", Report: true, Rule: "an index", Reason: "for new parts", Advice: "materialize it", Desired: "sold minmax"},
		}},
		{Kind: "view", Name: "shop.big", Changes: []*plan.Change{{Path: "query", Op: "change", Action: "replace-view", Rule: "a view", Live: "SELECT 1", Desired: "SELECT 2"}}},
		{Kind: "table", Name: "shop.old", Changes: []*plan.Change{{Op: "remove", Action: "report", Rule: "undeclared", Reason: "a pass drops nothing"}}},
		{Kind: "table", Name: "shop.kept", Changes: []*plan.Change{
			{Path: "order_by", Op: "change", Action: "refused", Rule: "a key", Reason: "rebuild", Advice: "EXCHANGE", Live: "id", Desired: "(id, at)"},
			{Path: "codec", Op: "change", Action: "refused", Rule: "a codec", Statement: "ALTER TABLE a;\nALTER TABLE b"},
			{Path: "other", Op: "change", Action: "refused", Rule: "a codec", Statement: "ALTER TABLE a;\nALTER TABLE b"}}},
		{Kind: "table", Name: "shop.new", Changes: []*plan.Change{{Op: "add", Action: "create", Rule: "created"}}},
		{Kind: "view", Name: "shop.who", Changes: []*plan.Change{{Path: "column.a.type", Op: "change", Action: "report", CannotTell: true, Rule: "cannot tell", Reason: "the text does not say"}}},
		{Kind: "view", Name: "shop.torn", Unreadable: &plan.Unreadable{Side: "live", Message: "expected a name", Line: 4}},
		{Kind: "table", Name: "shop.same", Changes: nil},
		{Kind: "table", Name: "shop.adopted", Adopted: true},
	}, Statements: []*plan.Statement{proved}}
	for _, o := range doc.Objects {
		o.Settle()
	}
	doc.Count()
	return doc
}

func TestEachObjectIsCountedOnceUnderItsGravestChange(t *testing.T) {
	doc := sample()
	want := plan.Summary{None: 2, Create: 1, Alter: 1, Replace: 1, Refused: 1, Report: 1, CannotTell: 1, Unreadable: 1}
	if diff := cmp.Diff(want, doc.Summary); diff != "" {
		t.Error(diff)
	}
	if !doc.Differs() || doc.Refusals() != 1 {
		t.Errorf("differs %v, refusals %d", doc.Differs(), doc.Refusals())
	}
	if same := (&plan.Document{Objects: []*plan.Object{{Action: plan.ObjectNone}}, Summary: plan.Summary{None: 1}}); same.Differs() {
		t.Error("a plan without a difference differs")
	}
}

func TestTextIsForPeople(t *testing.T) {
	want := `table shop.orders  alter
  + column.note        add-column            String
  ~ column.units.type  modify-column         UInt32 -> UInt16
  + index.by_sold      add-index and report  sold minmax
      an index: for new parts
      advice: materialize it

view shop.big  replace
  ~ query  replace-view  SELECT 1 -> SELECT 2

table shop.old  report
  - (object)  report
      undeclared: a pass drops nothing

table shop.kept  refused
  ~ order_by  refused  id -> (id, at)
      a key: rebuild
      advice: EXCHANGE
  ~ codec     refused
      a codec
      not sent: ALTER TABLE a;
                ALTER TABLE b
  ~ other     refused
      a codec
      not sent: the same statement

table shop.new  create

view shop.who  cannot_tell
  ~ column.a.type  cannot tell
      cannot tell: the text does not say

view shop.torn  unreadable
    live definition, line 4: expected a name

table shop.adopted  none  adopted: live, and not in the ledger (made by hand, or by a pass that ended before it recorded it)

1 statement to send
  1  ALTER TABLE shop.orders MODIFY COLUMN units UInt16
     only if this finds no row: SELECT count() FROM shop.orders WHERE 0
     rows written meanwhile are not covered

1 to create, 1 to alter, 1 to replace, 1 refused, 1 reported, 1 undecidable, 1 unreadable; 2 unchanged
`
	var b strings.Builder
	if err := plan.WriteText(&b, sample(), plan.TextOptions{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestTextFitsTheTerminal(t *testing.T) {
	doc := &plan.Document{Objects: []*plan.Object{{Kind: "view", Name: "v", Action: plan.ObjectReplace, Changes: []*plan.Change{
		{Path: "query", Op: "change", Action: "replace-view", Live: strings.Repeat("ä", 100) + "\n\n  x", Desired: "SELECT 2"}}}}}
	var b strings.Builder
	if err := plan.WriteText(&b, doc, plan.TextOptions{Width: 40, Color: true}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "…") || !strings.Contains(b.String(), "\x1b[33m") {
		t.Errorf("want a cut value and colours, have %q", b.String())
	}
	for line := range strings.Lines(b.String()) {
		plain := strings.NewReplacer("\x1b[33m", "", "\x1b[1m", "", "\x1b[0m", "", "\x1b[2m", "").Replace(strings.TrimSuffix(line, "\n"))
		if n := len([]rune(plain)); n > 64 {
			t.Errorf("a line of %d characters on a terminal of 40: %q", n, plain)
		}
	}
}

func TestJSONIsTheContract(t *testing.T) {
	var b bytes.Buffer
	if err := plan.WriteJSON(&b, sample(), plan.JSONOptions{}); err != nil {
		t.Fatal(err)
	}
	want := `{"version":1,"platform":"embedded","objects":[
{"kind":"table","name":"shop.orders","action":"alter","changes":[{"path":"column.note","op":"add","action":"add-column","rule":"a declared column the table lacks is added","desired":"String","statement":"ALTER TABLE shop.orders ADD COLUMN IF NOT EXISTS note String"},`
	if got := b.String(); !strings.HasPrefix(got, want) {
		t.Errorf("the document begins %q", got[:min(len(got), len(want))])
	}
	if !strings.Contains(b.String(), `"unreadable":{"side":"live","message":"expected a name","line":4}`) {
		t.Error("an unreadable side is not told")
	}
	if !strings.Contains(b.String(), `"summary":{"none":2,"create":1,"alter":1,"replace":1,"refused":1,"report":1,"cannot_tell":1,"unreadable":1},`+"\n"+`"digest":"`) {
		t.Errorf("the document ends %q", b.String()[b.Len()-120:])
	}
	if strings.Contains(b.String(), "shop.same") {
		t.Error("an object without a difference is listed")
	}
}

func TestADocumentReadsBack(t *testing.T) {
	doc := sample()
	var b bytes.Buffer
	if err := plan.WriteJSON(&b, doc, plan.JSONOptions{All: true}); err != nil {
		t.Fatal(err)
	}
	if !json.Valid(b.Bytes()) {
		t.Fatalf("no JSON: %s", b.String())
	}
	got, err := plan.ReadJSON(&b)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Digest) != 64 {
		t.Errorf("the digest is %q", got.Digest)
	}
	got.Digest = ""
	if diff := cmp.Diff(doc, got); diff != "" {
		t.Error(diff)
	}
}

func TestAnEditedDocumentIsRefusedAsEditedAndANewLayoutIsNot(t *testing.T) {
	var b, pretty bytes.Buffer
	if err := plan.WriteJSON(&b, sample(), plan.JSONOptions{All: true}); err != nil {
		t.Fatal(err)
	}
	if err := json.Indent(&pretty, b.Bytes(), "", "\t"); err != nil {
		t.Fatal(err)
	}
	if _, err := plan.ReadJSON(&pretty); err != nil {
		t.Errorf("laid out anew: %v", err)
	}
	for was, is := range map[string]string{
		"ADD COLUMN IF NOT EXISTS note String": "ADD COLUMN IF NOT EXISTS note UInt8",
		`"uuid":"u-1"`:                         `"uuid":"u-2"`,
		`"create":1`:                           `"create":2`,
		`"digest":"`:                           `"was":"`,
	} {
		if _, err := plan.ReadJSON(strings.NewReader(strings.Replace(b.String(), was, is, 1))); !errors.Is(err, plan.ErrEdited) {
			t.Errorf("%s for %s: %v", is, was, err)
		}
	}
}

func TestADocumentOfAnotherVersionIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{"version":2}`:              "version 2",
		`{"objects":[]}`:             "version 0",
		`{"version":1,"objects":[nu`: "no plan document",
		`{"version":1} {}`:           "behind the document",
	} {
		_, err := plan.ReadJSON(strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error that says %s", text, err, want)
		}
	}
}

func TestAnEmptyDocumentIsWhole(t *testing.T) {
	var b bytes.Buffer
	if err := plan.WriteJSON(&b, &plan.Document{Version: 1}, plan.JSONOptions{}); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got["objects"] == nil || got["statements"] == nil {
		t.Errorf("lists that are empty are null: %s", b.String())
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestAWriterThatFailsIsTold(t *testing.T) {
	if err := plan.WriteJSON(brokenPipe{}, sample(), plan.JSONOptions{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("JSON: %v", err)
	}
	if err := plan.WriteText(brokenPipe{}, sample(), plan.TextOptions{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("text: %v", err)
	}
}

func TestALossTurnsAChangeIntoARefusal(t *testing.T) {
	for name, c := range map[string]struct {
		loss plan.Loss
		want string
	}{
		"one row":   {plan.Loss{Rows: 1}, "1 row holds a value that UInt16 cannot keep"},
		"many rows": {plan.Loss{Rows: 12}, "12 rows hold values that UInt16 cannot keep"},
		"no answer": {plan.Loss{Err: "Code: 159. timeout"}, "it could not be shown that every value of UInt32 fits UInt16: Code: 159. timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			doc := sample()
			doc.Refuse(doc.Statements[0], c.loss)
			orders := doc.Objects[0]
			got := orders.Changes[1]
			if got.Action != "refused" || got.Reason != c.want || !strings.Contains(got.Advice, "--accept-loss shop.orders.units") {
				t.Errorf("the change is %+v", got)
			}
			if len(doc.Statements) != 0 || orders.Action != plan.ObjectRefused || doc.Summary.Refused != 2 || doc.Summary.Alter != 0 {
				t.Errorf("the plan is %+v, the object %s", doc.Summary, orders.Action)
			}
			if orders.Changes[0].Action != "add-column" {
				t.Error("another change of the object was refused with it")
			}
		})
	}
}

func TestRowsThatCannotBeCastAreNoLossToAccept(t *testing.T) {
	for want, loss := range map[string]plan.Loss{
		"2 rows hold values that cannot be cast to UInt16": {Rows: 2},
		"can be cast to UInt16":                            {Err: "the server answers code 6"},
	} {
		doc := sample()
		doc.Statements[0].Proof.Accepted = true
		doc.Refuse(doc.Statements[0], loss)
		got := doc.Objects[0].Changes[1]
		if got.Action != "refused" || !strings.Contains(got.Reason, want) || strings.Contains(got.Advice, "--accept-loss") || !strings.Contains(got.Advice, "which this lists: ") {
			t.Errorf("the change is %+v", got)
		}
	}
}

func TestTextShowsWhatARehearsalFound(t *testing.T) {
	statement := func(sql string, r *plan.Rehearsal) *plan.Statement {
		return &plan.Statement{Kind: "table", Object: "shop.orders", SQL: sql, Rehearsal: r}
	}
	doc := &plan.Document{Version: plan.Version, Objects: []*plan.Object{{Kind: "table", Name: "shop.orders", Action: plan.ObjectRefused, Changes: []*plan.Change{
		{Path: "codec", Op: "change", Action: "refused", Rule: "a codec", Statement: "ALTER c", Rehearsal: &plan.Rehearsal{Answer: plan.AnswerError, Code: 36, Message: "no"}}}}},
		Statements: []*plan.Statement{
			statement("ALTER a", &plan.Rehearsal{Answer: plan.AnswerOK}),
			statement("ALTER b", &plan.Rehearsal{Answer: plan.AnswerOK, Message: "played without its definer boss"}),
			statement("ALTER d", &plan.Rehearsal{Answer: plan.AnswerError, Code: 44, Message: "the column is there"}),
			statement("ALTER e", &plan.Rehearsal{Answer: plan.AnswerError, Message: "it still differs"}),
			statement("ALTER f", &plan.Rehearsal{Answer: plan.AnswerNotRehearsed, Message: "engine Kafka"}),
		},
		Rehearsal: &plan.Rehearsed{Server: "26.7.2.1", Live: "26.3.1.1", Loaded: 2,
			Substitutes: []*plan.Substitute{{Kind: "table", Name: "shop.queue", Reason: "engine Kafka"}, {Kind: "view", Name: "shop.v", Absent: true, Reason: "error 60"}},
			Left:        []*plan.Left{{Kind: "table", Object: "shop.orders", Path: "comment", Live: "a", Desired: "b"}, {Kind: "view", Object: "shop.v"}}}}
	doc.Conclude()
	want := `table shop.orders  refused
  ~ codec  refused
      a codec
      not sent: ALTER c
      no part of the plan, and rehearsed after it: the engine answers error 36: no

5 statements to send
  1  ALTER a
     rehearsed: ok
  2  ALTER b
     rehearsed: ok, played without its definer boss
  3  ALTER d
     rehearsed: the engine answers error 44: the column is there
  4  ALTER e
     rehearsed: it would fail: it still differs
  5  ALTER f
     not rehearsed: engine Kafka

rehearsed on ClickHouse 26.7.2.1 (the server has 26.3.1.1), without data, beside 2 live objects: 2 ok, 2 would fail, 1 not rehearsed
  stood in for: table shop.queue: engine Kafka
  missing: view shop.v: error 60
  still different after the plan: table shop.orders comment: it is a and should be b
  still different after the plan: view shop.v: it is not there

no difference; 0 unchanged
`
	var b strings.Builder
	if err := plan.WriteText(&b, doc, plan.TextOptions{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
	if !doc.WouldFail() || (&plan.Document{}).WouldFail() {
		t.Error("a plan fails where a rehearsal found an error, and only there")
	}
	var j bytes.Buffer
	if err := plan.WriteJSON(&j, doc, plan.JSONOptions{All: true}); err != nil {
		t.Fatal(err)
	}
	got, err := plan.ReadJSON(&j)
	if err != nil {
		t.Fatal(err)
	}
	got.Digest = ""
	if diff := cmp.Diff(doc, got); diff != "" {
		t.Errorf("the JSON form loses something of a rehearsal:\n%s", diff)
	}
}
