package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dfe-engine/dfe/engine/embedded/cluster"
	"github.com/dfe-engine/dfe/lang/facts"
)

// members are the flags of a cluster of embedded members.
type members struct {
	number, shards int
	cloud          bool
	without        []string
	controlPort    uint16
}

func (m *members) flags(cmd *cobra.Command) {
	cmd.Flags().IntVar(&m.number, "members", 0, "run that many members around a ZooKeeper, each a process of its own on --port and the ports after it")
	cmd.Flags().IntVar(&m.shards, "shards", 1, "with --members: the number of shards they are spread over")
	cmd.Flags().BoolVar(&m.cloud, "cloud", false, "with --members: answer as a service of ClickHouse Cloud does")
	cmd.Flags().StringSliceVar(&m.without, "without", nil, "with --members: leave out what a replicated schema needs: keeper, remote_servers, cluster, shard, replica")
	complete(cmd, "without", cluster.Removable()...)
	cmd.Flags().Uint16Var(&m.controlPort, "control-port", 0, "with --members: port of the control route on 127.0.0.1 (default a free one)")
}

// check refuses flags that mean nothing together.
func (m *members) check(cmd *cobra.Command, password string) error {
	if !cmd.Flags().Changed("members") {
		for _, name := range []string{"shards", "cloud", "without", "control-port"} {
			if cmd.Flags().Changed(name) {
				return usagef("--%s is for a cluster: give --members", name)
			}
		}
		return nil
	}
	if password != "" {
		return usagef("--password-file is for one server: leave --members out")
	}
	if m.number == 0 {
		return usagef("a cluster of 0 members: leave --members out for one server without a ZooKeeper")
	}
	if err := m.options().Check(); err != nil {
		return usagef("%w", err)
	}
	return nil
}

// options are what the flags say of the cluster.
func (m *members) options() cluster.Options {
	return cluster.Options{Members: m.number, Shards: m.shards, Cloud: m.cloud, Without: m.without}
}

// runningCluster is the document of a cluster that is up.
type runningCluster struct {
	Version    int             `json:"version"`
	Cluster    string          `json:"cluster"`
	ClickHouse string          `json:"clickhouse"`
	Control    string          `json:"control"`
	Members    []runningMember `json:"members"`
}

type runningMember struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

// noCluster refuses the directory of a cluster for one server.
func noCluster(path string) error {
	if path == "" || !cluster.Holds(path) {
		return nil
	}
	return fmt.Errorf("the directory %s holds a cluster: give --members, or another directory", path)
}

// serveMembers runs a cluster until it is told to stop.
func (a *app) serveMembers(ctx context.Context, m members, path string, port uint16) (err error) {
	o := m.options()
	o.Dir, o.Progress = path, a.exact.Err
	if port != 0 {
		if last := int(port) + m.number - 1; last > 65535 {
			return usagef("--port %d leaves %d members no ports: the last would have %d, and 65535 is the highest", port, m.number, last)
		}
		for i := range m.number {
			o.Ports = append(o.Ports, int(port)+i)
		}
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", fmt.Sprint(m.controlPort)))
	if err != nil {
		return fmt.Errorf("the control route: %w", err)
	}
	c, err := cluster.Start(ctx, o)
	if stopped := context.Cause(ctx); err != nil && stopped != nil {
		// Whoever stops it knows why it did not come up: what its processes printed is no cause.
		err = fmt.Errorf("the cluster was told to stop while it started: %w", stopped)
	}
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	control := &http.Server{Handler: c.Handler(), ReadHeaderTimeout: 30 * time.Second, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)}
	served := make(chan error, 1)
	go func() { served <- control.Serve(listener) }()
	defer func() { _ = control.Close() }() // whatever it answers then is told
	if err := a.announce(c, "http://"+listener.Addr().String()+"/"); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return nil
	case err := <-served:
		return fmt.Errorf("the control route: %w", err)
	}
}

func (a *app) announce(c *cluster.Cluster, control string) error {
	doc := runningCluster{Version: 1, Cluster: c.Name(), ClickHouse: facts.Version(), Control: control}
	for _, m := range c.Members() {
		doc.Members = append(doc.Members, runningMember{m.Name(), m.URL()})
	}
	if a.format == formatJSON {
		return json.NewEncoder(a.exact.Out).Encode(doc)
	}
	var text strings.Builder
	for _, m := range doc.Members {
		fmt.Fprintf(&text, "%s answers at %s\n", m.Name, m.URL)
	}
	fmt.Fprintf(&text, "the control route is %s; Ctrl-C ends the cluster\n", control)
	_, err := fmt.Fprint(a.Out, text.String())
	return err
}
