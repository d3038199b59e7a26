package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine/embedded"
	"github.com/dfe-engine/dfe/engine/internal/jvm"
)

// insert answers an INSERT. That of a replicated table is read into a block first, which then goes to the table's log.
func (c *client) insert(ctx context.Context) error {
	t := c.text
	i := 1
	for t.word(i) == "INTO" || t.word(i) == "TABLE" {
		i++
	}
	if t.word(i) == "FUNCTION" {
		if remote(strings.ToLower(t.name(i + 1))) {
			return unsupported("INSERT INTO FUNCTION " + t.name(i+1))
		}
		return c.passInsert(ctx)
	}
	n, next := t.full(i)
	if n.Name == "" {
		return c.passInsert(ctx)
	}
	if n.Database == "" && c.Session() != "" {
		return unsupported("a name without its database in a session")
	}
	n = c.in(n)
	r, replicated, err := c.member.tables.find(ctx, n)
	switch {
	case err != nil:
		return err
	case !replicated:
		return c.passInsert(ctx)
	case r == nil:
		return unsupported("INSERT into a materialized view")
	}
	q, err := c.wantedQuorum()
	if err != nil {
		return err
	}
	if err := c.mayInsert(ctx, r, n); err != nil {
		return err
	}
	b, err := c.block(ctx, n, t.between(next, t.len()))
	if err != nil {
		return err
	}
	if len(b.data) > 0 {
		if err := c.commit(ctx, r, b, q); err != nil {
			return err
		}
	}
	return c.Done()
}

// passInsert lets the engine have an INSERT as it is, its SELECT rewritten.
func (c *client) passInsert(ctx context.Context) error {
	if c.HasData() {
		return c.run(ctx, c.text.src)
	}
	sql, err := c.rewrite(ctx)
	if err != nil {
		return err
	}
	return c.run(ctx, sql)
}

// quorum is what an INSERT asks for.
type quorum struct {
	auto     bool
	size     int
	parallel bool
	timeout  time.Duration
}

func (c *client) wantedQuorum() (quorum, error) {
	q := quorum{parallel: c.on("insert_quorum_parallel")}
	text, _ := c.setting("insert_quorum")
	if text == "auto" {
		q.auto = true
	} else {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return q, embedded.NewException(36, "BAD_ARGUMENTS", "insert_quorum = "+text+" is neither a number nor 'auto'")
		}
		q.size = n
	}
	text, _ = c.setting("insert_quorum_timeout")
	ms, err := strconv.ParseInt(text, 10, 64)
	if err != nil || ms < 0 {
		return q, embedded.NewException(36, "BAD_ARGUMENTS", "insert_quorum_timeout = "+text+" is no number of milliseconds")
	}
	q.timeout = time.Duration(ms) * time.Millisecond
	// (ClickHouse, Interpreters/executeQuery.cpp)
	if c.on("async_insert") && c.HasData() && (q.auto || q.size > 1) && !q.parallel {
		return q, embedded.NewException(2, "UNSUPPORTED_PARAMETER", "Async inserts with quorum only make sense with enabled insert_quorum_parallel setting, either disable quorum or set insert_quorum_parallel=1 or do not use async inserts")
	}
	return q, nil
}

// mayInsert refuses an INSERT that would be replicated wrongly, or into a table without its Keeper.
func (c *client) mayInsert(ctx context.Context, r *replica, n ast.Name) error {
	if alive, _, _ := c.member.session.state(); !alive {
		return embedded.NewException(242, "TABLE_IS_READ_ONLY", fmt.Sprintf("Table is in readonly mode since table metadata was not found in zookeeper: replica_path=%s", r.own()))
	}
	// A view whose target is replicated stays so until a definition changes that.
	fits, err := known(&c.member.facts, "views of "+r.UUID, func() (string, bool, error) {
		refused, err := c.unfit(ctx, r)
		return refused, refused == "", err
	})
	if err == nil && fits != "" {
		err = unsupported(fmt.Sprintf("INSERT into %s, whose materialized view %s writes to a table that is not replicated,", n, fits))
	}
	return err
}

// unfit names a materialized view of a table that writes to one that is not replicated.
func (c *client) unfit(ctx context.Context, r *replica) (string, error) {
	views, err := c.member.table(ctx, "SELECT d.1, d.2 FROM (SELECT arrayJoin(arrayZip(dependencies_database, dependencies_table)) AS d FROM system.tables WHERE "+ofUsers+" AND uuid = "+quoted(r.UUID)+")")
	if err != nil {
		return "", err
	}
	for _, v := range views {
		targets, err := c.member.table(ctx, "SELECT target_database, target_table FROM system.tables WHERE engine = 'MaterializedView' AND database = "+quoted(v[0])+" AND name = "+quoted(v[1]))
		if err != nil {
			return "", err
		}
		for _, target := range targets {
			_, replicated, err := c.member.tables.find(ctx, ast.Name{Database: target[0], Name: target[1]})
			if err != nil {
				return "", err
			}
			if !replicated {
				return v[0] + "." + v[1], nil
			}
		}
	}
	return "", nil
}

// block is what an INSERT stores.
type block struct {
	columns []string
	data    []byte // Native; empty without rows
	hash    string
}

// block reads an INSERT into a table in memory, so that defaults are worked out once, and takes the rows from there.
func (c *client) block(ctx context.Context, n ast.Name, rest string) (block, error) {
	m := c.member
	m.memory.RLock()
	defer m.memory.RUnlock()
	into := ast.Name{Database: stageDatabase, Name: "insert_" + randomID()}
	list, err := known(&m.facts, "columns of "+n.SQL(), func() ([][]string, bool, error) {
		list, err := m.table(ctx, "SELECT name, default_kind FROM system.columns WHERE database = "+quoted(n.Database)+" AND table = "+quoted(n.Name)+" ORDER BY position")
		return list, len(list) > 0, err
	})
	if err != nil {
		return block{}, err
	}
	var b block
	for _, col := range list {
		if col[1] == "" || col[1] == "DEFAULT" || col[1] == "MATERIALIZED" {
			b.columns = append(b.columns, col[0])
		}
	}
	settings := ownSettings()
	settings["allow_suspicious_low_cardinality_types"], settings["allow_suspicious_variant_types"], settings["allow_suspicious_codecs"] = "1", "1", "1"
	if _, err := m.server.Do(ctx, embedded.Order{Text: "CREATE TABLE " + into.SQL() + " AS " + n.SQL() + " ENGINE = Memory", Settings: settings}); err != nil {
		return block{}, err
	}
	defer func() { _, _ = m.do(context.WithoutCancel(ctx), "DROP TABLE IF EXISTS "+into.SQL()) }() // it is in memory
	sql := "INSERT INTO " + into.SQL() + " " + rest
	if c.HasData() {
		for _, name := range []string{"async_insert", "insert_quorum"} {
			c.Override(name, "0")
		}
		m.present.inside(c.here, 1)
		err = c.Take(ctx, sql)
		m.present.inside(c.here, -1)
	} else {
		err = c.selectInto(ctx, sql)
	}
	if err != nil {
		return block{}, err
	}
	names := make([]string, len(b.columns))
	for i, name := range b.columns {
		names[i] = ast.QuoteIdent(name)
	}
	settings = ownSettings()
	settings["max_threads"], settings["max_block_size"] = "1", "1000000000"
	b.data, err = m.server.Do(ctx, embedded.Order{Text: "SELECT " + strings.Join(names, ", ") + " FROM " + into.SQL(), Format: "Native", Settings: settings})
	if err != nil || len(b.data) == 0 {
		return b, err
	}
	if token, ok := c.setting("insert_deduplication_token"); ok && token != "" {
		b.hash = "token_" + jvm.Digest([]byte(token))
	} else if c.on("insert_deduplicate") {
		b.hash = jvm.Digest(b.data)
	}
	return b, nil
}

// selectInto runs an INSERT ... SELECT for its rows.
func (c *client) selectInto(ctx context.Context, sql string) error {
	t, err := readText(sql)
	if err != nil {
		return err
	}
	text, free, err := c.member.rewrite(ctx, t, c.on("skip_unavailable_shards"), c.current())
	c.free = append(c.free, free...)
	if err != nil {
		return err
	}
	o := embedded.Order{Text: text, Database: c.database(), Settings: map[string]string{}}
	c.EachSetting(func(name, value string) { o.Settings[name] = value })
	for name, value := range ownSettings() {
		if name != "log_comment" {
			o.Settings[name] = value
		}
	}
	_, err = c.member.server.Do(ctx, o)
	return err
}

// commit writes the block to the table's log and waits for the quorum.
// (ClickHouse, Storages/MergeTree/ReplicatedMergeTreeSink.cpp)
func (c *client) commit(ctx context.Context, r *replica, b block, q quorum) error {
	m, s := c.member, c.member.session
	if m.Cloud {
		q = quorum{} // the service is the quorum
	}
	replicas, err := s.list(path.Join(r.Path, "replicas"))
	if err != nil {
		return err
	}
	if q.auto {
		q.size = len(replicas)/2 + 1
	}
	if q.size > 1 {
		if err := r.mayHaveQuorum(replicas, q); err != nil {
			return err
		}
	}
	e := tableEntry{Block: randomID(), Columns: b.columns, Hash: b.hash, Parallel: q.parallel, Source: r.Replica}
	var ops []any
	if b.hash != "" {
		ops = append(ops, newNode(path.Join(r.Path, "blocks", b.hash), []byte(e.Block), 0))
	}
	node := path.Join(r.Path, "quorum", "status")
	if q.parallel {
		node = path.Join(r.Path, "quorum", "parallel", e.Block)
	}
	if q.size > 1 {
		e.Quorum = q.size
		status, err := json.Marshal(quorumStatus{Block: e.Block, Entry: -1, Required: q.size})
		if err != nil {
			return err
		}
		ops = append(ops, newNode(node, status, 0))
	}
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	ops = append(ops, newNode(path.Join(r.Path, "log", "log-"), data, zk.FlagSequence))
	if err := m.keepBlock(r.blocks(), e.Block, b.data); err != nil {
		return err
	}
	answers, err := s.multi(ops...)
	if errors.Is(err, zk.ErrNodeExists) {
		return c.again(ctx, r, b, q, node, answers)
	}
	if err != nil {
		if code, _ := embedded.Code(err); code == 999 {
			return embedded.NewException(319, "UNKNOWN_STATUS_OF_INSERT", "Unknown status, client must retry. Reason: "+err.Error())
		}
		return err
	}
	n := sequence(path.Base(answers[len(answers)-1].String))
	r.kick()
	if q.size > 1 {
		if err := c.awaitQuorum(ctx, node, e.Block, q); err != nil {
			return err
		}
	}
	bounded, cancel := context.WithTimeoutCause(ctx, 2*keeperPatience,
		embedded.NewException(319, "UNKNOWN_STATUS_OF_INSERT", "Unknown status, client must retry. Reason: the block is in the log and ZooKeeper does not answer"))
	defer cancel()
	return r.await(bounded, n)
}

// again is an INSERT that found an equal block, or another one's quorum, in its place.
func (c *client) again(ctx context.Context, r *replica, b block, q quorum, node string, answers []zk.MultiResponse) error {
	s := c.member.session
	if b.hash != "" {
		known, ok, err := s.get(path.Join(r.Path, "blocks", b.hash))
		if err != nil {
			return err
		}
		if ok {
			// Stored already, and acknowledged without a word. Its quorum may still be under way.
			if q.size > 1 && !q.parallel {
				return c.awaitQuorum(ctx, path.Join(r.Path, "quorum", "status"), string(known), q)
			}
			if q.size > 1 {
				return c.awaitQuorum(ctx, path.Join(r.Path, "quorum", "parallel", string(known)), string(known), q)
			}
			return nil
		}
	}
	return pendingQuorum(s, node)
}

func pendingQuorum(s *session, node string) error {
	data, _, err := s.get(node)
	if err != nil {
		return err
	}
	var status quorumStatus
	_ = json.Unmarshal(data, &status) // what cannot be read is shown empty
	return embedded.NewException(286, "UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE", "Quorum for previous write has not been satisfied yet. Status: "+status.String())
}

// mayHaveQuorum is what a server checks before it takes an INSERT with a quorum.
func (r *replica) mayHaveQuorum(replicas []string, q quorum) error {
	s := r.member.session
	alive := 0
	for _, name := range replicas {
		is, err := s.exists(path.Join(r.Path, "replicas", name, "is_active"))
		if err != nil {
			return err
		}
		alive += flag(is)
	}
	if alive < q.size {
		return embedded.NewException(285, "TOO_FEW_LIVE_REPLICAS", fmt.Sprintf("Number of alive replicas (%d) is less than requested quorum (%d/%d)", alive, q.size, len(replicas)))
	}
	if q.parallel {
		return nil
	}
	node := path.Join(r.Path, "quorum", "status")
	pending, err := s.exists(node)
	if err != nil || !pending {
		return err
	}
	return pendingQuorum(s, node)
}

// awaitQuorum waits until a block's quorum is reached.
func (c *client) awaitQuorum(ctx context.Context, node, block string, q quorum) error {
	s := c.member.session
	until := time.Now().Add(q.timeout)
	for {
		// The watch comes first: what changes after it is told.
		_, changed, err := s.watchNode(node)
		var data []byte
		var ok bool
		if err == nil {
			data, ok, err = s.get(node)
		}
		if err != nil {
			return embedded.NewException(319, "UNKNOWN_STATUS_OF_INSERT", "Unknown quorum status. The data was inserted in the local replica but we could not verify quorum. Reason: "+err.Error())
		}
		var status quorumStatus
		if ok {
			if err := json.Unmarshal(data, &status); err != nil {
				return fmt.Errorf("%s: %w", node, err)
			}
		}
		if !ok || status.Block != block {
			return nil
		}
		if time.Now().After(until) {
			return embedded.NewException(319, "UNKNOWN_STATUS_OF_INSERT", "Unknown quorum status. The data was inserted in the local replica but we could not verify quorum. Reason: Timeout while waiting for quorum")
		}
		either(ctx, changed, time.Until(until)+time.Millisecond)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}
