package golden

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/access"
	"github.com/dfe-engine/dfe/lang/canon"
	"github.com/dfe-engine/dfe/lang/ddl"
	"github.com/dfe-engine/dfe/lang/facts"
	"github.com/dfe-engine/dfe/lang/tree"
	"github.com/dfe-engine/dfe/rules"
)

// testCase is a parsed case.
type testCase struct {
	file     string
	archive  *txtar.Archive
	platform rules.Platform
	// The definitions, in order.
	desired, live []ast.Object
	liveText      string
	options       caseOptions
}

type caseOptions struct {
	allowDrift      bool
	acceptLoss      map[string]bool
	recorded        *rules.Recorded
	ledger          bool
	unknownSettings []string
	inlined         string
	noEngine        string
	bus             rules.Bus
	brokerDefaults  []string
	// liveDefinitions: the live topics are those of another tree.
	liveDefinitions bool
	values          map[string]rules.Value
	configured      bool
	servers         int // of the cluster
}

// sections in the order in which a case has them. Options may be left out; the definitions are a script, or a schema
// tree whose files are sections of their own: desired/manifest.hcl, desired/orders.hcl.
var sections = [...]string{"platform", "options", "desired.sql", "live.sql", "decisions", "statements"}

const (
	desiredTree = "desired/"
	liveTree    = "live/"
)

// parseCase reads a case. One with a section that is missing, unknown, doubled or cannot be read is an error.
func parseCase(file string, data []byte) (*testCase, error) {
	c := &testCase{file: file, archive: txtar.Parse(data)}
	fault := func(format string, args ...any) error {
		return fmt.Errorf("%s: "+format, append([]any{file}, args...)...)
	}
	if strings.TrimSpace(string(c.archive.Comment)) == "" {
		return nil, fault("the case does not say what it shows: write a sentence above the first section")
	}
	at := -1
	for _, f := range c.archive.Files {
		i := slices.Index(sections[:], f.Name)
		for prefix, section := range map[string]string{desiredTree: "desired.sql", liveTree: "live.sql"} {
			if strings.HasPrefix(f.Name, prefix) {
				i = slices.Index(sections[:], section)
			}
		}
		if at == i && strings.Contains(f.Name, "/") {
			continue
		}
		switch {
		case i < 0:
			return nil, fault("unknown section %q: a case has %s", f.Name, strings.Join(sections[:], ", "))
		case i <= at:
			return nil, fault("section %q stands twice or out of order: the order is %s", f.Name, strings.Join(sections[:], ", "))
		case i > at+1 && at+1 != 1:
			return nil, fault("section %q is missing", sections[at+1])
		case i > at+2:
			return nil, fault("section %q is missing", sections[at+2])
		}
		at = i
	}
	if at != len(sections)-1 {
		return nil, fault("section %q is missing", sections[at+1])
	}
	var err error
	if c.platform, err = rules.ParsePlatform(strings.TrimSpace(c.section("platform"))); err != nil {
		return nil, fault("%v", err)
	}
	if err := c.readOptions(); err != nil {
		return nil, fault("%v", err)
	}
	c.liveText = c.section("live.sql")
	if c.desired, err = c.side(desiredTree, "desired.sql"); err != nil {
		return nil, fault("desired: %v", err)
	}
	if c.live, err = c.side(liveTree, "live.sql"); err != nil {
		return nil, fault("live: %v", err)
	}
	if err := c.readTopics(); err != nil {
		return nil, fault("%v", err)
	}
	if len(c.desired) == 0 && len(c.live) == 0 {
		return nil, fault("neither side has an object")
	}
	return c, nil
}

// side reads the definitions of one side of the case: a schema tree below a directory, or the script of a section.
func (c *testCase) side(dir, section string) ([]ast.Object, error) {
	files := fstest.MapFS{}
	for _, f := range c.archive.Files {
		if name, ok := strings.CutPrefix(f.Name, dir); ok {
			files[name] = &fstest.MapFile{Data: f.Data}
		}
	}
	if len(files) == 0 {
		return objects(c.section(section))
	}
	loaded, diags := tree.Load(files, tree.Options{})
	if diags.HasErrors() {
		return nil, diags
	}
	var list []ast.Object
	for _, d := range loaded.Objects {
		list = append(list, d.Object)
	}
	return list, nil
}

func (c *testCase) section(name string) string {
	for _, f := range c.archive.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

func (c *testCase) setSection(name, text string) {
	for i := range c.archive.Files {
		if c.archive.Files[i].Name == name {
			c.archive.Files[i].Data = []byte(text)
		}
	}
}

func (c *testCase) readOptions() error {
	o := &c.options
	o.acceptLoss = map[string]bool{}
	for line := range strings.Lines(c.section("options")) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(name) {
		case "":
		case "allow_drift":
			o.allowDrift = true
		case "accept_loss":
			o.acceptLoss[value] = true
		case "recorded":
			scope, columns, _ := strings.Cut(value, " ")
			o.recorded = &rules.Recorded{Scope: scope}
			if columns == "taken_out" {
				o.recorded.TakenOut = true
			} else if columns == "foreign" {
				o.recorded.Foreign = true
			} else if columns != "" {
				o.recorded.Columns = strings.Split(columns, ",")
			}
		case "ledger":
			o.ledger = true
		case "unknown_setting":
			o.unknownSettings = append(o.unknownSettings, value)
		case "inlined":
			o.inlined = value
		case "value":
			key, verdict, _ := strings.Cut(value, " ")
			if o.values == nil {
				o.values = map[string]rules.Value{}
			}
			v := rules.Value{Changed: verdict == "changed"}
			if !v.Changed {
				v.Untold = verdict
			}
			o.values[key] = v
		case "configured":
			o.configured = true
		case "no_engine":
			if value == "" {
				return errors.New("no_engine needs a reason")
			}
			o.noEngine = value
		case "brokers", "max_message_bytes", "servers":
			n, err := strconv.Atoi(value)
			if err != nil {
				return err
			}
			switch strings.TrimSpace(name) {
			case "brokers":
				o.bus.Brokers = n
			case "servers":
				o.servers = n
			default:
				o.bus.MaxMessageBytes = n
			}
		case "tiered_storage":
			o.bus.TieredStorage = true
		case "live_definitions":
			o.liveDefinitions = true
		case "broker_default":
			o.brokerDefaults = append(o.brokerDefaults, value)
		default:
			return fmt.Errorf("unknown option %q", line)
		}
	}
	return nil
}

// readTopics makes the live topics what a cluster answers: roles unknown, and the broker's defaults beside what is set.
func (c *testCase) readTopics() error {
	topics := map[string]*ast.Topic{}
	for _, o := range c.live {
		t, ok := o.(*ast.Topic)
		if !ok || c.options.liveDefinitions {
			continue
		}
		t.Read, t.AtMost, t.Landing, t.DeadLetter = true, false, false, false
		for i := range t.Configs {
			t.Configs[i].SetBy = ast.SetByTopic
		}
		topics[t.Name] = t
	}
	for _, text := range c.options.brokerDefaults {
		words := strings.Fields(text)
		if len(words) != 3 || topics[words[0]] == nil {
			return fmt.Errorf("broker_default %q is no live topic, name and value", text)
		}
		t := topics[words[0]]
		t.Configs = append(t.Configs, ast.TopicConfig{Name: words[1], Value: words[2], SetBy: "a default of the broker"})
		slices.SortFunc(t.Configs, func(a, b ast.TopicConfig) int { return strings.Compare(a.Name, b.Name) })
	}
	return nil
}

// objects reads the definitions of a script.
func objects(text string) ([]ast.Object, error) {
	statements, err := ddl.ParseScript(text)
	if err != nil {
		return nil, err
	}
	var list []ast.Object
	var rights []*access.Statement
	for _, st := range statements {
		if access.IsAccess(st.Text) {
			parsed, err := access.Parse(st.Text)
			if err != nil {
				return nil, err
			}
			rights = append(rights, parsed)
			continue
		}
		if st.Err != nil {
			return nil, st.Err
		}
		if st.Object == nil {
			return nil, fmt.Errorf("%q defines no object", st.Text)
		}
		list = append(list, st.Object)
	}
	return append(list, access.Collect(rights)...), nil
}

// grantedLive is the live side of a grant: what its grantees have.
func grantedLive(g *ast.Grant, live []ast.Object) ast.Object {
	have := &ast.Grant{Name: g.Name}
	for _, o := range live {
		var rights []ast.Right
		switch o := o.(type) {
		case *ast.Role:
			rights = o.Rights
		case *ast.User:
			rights = o.Rights
		}
		if !slices.Contains(g.To, o.ID().Name) || o.Kind() != ast.KindRole && o.Kind() != ast.KindUser {
			continue
		}
		have.To = append(have.To, o.ID().Name)
		for _, r := range rights {
			r.To = o.ID().Name
			have.Rights = append(have.Rights, r)
		}
	}
	if len(have.To) == 0 {
		return nil
	}
	return have
}

// pairs matches the two sides by name, declared objects first.
func (c *testCase) pairs(live []ast.Object) []rules.Pair {
	byName := map[ast.Name]ast.Object{}
	for _, o := range live {
		if collection, ok := o.(*ast.NamedCollection); ok {
			collection.Configured = c.options.configured
		}
		byName[o.ID()] = o
	}
	var list []rules.Pair
	for _, d := range c.desired {
		p := rules.Pair{Kind: d.Kind(), Name: d.ID(), Desired: d, Recorded: c.options.recorded, Inlined: c.options.inlined, Values: c.options.values}
		if g, isGrant := d.(*ast.Grant); isGrant {
			p.Live = grantedLive(g, live)
		} else if o := byName[d.ID()]; o != nil {
			p.Live = o
			delete(byName, d.ID())
		}
		list = append(list, p)
	}
	for _, o := range live {
		if byName[o.ID()] != nil {
			list = append(list, rules.Pair{Kind: o.Kind(), Name: o.ID(), Live: o, Recorded: c.options.recorded})
		}
	}
	return list
}

// granted is what the case's grants give to somebody.
func (c *testCase) granted(to string) []ast.Right {
	var rights []ast.Right
	for _, o := range c.desired {
		if g, isGrant := o.(*ast.Grant); isGrant && slices.Contains(g.To, to) {
			rights = append(rights, g.Rights...)
		}
	}
	return rights
}

// settings are those of a case: the release's own, and what a case leaves the server without.
func (c *testCase) planOptions(live []ast.Object) rules.Options {
	o := rules.Options{Platform: c.platform, AllowDrift: c.options.allowDrift, AcceptLoss: c.options.acceptLoss, LedgerRead: c.options.ledger,
		Bus: c.options.bus,
		Env: canon.Env{Lookup: lookup(c.desired, live), Granted: c.granted}}
	o.Database = func(name string) *ast.Database {
		id := ast.Name{Name: name}
		if d, ok := lookup(live)(id).(*ast.Database); ok {
			return d
		}
		if d, ok := lookup(c.desired)(id).(*ast.Database); ok {
			return rules.Render(d, c.platform).(*ast.Database)
		}
		return nil
	}
	o.Server.Servers = c.options.servers
	if len(c.options.unknownSettings) > 0 {
		o.Server.MergeTreeSettings = map[string]bool{}
		for _, name := range facts.SettingNames() {
			if !slices.Contains(c.options.unknownSettings, name) {
				setting, _ := facts.MergeTreeSetting(name)
				o.Server.MergeTreeSettings[name] = setting.ReadOnly
			}
		}
	}
	return o
}

func lookup(sides ...[]ast.Object) func(ast.Name) ast.Object {
	return func(name ast.Name) ast.Object {
		for _, side := range sides {
			for _, o := range side {
				if o.ID() == name {
					return o
				}
			}
		}
		return nil
	}
}

// caseFiles lists the cases: KIND/NAME.txtar.
func caseFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal(fs.ErrNotExist)
	}
	return files
}
