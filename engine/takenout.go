package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/ledger"
	"github.com/dfe-engine/dfe/engine/topics"
	"github.com/dfe-engine/dfe/rules"
	"github.com/dfe-engine/dfe/rules/plan"
)

// keys are the objects and topics that the schema declares.
func (s *schema) keys() map[ledger.Key]bool {
	found := map[ledger.Key]bool{}
	for _, d := range slices.Concat(s.objects, s.topics) {
		found[d.key()] = true
	}
	return found
}

// owned reports an object of the ledger that is the part's.
func (s *schema) owned(key ledger.Key) bool {
	return key.Scope == s.scope && s.part.Owns != nil && s.part.Owns(key.Kind, key.Name)
}

// takenOut lists what the ledger records of a part and the part declares no more, in the order of names and kinds. A
// schema has none: what it declares no more is found in its databases.
func (s *schema) takenOut(records map[ledger.Key]*ledger.Record) []ledger.Key {
	if s.part == nil || s.part.Owns == nil {
		return nil
	}
	declared := s.keys()
	var keys []ledger.Key
	for key, r := range records {
		if !declared[key] && s.owned(key) && r.Existed() {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b ledger.Key) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Kind, b.Kind)) })
	return keys
}

// relationName is the name of a table, a view or a dictionary as the ledger has it. No name that is made of an id has a dot.
func relationName(text string) ast.Name {
	database, name, _ := strings.Cut(text, ".")
	return ast.Name{Database: database, Name: name}
}

// takenOut pairs what a part declares no more with what is live of it. The bus is asked about topics.
func (c *comparison) takenOut() []rules.Pair {
	var pairs []rules.Pair
	for _, key := range c.schema.takenOut(c.records) {
		live := c.recorded(key)
		if live == nil || c.elsewhere(key) {
			continue
		}
		p := rules.Pair{Kind: key.Kind, Name: live.Name, Recorded: &rules.Recorded{Scope: string(key.Scope), TakenOut: true}}
		seen(&p, live)
		pairs = append(pairs, p)
	}
	return pairs
}

// elsewhere reports a database that another part of the deployment declares too: that of an organisation is its sources'
// and its tenant's.
func (c *comparison) elsewhere(key ledger.Key) bool {
	if key.Kind != ast.KindDatabase {
		return false
	}
	for _, scope := range []ledger.Scope{ledger.ScopeSource, ledger.ScopeTenant} {
		other := key
		other.Scope = scope
		if r := c.records[other]; r != nil && scope != key.Scope && r.Outcome != Undeclared {
			return true
		}
	}
	return false
}

// recorded is what is live of an object that the ledger records, or nil.
func (c *comparison) recorded(key ledger.Key) *catalog.Object {
	live := recordedIn(c.live, key, c.records[key])
	if live == nil || live.Kind != key.Kind {
		return nil
	}
	return live
}

// recordedIn finds what holds the name of an object that the ledger records and nothing declares. Of a grant it is all
// that those have whom it gave something, nil where that is nothing; a row that does not tell them finds nothing.
func recordedIn(live *catalog.Catalog, key ledger.Key, r *ledger.Record) *catalog.Object {
	switch {
	case key.Kind == ast.KindGrant:
		held := live.Access.Granted(&ast.Grant{Name: key.Name, To: r.Decisions.To})
		if held == nil {
			return nil
		}
		if g, readable := held.Tree.(*ast.Grant); readable && len(g.Rights) == 0 {
			return nil
		}
		return held
	case key.Kind.IsAccess():
		return live.Access.Find(key.Kind, ast.Name{Name: key.Name})
	case key.Kind.IsRelation():
		return live.Relations[relationName(key.Name)]
	}
	return live.Find(key.Kind, ast.Name{Name: key.Name})
}

// noteTakenOut writes down what a config declares no more, once, and once more when it is gone from the server: the
// ledger then tells it apart from what is declared.
func (p *pass) noteTakenOut(ctx context.Context) error {
	decided := map[object]*ObjectReport{}
	for _, o := range p.report.Objects[len(p.schema.objects):] {
		decided[object{o.Kind, o.Name}] = o
	}
	for _, key := range p.schema.takenOut(p.c.records) {
		if key.Kind == ast.KindTopic || p.c.live.Access != nil && p.c.live.Access.Unreadable != nil && key.Kind.IsAccess() {
			continue // the bus is asked later; what cannot be read is not known to be gone
		}
		r := p.takenOutRecord(key)
		r.Member = p.c.live.Facts.DisplayName
		if live := p.c.recorded(key); live != nil {
			r.LiveChecksum, r.UUID, r.Modified, r.ReadAt = checksum(live), live.UUID, live.Modified, live.ReadAt
		}
		if o := decided[object{key.Kind, key.Name}]; o != nil {
			tellChanges(r, o.Changes)
			r.Reported = uint32(o.Reported())
		}
		if !p.tells(r) {
			continue
		}
		if err := p.record(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// tellChanges writes down what was decided about each change, and by which rule.
func tellChanges(r *ledger.Record, changes []*plan.Change) {
	for _, c := range changes {
		r.Decisions.Changes = append(r.Decisions.Changes, ledger.Decision{Path: c.Path, Op: c.Op, Action: c.Action, Rule: c.Rule, Reason: c.Reason})
		if !slices.Contains(r.Rules, c.Rule) {
			r.Rules = append(r.Rules, c.Rule)
		}
	}
}

// takenOutTopics names the topics among what a part declares no more.
func (s *schema) takenOutTopics(records map[ledger.Key]*ledger.Record) []string {
	var names []string
	for _, key := range s.takenOut(records) {
		if key.Kind == ast.KindTopic {
			names = append(names, key.Name)
		}
	}
	return names
}

// decideBeside decides about topics that a part declares no more and that are there.
func (s *schema) decideBeside(names []string, found map[string]topics.Read) []*plan.Object {
	var pairs []rules.Pair
	for _, name := range names {
		read := found[name]
		if read.Topic == nil && read.Unreadable == "" {
			continue
		}
		p := rules.Pair{Kind: ast.KindTopic, Name: ast.Name{Name: name}, Recorded: &rules.Recorded{Scope: string(s.scope), TakenOut: true}}
		if read.Topic != nil {
			p.Live = read.Topic
		} else {
			p.Unreadable = &rules.Unreadable{Side: "live", Message: read.Unreadable}
		}
		pairs = append(pairs, p)
	}
	return s.book.Plan(pairs, rules.Options{LedgerRead: true}).Objects
}

// noteTopics reports the topics that a part declares no more, and writes that down as [pass.noteTakenOut] does.
func (p *pass) noteTopics(ctx context.Context, names []string, found map[string]topics.Read) error {
	decided := p.schema.decideBeside(names, found)
	for _, name := range names {
		r := p.takenOutRecord(ledger.Key{Scope: p.schema.scope, Kind: ast.KindTopic, Name: name})
		r.LiveChecksum = found[name].Checksum()
		if i := slices.IndexFunc(decided, func(o *plan.Object) bool { return o.Name == name }); i >= 0 {
			o := &ObjectReport{Scope: string(p.schema.scope), Kind: ast.KindTopic, Name: name, Action: decided[i].Action, Outcome: Undeclared,
				Changes: decided[i].Changes, LiveChecksum: r.LiveChecksum, Error: unreadable(decided[i])}
			p.report.Objects = append(p.report.Objects, o)
			tellChanges(r, o.Changes)
			r.Reported = uint32(o.Reported())
		}
		if found[name].Unreadable != "" || p.ledger == nil || !p.tells(r) {
			continue
		}
		if err := p.record(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// takenOutRecord is the row of what a part declares no more, before anything is said of what is live.
func (p *pass) takenOutRecord(key ledger.Key) *ledger.Record {
	r := &ledger.Record{
		Key: key, Pass: p.report.Pass, Epoch: p.report.Epoch, SchemaRelease: p.schema.release, EngineRelease: p.report.EngineRelease,
		Platform: string(p.platform), Action: plan.ObjectReport, Outcome: Undeclared,
	}
	if before := p.c.records[key]; before != nil {
		r.Decisions.To = before.Decisions.To
	}
	return r
}
