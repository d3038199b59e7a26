package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/config"
	"github.com/dfe-engine/dfe/engine/service"
	"github.com/dfe-engine/dfe/engine/tokens"
	"github.com/dfe-engine/dfe/engine/topics"
	"github.com/dfe-engine/dfe/lang/regular"
	"github.com/dfe-engine/dfe/rules"
)

// ending bounds how long a service that is told to stop waits for its pass: a statement under way is read back, and
// the lease is released.
const ending = 30 * time.Second

func (a *app) serveCommand() *cobra.Command {
	var (
		s                 server
		tree              schemaTree
		listen, logFormat string
	)
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Make the schema true at boot, and answer what became of it",
		Long: `Make the server match the schema, once, at boot, and answer over HTTP what became of it: a page for operators at /,
the probes /livez and /readyz, /metrics, and /api/v1/system/schema and /api/v1/system/version as JSON.

A pass that fails leaves the process up and not ready, and runs again with back-off from 30 s to 10 min. SIGTERM ends
it cleanly: nothing new is accepted, the pass ends after the statement at hand, and the lease is released.

Everything it reads of the environment is in "dfe help environment".`,
		Example: `  DFE_ENGINE_CLICKHOUSE_URL=clickhouses://clickhouse.example:9440 dfe serve --listen :8480
  dfe serve --embedded ./data --tree ./schemas`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := config.Load(a.Getenv)
			if err != nil {
				_, err = a.config() // there is no log: it tells of variables that are none as any command does
				return err
			}
			if cmd.Flags().Changed("listen") {
				if err := config.CheckListen(listen); err != nil {
					return usagef("--listen: %w", err)
				}
				c.Listen = listen
			}
			if cmd.Flags().Changed("log-format") {
				c.LogFormat = logFormat
			}
			if cmd.Flags().Changed("wait") {
				c.Wait = s.wait
			}
			o, err := options(tree, drift{})
			if err != nil {
				return err
			}
			return a.serve(cmd.Context(), c, s, o)
		},
	}
	s.flags(cmd.Flags(), waitLease+" (default: DFE_ENGINE_CLICKHOUSE_BOOTSTRAP_WAIT_SECONDS, else 3m0s)")
	cmd.Flags().Lookup("wait").DefValue = "" // its line says what holds where it is left out
	tree.flags(cmd.Flags())
	cmd.Flags().StringVar(&listen, "listen", "", "address to answer at, host:port (default: DFE_ENGINE_LISTEN, else 127.0.0.1:8480)")
	cmd.Flags().Var(&choice{&logFormat, []string{"json", "text"}}, "log-format", "json or text (default: DFE_ENGINE_LOG_FORMAT, else json)")
	return cmd
}

func (a *app) serve(ctx context.Context, c config.Config, s server, o engine.Options) (err error) {
	log := a.serviceLog(c)
	for _, sentence := range a.unknown() {
		log.WarnContext(ctx, sentence)
	}
	var access *tokens.File
	if c.Tokens != "" {
		if access, err = tokens.Open(c.Tokens); err != nil {
			return usagef("DFE_ENGINE_API_TOKENS_FILE: %w", err)
		}
	}
	if err := checkBus(c.Kafka); err != nil {
		return err
	}
	s.makes = true
	target, closeTarget, err := a.target(ctx, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeTarget()) }()
	o.Target, o.Wait, o.MaxQuerySize, o.Release, o.Log = target, c.Wait, c.MaxQuerySize, release(), log
	o.Bus, o.BusWait, o.SkipTopics, o.SkipTables = c.Kafka.Bus(), c.Wait, !c.Kafka.BootstrapTopics, !c.BootstrapTables
	if o.Overlay == "" {
		o.Overlay = c.Overlay
	}
	switch {
	case s.embedded != "":
		o.Platform = rules.Embedded
	case c.Platform != "auto":
		o.Platform = rules.Platform(c.Platform)
	}
	e, err := engine.New(o)
	if err != nil {
		return err
	}
	// The port is taken before the pass begins: a second service on it ends without having touched the server.
	l, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return listenError(c.Listen, err)
	}
	if access == nil {
		log.InfoContext(ctx, "the routes that change something are closed: DFE_ENGINE_API_TOKENS_FILE is not set")
	}
	log.InfoContext(ctx, "serving", "listen", l.Addr().String(), "server", e.Target(), "engine", o.Release)
	off := !c.BootstrapTables && (!c.Kafka.BootstrapTopics || len(c.Kafka.Brokers) == 0)
	if off && c.Kafka.BootstrapTopics {
		log.InfoContext(ctx, "topics are skipped", "reason", topics.NoBus)
	}
	return a.run(ctx, l, service.New(service.Options{
		Engine: e, Off: off, Release: o.Release, Log: log, Tokens: access,
		Ended: func(engine.State) { a.rest() },
	}), log)
}

// run answers and makes passes until the context ends, and then waits for both.
func (a *app) run(ctx context.Context, l net.Listener, s *service.Service, log *slog.Logger) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	passes := make(chan struct{})
	go func() {
		defer close(passes)
		s.Run(ctx)
	}()
	err := service.Serve(ctx, l, s, log)
	cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		<-passes
		s.Wait()
	}()
	select {
	case <-ended:
		log.Info("stopped")
	case <-time.After(ending):
		err = errors.Join(err, fmt.Errorf("the pass, or a call, did not end within %s of being told to: its lease lapses", ending))
	}
	return err
}

func (a *app) serviceLog(c config.Config) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.LogLevel)) // config accepts slog's own words alone
	o := &slog.HandlerOptions{Level: level}
	if c.LogFormat == "text" {
		return slog.New(slog.NewTextHandler(a.Err, o))
	}
	return slog.New(slog.NewJSONHandler(a.exact.Err, o))
}

func listenError(address string, err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("%s is in use by another program, perhaps another dfe serve: stop that one, or give another address with --listen", address)
	case errors.Is(err, os.ErrPermission):
		return fmt.Errorf("this user may not listen at %s: give a port above 1023 with --listen", address)
	}
	return fmt.Errorf("nothing can listen at %s: %w", address, regular.Reason(err))
}
