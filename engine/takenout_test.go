package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/topics"
	"github.com/dfe-engine/dfe/rules/plan"
)

// undeclared lists what a report says of objects that nothing declares, as "view a: report".
func undeclared(r engine.Report) []string {
	list := []string{}
	for _, o := range r.Objects {
		if o.Outcome == engine.Undeclared {
			list = append(list, fmt.Sprintf("%s %s %s: %s", o.Scope, o.Kind, o.Name, o.Action))
		}
	}
	return list
}

// planned lists the objects of a plan that are only reported.
func planned(doc *plan.Document) []string {
	list := []string{}
	for _, o := range doc.Objects {
		if o.Action == plan.ObjectReport {
			list = append(list, o.Kind+" "+o.Name)
		}
	}
	return list
}

// takenOut lists what a status says is declared no more, as "view a: matches".
func takenOut(t *testing.T, e *engine.Engine) []string {
	t.Helper()
	status, err := e.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	list := []string{}
	for _, o := range status.Objects {
		if o.TakenOut {
			list = append(list, fmt.Sprintf("%s %s: %s", o.Kind, o.Name, o.Live))
		}
	}
	return list
}

// without is a config with these standard views alone.
func without(text, views string) string {
	return strings.Replace(text, "ttl_days", "views = ["+views+"]\nttl_days", 1)
}

func TestAViewThatASourceDeclaresNoMoreIsReportedUntilItIsDropped(t *testing.T) {
	y := newYard(t)
	y.deploy(web)
	// What another source, the overlay or a person has beside it is none of the source's.
	y.deploy(strings.Replace(web, `"web-access"`, `"web-access_"`, 1))
	y.exec("CREATE VIEW org_acme.webx2daccess__by_hand AS SELECT 1")
	less := without(web, `"latest"`)
	want := []string{"view org_acme.webx2daccess__daily_volume", "view org_acme.webx2daccess__errors"}

	doc, err := y.PlanPart(t.Context(), part(t, less))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, planned(doc)); diff != "" || len(doc.Statements) != 0 || doc.Summary.Report != 2 {
		t.Errorf("the plan: %+v, %s", doc.Summary, diff)
	}
	if got := takenOut(t, y.Engine); len(got) != 0 {
		t.Errorf("before the deploy the status says %q", got)
	}
	for range 2 { // each deploy reports it, and one row tells it
		code, document := over(t, y.Engine, less)
		var reported []string
		for _, f := range document.Reported {
			reported = append(reported, f.Kind+" "+f.Object)
		}
		if diff := cmp.Diff(want, reported); diff != "" || code != 200 || document.Summary.Statements != 0 {
			t.Errorf("%d, %+v: %s", code, document.Summary, diff)
		}
	}
	rows := y.column("SELECT concat(name, ' ', outcome) FROM dfe.schema_migrations WHERE outcome = 'undeclared' ORDER BY name")
	if diff := cmp.Diff([]string{"org_acme.webx2daccess__daily_volume undeclared", "org_acme.webx2daccess__errors undeclared"}, rows); diff != "" {
		t.Errorf("the ledger: %s", diff)
	}
	if diff := cmp.Diff([]string{want[0] + ": matches", want[1] + ": matches"}, takenOut(t, y.Engine)); diff != "" {
		t.Errorf("status: %s", diff)
	}

	y.exec("DROP VIEW org_acme.webx2daccess__errors SYNC")
	if diff := cmp.Diff([]string{"source " + want[0] + ": report"}, undeclared(y.deploy(less))); diff != "" {
		t.Errorf("one is dropped: %s", diff)
	}
	if diff := cmp.Diff([]string{want[0] + ": matches"}, takenOut(t, y.Engine)); diff != "" {
		t.Errorf("status, one is dropped: %s", diff)
	}
	back := y.deploy(web)
	if got := did(back); len(undeclared(back)) != 0 || got[2] != want[0]+": unchanged, none" || got[3] != want[1]+": applied, create" {
		t.Errorf("named again: %q", got)
	}
	if got := takenOut(t, y.Engine); len(got) != 0 {
		t.Errorf("status, named again: %q", got)
	}
}

func TestARefusedDeployReportsWhatItsConfigDeclaresNoMore(t *testing.T) {
	y := newYard(t)
	y.deploy(web)
	code, document := over(t, y.Engine, strings.Replace(without(web, ""), "UInt16", "String", 1))
	if code != 409 || len(document.Refused) != 1 || len(document.Reported) != 3 || document.Plan.Summary.Report != 3 {
		t.Errorf("%d: %d refused, %d reported", code, len(document.Refused), len(document.Reported))
	}
}

// TestATopicThatASourceDeclaresNoMoreIsReported has a topic that standard definitions of another release made.
func TestATopicThatASourceDeclaresNoMoreIsReported(t *testing.T) {
	y := newYard(t)
	c, bus := kafka(t, kfake.NumBrokers(1))
	y.Engine = y.engine(engine.Options{Bus: bus, Wait: time.Minute})
	y.deploy(web)
	y.deploy(strings.Replace(web, `"web-access"`, `"web-access_raw"`, 1)) // its topics begin with the same word
	const old = "acme__webx2daccess_raw"
	client, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := kadm.NewClient(client).CreateTopic(t.Context(), 1, 1, nil, old); err != nil {
		t.Fatal(err)
	}
	y.exec("INSERT INTO dfe.schema_migrations (scope, kind, name, pass_id, sequence, epoch, schema_release, engine_release, outcome, live_checksum) VALUES ('source', 'topic', '" + old + "', 'p', 1, 1, '1', '1', 'applied', 'x')")
	doc, err := y.PlanPart(t.Context(), part(t, web))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"topic " + old}, planned(doc)); diff != "" {
		t.Errorf("the plan: %s", diff)
	}
	for range 2 {
		if diff := cmp.Diff([]string{"source topic " + old + ": report"}, undeclared(y.deploy(web))); diff != "" {
			t.Error(diff)
		}
	}
	if diff := cmp.Diff([]string{"topic " + old + ": matches"}, takenOut(t, y.Engine)); diff != "" {
		t.Errorf("status: %s", diff)
	}
	if err := c.DeleteTopic(old); err != nil {
		t.Fatal(err)
	}
	if got := undeclared(y.deploy(web)); len(got) != 0 {
		t.Errorf("it is deleted, and reported: %q", got)
	}
	if got := takenOut(t, y.Engine); len(got) != 0 {
		t.Errorf("it is deleted, and the status says %q", got)
	}
}

func TestAStatusReadsTheTopicsOfSourcesOrSaysWhyNot(t *testing.T) {
	y := newYard(t)
	c, bus := kafka(t, kfake.NumBrokers(1))
	y.Engine = y.engine(engine.Options{Bus: bus, Wait: time.Minute})
	y.deploy(web)
	live := func(e *engine.Engine) []string {
		status, err := e.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, o := range status.Objects {
			if o.Kind == "topic" {
				list = append(list, fmt.Sprintf("%s %s %s", o.Name, o.Live, o.Reason))
			}
		}
		return list
	}
	if diff := cmp.Diff([]string{"acme__webx2daccess_land matches ", "acme__webx2daccess_load matches "}, live(y.Engine)); diff != "" {
		t.Error(diff)
	}
	if err := c.DeleteTopic("acme__webx2daccess_load"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"acme__webx2daccess_land matches ", "acme__webx2daccess_load gone "}, live(y.Engine)); diff != "" {
		t.Error(diff)
	}
	if got := live(y.engine(engine.Options{})); len(got) != 2 || got[0] != "acme__webx2daccess_land unread "+topics.NoBus {
		t.Errorf("without a bus: %q", got)
	}
	silent, _ := nobody(t)
	if got := live(y.engine(engine.Options{Bus: silent})); len(got) != 2 || !strings.HasPrefix(got[0], "acme__webx2daccess_land unread kafka") {
		t.Errorf("with a bus that does not answer: %q", got)
	}
}

const threeTenants = `
tier "small" {
  hour = { queries = 100 }
}
organisation "DB_a" {
  tier       = "small"
  secret_env = "A"
}
organisation "DB_b" {
  secret_env = "B"
}
group "DB_g" {
  tier          = "small"
  organisations = ["DB_a", "DB_b"]
  secret_env    = "G"
}
`

func TestAllThatATenantHadIsReportedUntilItIsDropped(t *testing.T) {
	const (
		a = "org_DB_a"
		g = "group_DB_g"
	)
	of := func(user string, quota bool) []string {
		list := []string{"user " + user, "row_policy " + user + " ON DB.orders", "role " + user + "__reader", "grant " + user + "__shared"}
		if quota {
			list = append([]string{"quota " + user}, list...)
		}
		return list
	}
	for name, c := range map[string]struct {
		config string
		want   []string
	}{
		"a tier":          {strings.Replace(threeTenants, "tier       = \"small\"", "", 1), []string{"quota " + a}},
		"a group":         {threeTenants[:strings.Index(threeTenants, "group")], of(g, true)},
		"an organisation": {strings.NewReplacer(threeTenants[strings.Index(threeTenants, "organisation \"DB_a"):strings.Index(threeTenants, "organisation \"DB_b")], "", `"DB_a", `, "").Replace(threeTenants), append([]string{"database " + a}, of(a, true)...)},
		"all of it":       {"", slices.Concat(of(g, true), []string{"database " + a}, of(a, true), []string{"database org_DB_b"}, of("org_DB_b", false))},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEstate(t)
			if _, err := e.apply(threeTenants); err != nil {
				t.Fatal(err)
			}
			var reported, status []string
			for _, o := range c.want {
				kind, object, _ := strings.Cut(e.in(o), " ")
				reported = append(reported, "tenant "+kind+" "+object+": report")
				status = append(status, kind+" "+object+": matches")
			}
			slices.Sort(status)
			for range 2 {
				r, err := e.apply(c.config)
				if err != nil {
					t.Fatal(err)
				}
				got := undeclared(r)
				slices.Sort(got)
				slices.Sort(reported)
				if diff := cmp.Diff(reported, got); diff != "" {
					t.Error(diff)
				}
			}
			got := takenOut(t, e.Engine)
			slices.Sort(got)
			if diff := cmp.Diff(status, got); diff != "" {
				t.Errorf("status: %s", diff)
			}
			for _, o := range e.column("SELECT kind || ' ' || name FROM dfe.schema_migrations WHERE outcome = 'undeclared' ORDER BY kind") {
				kind, object, _ := strings.Cut(o, " ")
				switch kind {
				case "row_policy":
					e.exec("DROP ROW POLICY " + object)
				case "database":
					e.exec("DROP DATABASE " + object + " SYNC")
				case "user", "role", "quota":
					e.exec("DROP " + kind + " " + object)
				}
			}
			r, err := e.apply(c.config)
			if err != nil || len(undeclared(r)) != 0 {
				t.Errorf("all of it is dropped: %v, %q", err, undeclared(r))
			}
			if got := takenOut(t, e.Engine); len(got) != 0 {
				t.Errorf("all of it is dropped, and the status says %q", got)
			}
		})
	}
}

// TestADatabaseThatASourceHasIsNotReportedWithItsTenant: it is declared as long as one of the two declares it.
func TestADatabaseThatASourceHasIsNotReportedWithItsTenant(t *testing.T) {
	e := newEstate(t)
	if _, err := e.apply(threeTenants); err != nil {
		t.Fatal(err)
	}
	e.deploy(strings.Replace(web, "acme", e.in("DB_a"), 1))
	r, err := e.apply("")
	if err != nil {
		t.Fatal(err)
	}
	databases := slices.DeleteFunc(undeclared(r), func(o string) bool { return !strings.Contains(o, "database") })
	if diff := cmp.Diff([]string{e.in("tenant database org_DB_b: report")}, databases); diff != "" {
		t.Error(diff)
	}
}
