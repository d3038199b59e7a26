package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/access"
	"github.com/dfe-engine/dfe/engine/embedded"
)

func (a *app) embeddedCommand() *cobra.Command {
	var (
		path, passwordFile string
		port               uint16
		cluster            members
	)
	cmd := &cobra.Command{
		Use:   "embedded",
		Short: "Run the embedded ClickHouse engine until it is told to stop",
		Long: `Run a real ClickHouse engine in this process and answer ClickHouse's HTTP interface on 127.0.0.1.

It stops cleanly on SIGINT and SIGTERM. One process at a time can hold a data directory.

With --members it is a cluster: that many engines, each a process of its own, around a ZooKeeper, with Replicated databases
and tables and with faults on demand by the control route. It is a stage to rehearse on, not a place to keep data.`,
		Example: `  dfe embedded --path ./data --port 8123
  curl --data-binary 'SELECT version()' http://127.0.0.1:8123/

  dfe embedded --members 2 --control-port 8120
  dfe schema apply --url http://127.0.0.1:8123
  curl -X POST http://127.0.0.1:8120/members/member2/kill`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			password, err := readPassword(passwordFile)
			if err != nil {
				return err
			}
			if err := checkData(path); err != nil {
				return usagef("--path %s: %w", path, err)
			}
			if err := cluster.check(cmd, password); err != nil {
				return err
			}
			if cluster.number > 0 {
				return a.serveMembers(cmd.Context(), cluster, path, port)
			}
			if err := noCluster(path); err != nil {
				return err
			}
			return a.serveEmbedded(cmd.Context(), path, password, port)
		},
	}
	cmd.Flags().StringVar(&path, "path", "", "data directory, created when absent (default: a temporary one, removed at the end)")
	cmd.Flags().Uint16Var(&port, "port", 8123, "port on 127.0.0.1; 0 takes a free one")
	cmd.Flags().StringVar(&passwordFile, "password-file", "", "file with a password that clients have to give")
	cluster.flags(cmd)
	a.formatFlag(cmd)
	return cmd
}

func readPassword(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	password, err := catalog.ReadPassword(path)
	if err != nil {
		return "", usagef("--password-file: %w", err)
	}
	return password, nil
}

// running is the document of a server that is up.
type running struct {
	Version    int    `json:"version"`
	URL        string `json:"url"`
	ClickHouse string `json:"clickhouse"`
	Path       string `json:"path,omitempty"`
}

func (a *app) serveEmbedded(ctx context.Context, path, password string, port uint16) error {
	s, err := embedded.Start(ctx, embedded.Options{
		Path: path, Listen: net.JoinHostPort("127.0.0.1", strconv.Itoa(int(port))), Password: password, Progress: a.exact.Err, Access: access.New(),
		Log: slog.New(slog.NewTextHandler(a.Err, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	if err != nil {
		return err
	}
	if a.format == formatJSON {
		err = json.NewEncoder(a.exact.Out).Encode(running{1, s.URL(), s.Version(), path})
	} else {
		_, err = fmt.Fprintf(a.Out, "ClickHouse %s answers at %s; Ctrl-C ends it\n", s.Version(), s.URL())
	}
	if err != nil {
		_ = stop(s)
		return err
	}
	select {
	case <-ctx.Done():
	case <-s.Done():
	}
	return stop(s)
}
