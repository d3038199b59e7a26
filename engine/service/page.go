package service

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/lang/visible"
	"github.com/dfe-engine/dfe/rules/plan"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
)

// renderer makes the page. Its policy lets the browser use the one style sheet that is part of it, and run nothing.
type renderer struct {
	template *template.Template
	policy   string
}

func newRenderer() *renderer {
	hash := sha256.Sum256([]byte(pageCSS))
	return &renderer{
		template: template.Must(template.New("page").Funcs(template.FuncMap{
			"short": shortSum, "seconds": seconds, "clock": clock, "stamp": stamp, "anchor": anchor, "class": classOf, "sign": signOf,
			"told": told, "words": words, "plural": plural,
			"topicClass": topicClass, "topicTold": topicTold, "topicSize": topicSize, "bus": busTold,
		}).Parse(pageHTML)),
		policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) +
			"'; img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
	}
}

// view is what the page shows.
type view struct {
	*Document
	Style    template.CSS
	Headline string
	Cause    string
	Counts   []count
	Groups   []group
	Pictures *pictures
	Refresh  int // seconds; 0: the page stays
	Done     int
	Now      time.Time
}

type count struct {
	N           int
	What, Class string
}

// group is the objects of one database in the list.
type group struct {
	Name    string
	Objects []*Object
	// Open says that there is something in it to see.
	Open bool
}

func (s *Service) page(w http.ResponseWriter, _ *http.Request) {
	d := s.Document()
	v := &view{Document: d, Style: template.CSS(pageCSS), Headline: headline(d.State), Cause: cause(d), Counts: counts(d), Groups: groups(d.Objects), Pictures: draw(d.Objects), Now: time.Now().UTC()}
	for _, o := range d.Objects {
		if o.Outcome != engine.Pending {
			v.Done++
		}
	}
	if d.State == engine.Running {
		v.Refresh = 2
	}
	var b bytes.Buffer
	if err := s.renderer.template.Execute(&b, v); err != nil {
		s.log.Error("the page could not be made", "error", err.Error())
		http.Error(w, "the page could not be made; GET /api/v1/system/schema has the same as JSON", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", s.renderer.policy)
	// The page itself has nothing that is not visible; what it shows was written by others.
	_, _ = io.WriteString(w, visible.Text(b.String()))
}

func headline(state engine.State) string {
	switch state {
	case engine.Converged:
		return "Converged"
	case engine.Failed:
		return "Failed"
	case engine.Running:
		return "Running"
	case engine.Observed:
		return "Observed"
	}
	return "Switched off"
}

// cause is the sentence below the state.
func cause(d *Document) string {
	refused := ""
	if n := len(d.Refused); n > 0 {
		refused = fmt.Sprintf(" %d differences are refused and wait for a person.", n)
		if n == 1 {
			refused = " One difference is refused and waits for a person."
		}
	}
	switch d.State {
	case engine.Converged:
		if refused != "" {
			return "Everything that could be done without losing data is done." + refused
		}
		return "The server has every object that this release declares."
	case engine.Failed:
		if onlyTopics(d) {
			return "ClickHouse has every object that this release declares; the bus lacks topics. The process is up, and not ready."
		}
		return "The pass ended before the schema was true. The process is up, and not ready."
	case engine.Observed:
		return "Another engine holds the lease. This one applied nothing, and is not ready."
	case engine.Running:
		doing := cmp.Or(d.Step, "starting")
		if i := slices.IndexFunc(d.Objects, func(o *Object) bool { return o.Outcome == engine.Pending }); i >= 0 && doing == "applying" {
			doing += " " + words(d.Objects[i].Kind) + " " + d.Objects[i].Name
		}
		return "The pass is under way: " + doing + "."
	}
	return "The schema phase is switched off. Nothing is applied, and readiness does not depend on it."
}

func counts(d *Document) []count {
	n := map[string]int{}
	for _, o := range d.Objects {
		n[classOf(o)]++
	}
	all := []count{{len(d.Objects), "objects", ""}, {n["good"], "applied", "good"}, {n["calm"], "unchanged", "calm"}, {n["warn"], "refused", "warn"}, {n["bad"], "failed", "bad"}, {n["note"], "reported", "note"}, {n["wait"], "pending", "wait"}}
	shown := all[:1]
	for _, c := range all[1:] {
		if c.N > 0 {
			shown = append(shown, c)
		}
	}
	return shown
}

// groups lists the objects by database, in the order in which the databases are declared.
func groups(objects []*Object) []group {
	var list []group
	at := map[string]int{}
	for _, o := range objects {
		name, _ := place(o)
		if o.Kind == "database" {
			name = databaseOf(o.Name + ".x")
		}
		i, ok := at[name]
		if !ok {
			i = len(list)
			at[name] = i
			list = append(list, group{Name: name})
		}
		list[i].Objects = append(list[i].Objects, o)
		list[i].Open = list[i].Open || problem(classOf(o)) != ""
	}
	return list
}

// classOf is the class of an object's outcome: what colour and sign it has.
func classOf(o *Object) string {
	switch o.Outcome {
	case engine.Pending:
		return "wait"
	case ledger.Applied:
		if o.refuses() {
			return "warn"
		}
		return "good"
	case ledger.Refused:
		return "warn"
	case ledger.Failed, ledger.Blocked, ledger.Unresolved:
		return "bad"
	}
	switch {
	case o.Outcome == ledger.Unreadable, o.Outcome == engine.Withheld, o.Error != "", o.Action == plan.ObjectUnreadable, o.Action == plan.ObjectCannotTell, o.Action == plan.ObjectReport:
		return "note"
	}
	return "calm"
}

func (o *Object) refuses() bool {
	for _, c := range o.Changes {
		if c.Action == plan.ObjectRefused {
			return true
		}
	}
	return false
}

// worse returns the class that more calls for a person.
func worse(a, b string) string {
	gravity := []string{"", "calm", "good", "wait", "note", "warn", "bad"}
	return gravity[max(slices.Index(gravity, a), slices.Index(gravity, b))]
}

// outcomeOf is an outcome of that class.
func outcomeOf(class string) ledger.Outcome {
	switch class {
	case "wait":
		return engine.Pending
	case "good":
		return ledger.Applied
	case "warn":
		return ledger.Refused
	case "bad":
		return ledger.Failed
	}
	return ledger.Unchanged
}

func problem(class string) string {
	if class == "warn" || class == "bad" {
		return class
	}
	return ""
}

// signOf is the sign beside a colour, for those who do not see it.
func signOf(class string) string {
	switch class {
	case "good":
		return "✓"
	case "warn":
		return "!"
	case "bad":
		return "✕"
	case "note":
		return "i"
	case "wait":
		return "…"
	}
	return ""
}

// told says in a few words what was done about an object.
func told(o *Object) string {
	switch {
	case o.Outcome == engine.Pending:
		return "pending"
	case o.Outcome == ledger.Unchanged && o.Action == plan.ObjectReport:
		return "reported"
	case o.Outcome == ledger.Unchanged && o.Action != "" && o.Action != plan.ObjectNone:
		return words(o.Action)
	case o.Outcome == ledger.Applied && o.refuses():
		return "applied, in part refused"
	}
	return string(o.Outcome)
}

func words(text string) string { return strings.ReplaceAll(text, "_", " ") }

func anchor(o *Object) string { return "o-" + o.Kind + "-" + o.Name }

func shortSum(checksum string) string {
	return checksum[:min(10, len(checksum))]
}

func seconds(s float64) string {
	switch {
	case s < 1:
		return fmt.Sprintf("%.0f ms", s*1000)
	case s < 60:
		return fmt.Sprintf("%.1f s", s)
	}
	return time.Duration(s * float64(time.Second)).Round(time.Second).String()
}

func clock(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04:05 UTC") }

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
