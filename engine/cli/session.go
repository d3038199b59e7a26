package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/access"
	"github.com/dfe-engine/dfe/engine/config"
	"github.com/dfe-engine/dfe/engine/embedded"
	"github.com/dfe-engine/dfe/lang/tree"
	"github.com/dfe-engine/dfe/rules"
	"github.com/dfe-engine/dfe/rules/plan"
)

// server is how a command names the server it is about.
type server struct {
	url, embedded string
	wait          time.Duration
	// makes says that the command makes the embedded engine's data directory where there is none. One that only reads leaves
	// nothing behind.
	makes bool
}

// What a command waits for, as its flag says it. None but a pass takes the lease, and not all ask the bus.
const (
	waitServer = "how long a server that is not up yet is waited for"
	waitBus    = waitServer + "; as long again a bus that is not up yet"
	waitLease  = waitServer + "; as long again a lease that another pass holds, and then a bus that is not up yet"
)

func (s *server) flags(f *pflag.FlagSet, waits string) {
	f.StringVar(&s.url, "url", "", "the server: clickhouse://, clickhouses://, http:// or https:// with host, port and database")
	f.StringVar(&s.embedded, "embedded", "", "instead of a server: the embedded engine on this data directory")
	f.Var((*patience)(&s.wait), "wait", waits)
}

// schemaTree is how a command names the schema.
type schemaTree struct {
	dir, overlay string
	vars         []string
}

func (s *schemaTree) flags(f *pflag.FlagSet) {
	f.StringVar(&s.dir, "tree", "", "directory of a schema tree (default: the core release in this program)")
	f.StringVar(&s.overlay, "overlay", "", "directory of the deployment's own additive tree")
	f.StringArrayVar(&s.vars, "var", nil, "value of a manifest's variable, as name=value; may be repeated")
}

func (s *schemaTree) variables() (map[string]string, error) {
	values := map[string]string{}
	for _, v := range s.vars {
		name, value, ok := strings.Cut(v, "=")
		if !ok || name == "" {
			return nil, usagef("--var %q is no variable: write name=value", v)
		}
		values[name] = value
	}
	return values, nil
}

// check finds a directory that is not there, before anything is started: a service would come to rest on a schema that
// lacks half of what it is to be.
func (s *schemaTree) check() error {
	for _, d := range []struct{ flag, path, remedy string }{
		{"--tree", s.dir, "name the directory of a schema tree, or leave the flag out for the core release"},
		{"--overlay", s.overlay, "name the directory of the deployment's own schema tree, or leave the flag out"},
	} {
		if d.path == "" {
			continue
		}
		if err := config.CheckDirectory(d.path); err != nil {
			return usagef("%s %s: %w; %s", d.flag, d.path, err, d.remedy)
		}
	}
	return nil
}

// formatFlag adds --format to a command.
func (a *app) formatFlag(cmd *cobra.Command) {
	cmd.Flags().Var(&choice{&a.format, []string{formatText, formatJSON}}, "format", "text for reading, json for programs")
	a.format = formatText
}

func complete(cmd *cobra.Command, flag string, values ...string) {
	// The one error is a flag that does not exist, which the tests of the command would show.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// patience is a flag for a time to wait: a duration that is not negative.
type patience time.Duration

func (p *patience) String() string { return time.Duration(*p).String() }
func (p *patience) Type() string   { return "duration" }
func (p *patience) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return errors.New("it is a time such as 90s or 5m, or 0s for one try")
	}
	*p = patience(d)
	return nil
}

// choice is a flag that takes one of a few words.
type choice struct {
	value   *string
	choices []string
}

func (c *choice) String() string { return *c.value }
func (c *choice) Type() string   { return strings.Join(c.choices, "|") }
func (c *choice) Set(text string) error {
	for _, word := range c.choices {
		if text == word {
			*c.value = text
			return nil
		}
	}
	return fmt.Errorf("it is %s", strings.Join(c.choices, " or "))
}

// config reads the environment, and tells people of variables that are none.
func (a *app) config() (config.Config, error) {
	for _, sentence := range a.unknown() {
		fmt.Fprintf(a.Err, "dfe: %s\n", sentence)
	}
	c, err := config.Load(a.Getenv)
	if err != nil {
		return c, usage{err}
	}
	return c, nil
}

// unknown are sentences about variables that are none, the first time they are asked for.
func (a *app) unknown() []string {
	if a.warned || a.Environ == nil {
		return nil
	}
	a.warned = true
	return config.Unknown(a.Environ())
}

// session is one command at work on one server.
type session struct {
	*engine.Engine
	progress *progress
	close    func() error
}

// open builds the engine a command works with, and the embedded server where it is on one. The caller closes it.
func (a *app) open(ctx context.Context, s server, o engine.Options) (*session, error) {
	c, err := a.config()
	if err != nil {
		return nil, err
	}
	if c.Platform != "auto" {
		o.Platform = rules.Platform(c.Platform)
	}
	if s.embedded != "" {
		o.Platform = rules.Embedded
	}
	if o.Overlay == "" {
		o.Overlay = c.Overlay
	}
	o.Wait, o.MaxQuerySize, o.Release = s.wait, c.MaxQuerySize, release()
	o.Bus, o.BusWait, o.SkipTopics = c.Kafka.Bus(), s.wait, !c.Kafka.BootstrapTopics
	if err := checkBus(c.Kafka); err != nil {
		return nil, err
	}
	if s.embedded != "" && s.wait == 0 {
		o.Wait = ownWait
	}
	opened := &session{progress: a.progress()}
	o.Log = slog.New(slog.NewTextHandler(a.Err, &slog.HandlerOptions{Level: slog.LevelError}))
	o.Progress = func(p engine.Progress) {
		text := p.Step
		if p.Total > 0 {
			text = fmt.Sprintf("%s %d/%d %s", p.Step, p.Done, p.Total, p.Object)
		}
		opened.progress.show(text)
	}
	if o.Target, opened.close, err = a.target(ctx, s); err != nil {
		return nil, err
	}
	if opened.Engine, err = engine.New(o); err != nil {
		return nil, errors.Join(err, opened.close())
	}
	return opened, nil
}

// checkBus finds the files of the bus that cannot be used, where topics are at issue.
func checkBus(k config.Kafka) error {
	if !k.BootstrapTopics {
		return nil
	}
	if err := k.CheckFiles(); err != nil {
		return usage{err}
	}
	return nil
}

// target finds the server a command is about, and starts the embedded one where that is it. The caller calls close.
func (a *app) target(ctx context.Context, s server) (_ catalog.Target, close func() error, _ error) {
	nothing := func() error { return nil }
	c, err := a.config()
	if err != nil {
		return catalog.Target{}, nothing, err
	}
	switch {
	case s.url != "" && s.embedded != "":
		return catalog.Target{}, nothing, usagef("--url and --embedded name two servers: give one")
	case s.embedded != "":
		path := s.embedded
		if err := checkData(path); err != nil {
			return catalog.Target{}, nothing, usagef("--embedded %s: %w", path, err)
		}
		if !s.makes && holdsNothing(path) {
			fmt.Fprintf(a.Err, "dfe: %s holds no data yet: what follows is about an empty engine, and nothing is left behind\n", path)
			path = ""
		}
		local, err := a.startEmbedded(ctx, embedded.Options{Path: path})
		if err != nil {
			return catalog.Target{}, nothing, err
		}
		return catalog.Target{URL: local.URL()}, func() error { return stop(local) }, nil
	case s.url != "":
		if err := (catalog.Target{URL: s.url}).Check(); err != nil {
			return catalog.Target{}, nothing, usagef("--url: %w", err)
		}
		c.Target.URL = s.url
		if (catalog.Target{URL: s.url}).HasURLPassword() {
			fmt.Fprintln(a.Err, "dfe: the password in --url is visible in the list of processes: use DFE_ENGINE_CLICKHOUSE_PASSWORD_FILE instead")
		}
	case c.Target.URL == "":
		return catalog.Target{}, nothing, usagef("no server is named: give --url or --embedded, or set DFE_ENGINE_CLICKHOUSE_URL")
	}
	if err := c.CheckTarget(); err != nil {
		return catalog.Target{}, nothing, usage{err}
	}
	return c.Target, nothing, nil
}

// checkData refuses what cannot be the engine's data directory, before an engine puts its files there.
func checkData(dir string) error {
	found, err := os.Stat(dir)
	if err != nil {
		return nil // it is made, or the engine says why it cannot be used
	}
	if !found.IsDir() {
		return errors.New("it is no directory; name the engine's data directory, or one that is not there yet")
	}
	if _, err := os.Stat(filepath.Join(dir, tree.ManifestName)); err == nil {
		return fmt.Errorf("it is a schema tree, with a %s; --tree names one, and the engine's data has a directory of its own", tree.ManifestName)
	}
	return nil
}

// holdsNothing reports a data directory that is not there, or empty.
func holdsNothing(dir string) bool {
	entries, err := os.ReadDir(dir)
	return errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0
}

// ownWait is how long the lease of an embedded server is waited for where nothing else is said: nobody but a command
// that was killed can have it, and its claim lapses in half that time.
const ownWait = time.Minute

// passPlan is a pass held to a reviewed plan.
func (s *session) passPlan(reviewed *plan.Document) func(context.Context) (engine.Report, error) {
	return func(ctx context.Context) (engine.Report, error) { return s.PassPlan(ctx, reviewed) }
}

// startEmbedded starts the embedded engine. It is silent but for fetching its library.
func (a *app) startEmbedded(ctx context.Context, o embedded.Options) (*embedded.Server, error) {
	o.Log, o.Progress, o.Access = slog.New(slog.DiscardHandler), a.exact.Err, access.New()
	return embedded.Start(ctx, o)
}

// stopping bounds how long the embedded engine may take to end what it runs.
const stopping = 30 * time.Second

func stop(s *embedded.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopping)
	defer cancel()
	return s.Close(ctx)
}

// create opens a file for writing what a command made.
func create(path string) (*os.File, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("the output file cannot be written: %w", err)
	}
	return f, nil
}
