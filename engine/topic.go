package engine

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/engine/topics"
	"github.com/dfe-engine/dfe/rules"
	"github.com/dfe-engine/dfe/rules/plan"
)

// topicsOff is why no topic is looked at where the phase is switched off.
const topicsOff = "the topics phase is switched off (DFE_ENGINE_KAFKA_BOOTSTRAP_TOPICS)"

// declaredTopics are the topics of the tree and the overlay. records may be nil.
func (s *schema) declaredTopics(records map[ledger.Key]*ledger.Record) []topics.Declared {
	list := make([]topics.Declared, len(s.topics))
	for i, d := range s.topics {
		list[i] = topics.Declared{Scope: string(d.scope), Release: d.release, Topic: d.Object.(*ast.Topic)}
		if r := records[d.key()]; r != nil && r.Existed() {
			list[i].Recorded = &rules.Recorded{Scope: string(r.Scope)}
		}
	}
	return list
}

// topicRunner is a run over the topics of a schema.
func (e *Engine) topicRunner(s *schema) *topics.Runner {
	wait := e.options.BusWait
	if s.part != nil {
		wait = 0 // others wait for their turn, and whoever asked may ask again
	}
	return &topics.Runner{Bus: e.options.Bus, Book: s.book, Wait: wait, Log: e.log, Pause: e.pause, Now: e.now}
}

// pendingTopics are the topics before anything was asked of the bus.
func (e *Engine) pendingTopics(s *schema) []*topics.Topic {
	return topics.Pending(e.options.Bus, s.declaredTopics(nil), Pending)
}

// topicsPass is step 7 of the pass: it creates what the bus lacks. What ClickHouse has come to stays as it is, whatever
// becomes of the bus.
func (p *pass) topicsPass(ctx context.Context, reviewed *plan.Document) error {
	var records map[ledger.Key]*ledger.Record
	if p.c != nil {
		records = p.c.records
	}
	declared := p.schema.declaredTopics(records)
	if p.e.options.SkipTopics {
		p.report.Bus = topics.Cluster{Skipped: topicsOff}
		p.report.Topics = topics.Pending(p.e.options.Bus, declared, topics.Unread)
		return nil
	}
	p.step("creating topics")
	run := p.e.topicRunner(p.schema)
	run.LedgerRead = p.ledger != nil
	// Another engine does not have to wait for this one's bus: creating a topic is safe without the lease.
	run.Waiting = func() { p.release(ctx); p.step("waiting for the bus") }
	var unrecorded error
	if p.ledger != nil && p.report.Code != releaseRegressed {
		run.Done = func(t *topics.Topic) {
			if unrecorded == nil {
				unrecorded = p.recordTopic(ctx, t)
			}
		}
	}
	takenOut := p.schema.takenOutTopics(records)
	run.Beside = takenOut
	switch {
	case p.report.Code == releaseRegressed:
		run.May = func(*topics.Topic) string {
			return "this schema release is older than one in the ledger, and creates nothing: run the newer release, or apply this one with \"dfe schema apply --allow-downgrade\""
		}
	case reviewed != nil:
		run.May = func(t *topics.Topic) string { return mayCreate(reviewed, t) }
	}
	report, err := run.Apply(ctx, declared)
	p.report.Bus, p.report.Topics = report.Cluster, report.Topics
	if err == nil {
		err = unrecorded
	}
	if err == nil && report.Beside != nil {
		err = p.noteTopics(ctx, takenOut, report.Beside)
	}
	return err
}

// mayCreate says why a topic may not be created: it is not what was reviewed, on this bus as it is now.
func mayCreate(reviewed *plan.Document, t *topics.Topic) string {
	created := func(changes []*plan.Change) string {
		i := slices.IndexFunc(changes, func(c *plan.Change) bool { return c.Action == string(rules.CreateTopic) })
		if i < 0 {
			return ""
		}
		return changes[i].Desired
	}
	for _, o := range reviewed.Objects {
		if o.Kind != string(ast.KindTopic) || o.Name != t.Name || o.Action != plan.ObjectCreate || o.Checksum != t.Checksum {
			continue
		}
		if was, is := created(o.Changes), created(t.Changes); was != is {
			return "the reviewed plan creates it with " + was + ", and now it would be " + is + ": plan and review again"
		}
		return ""
	}
	return "the reviewed plan does not create it as it is declared: plan and review again"
}

// recordTopic writes what became of a topic to the ledger, where that is news.
func (p *pass) recordTopic(ctx context.Context, t *topics.Topic) error {
	r := &ledger.Record{
		Key:  ledger.Key{Scope: ledger.Scope(t.Scope), Kind: ast.KindTopic, Name: t.Name},
		Pass: p.report.Pass, Epoch: p.report.Epoch, SchemaRelease: t.Release, EngineRelease: p.report.EngineRelease, Platform: string(p.platform),
		Action: t.Action, Outcome: t.Outcome, Checksum: t.Checksum, LiveChecksum: t.LiveChecksum, Reported: uint32(t.Reported()),
		Elapsed: time.Duration(t.ElapsedMS) * time.Millisecond, Error: t.Error,
	}
	if t.Outcome == ledger.Applied {
		r.Action = string(rules.CreateTopic)
	}
	if t.Outcome == ledger.Refused {
		r.Refused = 1
	}
	tellChanges(r, t.Changes)
	if !p.tells(r) {
		return nil
	}
	return p.record(ctx, r)
}

// planTopics adds the topics to a plan: decisions on those that could be read, and why the others could not.
func (e *Engine) planTopics(ctx context.Context, s *schema, records map[ledger.Key]*ledger.Record, ledgerRead bool, doc *plan.Document) {
	if len(s.topics) == 0 {
		return
	}
	doc.Bus = &plan.Bus{}
	if e.options.SkipTopics {
		doc.Bus.Skipped = topicsOff
		return
	}
	e.options.Progress(Progress{Step: "reading the bus"})
	run := e.topicRunner(s)
	run.LedgerRead = ledgerRead
	takenOut := s.takenOutTopics(records)
	run.Beside = takenOut
	// The reason why the bus could not be read is in the report.
	report, objects, _ := run.Plan(ctx, s.declaredTopics(records))
	doc.Bus.Brokers, doc.Bus.Skipped, doc.Bus.Error, doc.Bus.Code = report.Cluster.Brokers, report.Cluster.Skipped, report.Cluster.Error, report.Cluster.Code
	doc.Objects = append(append(doc.Objects, objects...), s.decideBeside(takenOut, report.Beside)...)
	doc.Count()
}

// PlanTopics says what a pass would decide about the topics alone, and changes nothing. ClickHouse is not asked, its
// ledger included. The document is complete also where the bus could not be read: it says why.
func (e *Engine) PlanTopics(ctx context.Context) (*plan.Document, error) {
	s, err := e.resolve()
	if err != nil {
		return nil, err
	}
	doc := &plan.Document{Version: plan.Version, Objects: []*plan.Object{}, Statements: []*plan.Statement{}, Bus: &plan.Bus{}}
	e.planTopics(ctx, s, nil, false, doc)
	return doc, nil
}

// TopicStatus says what the bus has of the declared topics, and changes nothing. The report is complete also where the
// bus could not be read; the error is then the reason. With a [Options.Target] its ledger is asked which topics are no
// longer declared, and the report says why where it could not be.
func (e *Engine) TopicStatus(ctx context.Context) (*topics.Report, error) {
	s, err := e.resolve()
	if err != nil {
		return nil, err
	}
	var (
		records map[ledger.Key]*ledger.Record
		unread  string
	)
	if e.options.Target.URL != "" {
		if records, err = e.recorded(ctx); err != nil {
			unread = err.Error()
		}
	}
	report, err := e.topicStatus(ctx, s, records)
	report.LedgerError = unread
	return report, err
}

// recorded reads the ledger.
func (e *Engine) recorded(ctx context.Context) (map[ledger.Key]*ledger.Record, error) {
	conn, err := e.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer e.disconnect(ctx, conn, "ledger read")
	return readRecords(ctx, conn)
}

func (e *Engine) topicStatus(ctx context.Context, s *schema, records map[ledger.Key]*ledger.Record) (*topics.Report, error) {
	declared := s.declaredTopics(records)
	if e.options.SkipTopics {
		return &topics.Report{Version: 1, Cluster: topics.Cluster{Skipped: topicsOff}, Topics: topics.Pending(e.options.Bus, declared, topics.Unread)}, nil
	}
	run := e.topicRunner(s)
	known := s.keys()
	for key, r := range records {
		if key.Kind == ast.KindTopic && r.Existed() && !known[key] {
			run.Beside = append(run.Beside, key.Name)
		}
	}
	slices.Sort(run.Beside)
	run.Beside = slices.Compact(run.Beside)
	report, err := run.Status(ctx, declared)
	report.TellFormer(s.formerTopics(records))
	return report, err
}

// formerTopics are those that the ledger records and the schema does not declare any more. Topics of a source are not for
// a schema to declare; those of an overlay are not told where none of it was read.
func (s *schema) formerTopics(records map[ledger.Key]*ledger.Record) []topics.Former {
	declared := map[string]bool{}
	for _, d := range s.topics {
		declared[d.Name.String()] = true
	}
	releases := map[ledger.Scope]string{ledger.ScopeSchema: s.release, ledger.ScopeOverlay: s.overlay.release}
	var list []topics.Former
	for key, r := range records {
		release := releases[key.Scope]
		if key.Kind != ast.KindTopic || release == "" || declared[key.Name] || !r.Existed() {
			continue
		}
		list = append(list, topics.Former{Scope: string(key.Scope), Name: key.Name, Release: r.SchemaRelease, Newer: newerThan(r.SchemaRelease, release)})
	}
	slices.SortFunc(list, func(a, b topics.Former) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Scope, b.Scope))
	})
	return list
}

// Unread is an object of which nothing is known: a topic, because the bus was not asked or did not answer, or a grant of
// which the ledger does not tell whom it is for. The reason says which.
const Unread Match = "unread"

// besideTopics compares the recorded topics that no tree declares with what the bus has: those of data sources.
func (s *Status) besideTopics(report *topics.Report, records map[ledger.Key]*ledger.Record) {
	for _, o := range s.Objects {
		r := records[ledger.Key{Scope: ledger.Scope(o.Scope), Kind: o.Kind, Name: o.Name}]
		if o.Kind != ast.KindTopic || o.Declared || r == nil || !r.Existed() {
			continue
		}
		read, asked := report.Beside[o.Name]
		o.LiveChecksum = read.Checksum()
		switch {
		case !asked:
			o.Live, o.Reason = Unread, cmp.Or(report.Cluster.Skipped, report.Cluster.Error)
		case read.Unreadable != "":
			o.Live, o.Reason = Unreadable, read.Unreadable
		case read.Topic == nil:
			o.Live = Gone
		case o.LiveChecksum == r.LiveChecksum:
			o.Live = Matches
		default:
			o.Live = Differs
		}
	}
}

// statusOfTopic is a topic beside the newest row of the ledger about it.
func statusOfTopic(t *topics.Topic, r *ledger.Record) *ObjectStatus {
	s := statusOf(ledger.Key{Scope: ledger.Scope(t.Scope), Kind: ast.KindTopic, Name: t.Name}, true, r, nil)
	s.LiveChecksum = t.LiveChecksum
	switch {
	case t.Outcome == topics.Unread:
		s.Live = Unread
	case t.Outcome == ledger.Failed:
		s.Live, s.Reason, s.Error = Unreadable, t.Error, t.Error
	case t.Live == nil: // as the ledger has it: absent, or gone
	case r == nil:
		s.Live = Unrecorded
	case s.LiveChecksum == r.LiveChecksum:
		s.Live = Matches
	default:
		s.Live = Differs
	}
	return s
}
