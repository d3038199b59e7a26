package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/dfe-engine/dfe/engine/embedded"
)

// queue is the queue of ON CLUSTER statements in ZooKeeper, of which every member carries out what is for it, in order:
//
//	ddl/query-N                  an entry
//	ddl/query-N/active/HOST:PORT ephemeral: the host is at it
//	ddl/query-N/finished/HOST:PORT  what became of it there
//	replicas/HOST:PORT/active    ephemeral: the host is there
type queue struct {
	member  *member
	session int64
	// next is the number of the first entry this process has not seen through.
	next int
}

const (
	queuePath    = "/clickhouse/task_queue/ddl"
	queueMembers = "/clickhouse/task_queue/replicas"
)

// queueEntry is the data of ddl/query-N.
type queueEntry struct {
	Version   int               `json:"version"`
	Query     string            `json:"query"`
	Hosts     []string          `json:"hosts"`
	Cluster   string            `json:"cluster"`
	Initiator string            `json:"initiator"`
	Database  string            `json:"database"`
	Settings  map[string]string `json:"settings"`
	Created   time.Time         `json:"created"`
	// UUID is the one of a database that the statement makes.
	UUID string `json:"uuid,omitempty"`
}

func newQueue(m *member) *queue { return &queue{member: m} }

// enqueue sends a statement to all hosts of a cluster and waits for them.
func (c *client) enqueue(ctx context.Context, d *definition) error {
	m := c.member
	if m.session == nil {
		return errNoKeeper()
	}
	peers, err := m.clusterMembers(d.cluster)
	if err != nil {
		return err
	}
	if d.ofRows() && d.kind != "DATABASE" {
		return unsupported(d.verb + " of rows ON CLUSTER")
	}
	t, err := readText(d.bare())
	if err != nil {
		return err
	}
	bare := readDefinition(t)
	o := c.order(d)
	entry := queueEntry{Version: 5, Query: bare.identified(), Cluster: m.expand(d.cluster), Initiator: m.self().host(), Database: o.Database, Settings: o.Settings, Created: time.Now()}
	if d.kind == "DATABASE" {
		entry.UUID = newUUID()
	}
	for _, p := range peers {
		entry.Hosts = append(entry.Hosts, p.host())
	}
	data, err := json.Marshal(entry)
	if err != nil {
		return err
	}
	if err := m.session.ensure(queuePath); err != nil {
		return err
	}
	node, err := m.session.create(queuePath+"/query-", data, zk.FlagSequence)
	if err != nil {
		return err
	}
	return c.awaitHosts(ctx, hosts{what: "Distributed DDL task " + node, node: node, replicas: queueMembers, wait: entry.Hosts})
}

// run carries the queue out until ctx ends.
func (q *queue) run(ctx context.Context) {
	q.member.session.follow(ctx, q.member.log, "the queue of ON CLUSTER statements", nil, q.advance)
}

func (q *queue) advance(ctx context.Context) (<-chan zk.Event, error) {
	s := q.member.session
	own := q.member.self().host()
	if err := s.ensure(queuePath); err != nil {
		return nil, err
	}
	if err := s.ensure(path.Join(queueMembers, own)); err != nil {
		return nil, err
	}
	if _, number, _ := s.state(); number != q.session {
		if err := s.claim(path.Join(queueMembers, own, "active"), nil); err != nil {
			return nil, err
		}
		q.session = number
	}
	names, changed, err := s.watch(queuePath)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if sequence(name) < q.next {
			if err := q.clean(name); err != nil {
				return nil, err
			}
			continue
		}
		if err := q.step(ctx, name); err != nil {
			return nil, err
		}
		q.next = sequence(name) + 1
	}
	return changed, nil
}

func (q *queue) read(name string) (entry queueEntry, ok bool, err error) {
	data, ok, err := q.member.session.get(path.Join(queuePath, name))
	if err != nil || !ok {
		return entry, false, err
	}
	if err := json.Unmarshal(data, &entry); err != nil {
		return entry, false, fmt.Errorf("%s: %w", name, err)
	}
	return entry, true, nil
}

// expired reports an entry older than task_max_lifetime: nobody carries it out any more.
func (q *queue) expired(e queueEntry) bool { return time.Since(e.Created) > q.member.TaskMaxLifetime }

// clean removes an entry whose time is over.
func (q *queue) clean(name string) error {
	entry, ok, err := q.read(name)
	if err != nil || !ok || !q.expired(entry) {
		return err
	}
	return q.member.session.removeTree(path.Join(queuePath, name))
}

// step carries out one entry, if it is for this host, not done here and not too old.
func (q *queue) step(ctx context.Context, name string) error {
	s := q.member.session
	own := q.member.self().host()
	entry, ok, err := q.read(name)
	if err != nil || !ok {
		return err
	}
	if q.expired(entry) {
		return q.clean(name)
	}
	if !slices.Contains(entry.Hosts, own) {
		return nil
	}
	node := path.Join(queuePath, name)
	done, err := s.exists(path.Join(node, "finished", own))
	if err != nil || done {
		return err
	}
	for _, p := range []string{"active", "finished"} {
		if err := s.ensure(path.Join(node, p)); err != nil {
			return err
		}
	}
	if err := s.claim(path.Join(node, "active", own), nil); err != nil {
		return err
	}
	status := hostStatus{Started: time.Now()}
	if failed := q.carryOut(ctx, entry); failed != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		status.Code, status.Text = embedded.Code(failed)
		if status.Code == 0 {
			status.Code, status.Text = 1002, failed.Error()
		}
		if status.Code == 999 || status.Code == 225 || errors.Is(failed, embedded.ErrTryAgain) {
			return failed // tried again, as a server does
		}
	}
	status.Finished = time.Now()
	data, err := json.Marshal(status)
	if err != nil {
		return err
	}
	return errors.Join(s.put(path.Join(node, "finished", own), data), s.remove(path.Join(node, "active", own)))
}

func (q *queue) carryOut(ctx context.Context, entry queueEntry) error {
	m := q.member
	t, err := readText(entry.Query)
	if err != nil {
		return err
	}
	d := readDefinition(t)
	if d == nil {
		return unsupported("this statement ON CLUSTER")
	}
	o := embedded.Order{Text: t.apply(nil), Database: entry.Database, Settings: entry.Settings}
	err = m.logged(ctx, t, o, func() error {
		if d.kind != "DATABASE" {
			return m.carryOut(ctx, d, o)
		}
		return m.carryOutDatabase(ctx, d, o, entry.UUID)
	})
	if d.kind != "DATABASE" {
		return err
	}
	if db := m.dbs.find(d.names[0].Name); db != nil && d.verb == "CREATE" && db.UUID == entry.UUID {
		return nil // done by a process that was killed before it could say
	}
	return err
}

// rows are those of system.distributed_ddl_queue: one for each host of each entry.
func (q *queue) rows() ([]row, error) {
	s := q.member.session
	if s == nil {
		return nil, errNoKeeper()
	}
	names, err := s.list(queuePath)
	if err != nil {
		return nil, err
	}
	var list []row
	for _, name := range names {
		entry, ok, err := q.read(name)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		active, err := s.list(path.Join(queuePath, name, "active"))
		if err != nil {
			return nil, err
		}
		initiator, port := hostPort(entry.Initiator)
		for _, host := range entry.Hosts {
			own, ownPort := hostPort(host)
			r := row{
				"entry": name, "entry_version": entry.Version, "initiator_host": initiator, "initiator_port": port, "cluster": entry.Cluster,
				"query": entry.Query, "settings": entry.Settings, "query_create_time": moment(entry.Created), "host": own, "port": ownPort, "status": "Inactive",
			}
			if slices.Contains(active, host) {
				r["status"] = "Active"
			}
			data, done, err := s.get(path.Join(queuePath, name, "finished", host))
			if err != nil {
				return nil, err
			}
			if done {
				var status hostStatus
				if err := json.Unmarshal(data, &status); err != nil {
					return nil, fmt.Errorf("the status of %s: %w", host, err)
				}
				r["status"], r["exception_code"], r["exception_text"] = "Finished", status.Code, status.Text
				r["query_finish_time"], r["query_duration_ms"] = moment(status.Finished), status.Finished.Sub(status.Started).Milliseconds()
			}
			list = append(list, r)
		}
	}
	return list, nil
}
