package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dfe-engine/dfe/engine/embedded"
)

// hosts is a distributed statement whose hosts are waited for.
type hosts struct {
	what       string // as the exception names it
	node       string // the entry in ZooKeeper
	replicas   string // under which HOST/active says that a host is there
	wait       []string
	ofDatabase bool // the log of a Replicated database, not the queue of ON CLUSTER
}

// hostStatus is what a host of the queue has written about an entry.
type hostStatus struct {
	Code     int       `json:"code"`
	Text     string    `json:"text,omitempty"`
	Started  time.Time `json:"started"`
	Finished time.Time `json:"finished"`
}

// awaitHosts waits as distributed_ddl_task_timeout and distributed_ddl_output_mode say, and answers with what the hosts
// have to report. (ClickHouse, Interpreters/DistributedQueryStatusSource.cpp and its two heirs)
func (c *client) awaitHosts(ctx context.Context, h hosts) error {
	s := c.member.session
	mode, _ := c.setting("distributed_ddl_output_mode")
	text, _ := c.setting("distributed_ddl_task_timeout")
	timeout, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return embedded.NewException(36, "BAD_ARGUMENTS", "distributed_ddl_task_timeout = "+text+" is no number of seconds")
	}
	if timeout == 0 {
		return c.Done()
	}
	var (
		onlyActive = strings.HasSuffix(mode, "_only_active")
		throws     = strings.HasPrefix(mode, "throw") || strings.HasPrefix(mode, "none")
		began      = time.Now()
		finished   []string
		active     []string
		rows       [][]any
		first      error
	)
	for len(finished) < len(h.wait) {
		done, changed, err := s.watchList(path.Join(h.node, "finished"))
		if err != nil {
			return err
		}
		if active, err = s.list(path.Join(h.node, "active")); err != nil {
			return err
		}
		for _, host := range done {
			if slices.Contains(finished, host) || !slices.Contains(h.wait, host) {
				continue
			}
			finished = append(finished, host)
			status := hostStatus{}
			if !h.ofDatabase {
				data, _, err := s.get(path.Join(h.node, "finished", host))
				if err != nil {
					return err
				}
				if err := json.Unmarshal(data, &status); err != nil {
					return fmt.Errorf("the status of %s: %w", host, err)
				}
			}
			if status.Code != 0 && first == nil && mode != "never_throw" {
				first = c.member.exception(ctx, status.Code, fmt.Sprintf("There was an error on [%s]: Code: %d. %s", host, status.Code, status.Text))
			}
			rows = append(rows, h.row(host, status, len(h.wait)-len(finished), len(active)))
		}
		if len(finished) == len(h.wait) {
			break
		}
		var offline []string
		if onlyActive {
			for _, host := range h.wait {
				there, err := s.exists(path.Join(h.replicas, host, "active"))
				if err != nil {
					return err
				}
				if !there && !slices.Contains(finished, host) {
					offline = append(offline, host)
				}
			}
		}
		stopWaiting := onlyActive && len(finished)+len(offline) == len(h.wait) && len(offline) < len(h.wait)
		late := timeout > 0 && time.Since(began) > time.Duration(timeout)*time.Second
		if stopWaiting || late {
			if throws && !stopWaiting && first == nil {
				first = embedded.NewException(159, "TIMEOUT_EXCEEDED", fmt.Sprintf("%s is not finished on %d of %d hosts (%d of them are currently executing the task, %d are inactive). "+
					"They are going to execute the query in background. Was waiting for %.3f seconds, which is longer than distributed_ddl_task_timeout",
					h.what, len(h.wait)-len(finished), len(h.wait), len(active), len(offline), time.Since(began).Seconds()))
			}
			rows = append(rows, h.unfinished(finished, active, mode)...)
			break
		}
		either(ctx, changed, pause) // who is active, and how late it is, is asked again and again
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	if first != nil {
		return first
	}
	if strings.HasPrefix(mode, "none") || len(rows) == 0 {
		return c.Done()
	}
	id, free := c.member.rows.hold(jsonRows(rows))
	c.free = append(c.free, free)
	return c.run(ctx, "SELECT * FROM "+c.member.heldRows(id, "JSONCompactEachRow", h.structure(mode))+c.format())
}

// format is the statement's FORMAT clause.
func (c *client) format() string {
	for i := c.text.len() - 2; i > 0; i-- {
		if c.text.depth[i] == 0 && c.text.word(i) == "FORMAT" && i >= c.text.len()-2 {
			return " FORMAT " + c.text.name(i+1)
		}
	}
	return ""
}

// row is what a host that has finished reports.
func (h hosts) row(host string, status hostStatus, remaining, active int) []any {
	if h.ofDatabase {
		shard, replica, _ := strings.Cut(host, "|")
		return []any{shard, replica, "OK", remaining, active}
	}
	name, port := hostPort(host)
	return []any{name, port, status.Code, status.Text, remaining, active}
}

// unfinished are the rows of hosts that are not waited for any longer.
func (h hosts) unfinished(finished, active []string, mode string) [][]any {
	var rows [][]any
	left := len(h.wait) - len(finished)
	for _, host := range h.wait {
		if slices.Contains(finished, host) {
			continue
		}
		if h.ofDatabase {
			shard, replica, _ := strings.Cut(host, "|")
			state := "QUEUED"
			if slices.Contains(active, host) {
				state = "IN_PROGRESS"
			}
			rows = append(rows, []any{shard, replica, state, left, len(active)})
			continue
		}
		name, port := hostPort(host)
		if nullable(mode) {
			rows = append(rows, []any{name, port, nil, nil, left, len(active)})
		} else {
			rows = append(rows, []any{name, port, 3, "Unfinished", left, len(active)})
		}
	}
	return rows
}

func nullable(mode string) bool {
	return mode != "throw" && mode != "none" && mode != "none_only_active"
}

func (h hosts) structure(mode string) string {
	switch {
	case h.ofDatabase:
		return "shard String, replica String, status Enum8('OK' = 0, 'IN_PROGRESS' = 1, 'QUEUED' = 2, 'UNFINISHED' = 3), num_hosts_remaining UInt64, num_hosts_active UInt64"
	case nullable(mode):
		return "host String, port UInt16, status Nullable(Int64), error Nullable(String), num_hosts_remaining UInt64, num_hosts_active UInt64"
	}
	return "host String, port UInt16, status Int64, error String, num_hosts_remaining UInt64, num_hosts_active UInt64"
}

func hostPort(host string) (string, int) {
	name, port, _ := strings.Cut(host, ":")
	n, err := strconv.Atoi(port)
	if err != nil {
		return host, 0
	}
	return name, n
}
