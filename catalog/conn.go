package catalog

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// Conn is an open connection to one server. It is safe for concurrent use.
type Conn struct {
	target   string
	http     bool
	patience time.Duration // of one query
	driver   driver.Conn
	queries  atomic.Int64
	waited   atomic.Int64
}

// Open reaches the server once and returns a connection that works. Errors are [ConnectError], [TargetError],
// [FileError] or the context's own. The caller closes the connection.
func Open(ctx context.Context, target Target) (*Conn, error) {
	options, err := target.options()
	if err != nil {
		return nil, err
	}
	opened, err := clickhouse.Open(options)
	if err != nil {
		return nil, classify(ctx, target.String(), err)
	}
	c := &Conn{target: target.String(), http: options.Protocol == clickhouse.HTTP, patience: options.ReadTimeout, driver: opened}
	if err := c.Ping(ctx); err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return c, nil
}

// Close gives the sockets back.
func (c *Conn) Close() error { return c.driver.Close() }

// Target is the server's URL without credentials, for messages.
func (c *Conn) Target() string { return c.target }

// Ping asks the server for an answer and classifies what comes, as [Open] does.
func (c *Conn) Ping(ctx context.Context) error {
	defer c.count(time.Now())
	return classify(ctx, c.target, c.driver.Ping(ctx))
}

var errNoAnswer = errors.New("the server did not answer in time")

// Effort is what a connection has cost so far.
type Effort struct {
	// Queries counts what was sent, statements and inserts included.
	Queries int
	// Waited is the time spent waiting for the server's answers.
	Waited time.Duration
}

// Effort returns the cost since [Open].
func (c *Conn) Effort() Effort {
	return Effort{Queries: int(c.queries.Load()), Waited: time.Duration(c.waited.Load())}
}

func (c *Conn) count(since time.Time) {
	c.queries.Add(1)
	c.wait(since)
}

func (c *Conn) wait(since time.Time) { c.waited.Add(int64(time.Since(since))) }

// Select sends one query and calls row for each row of the answer as it arrives; scan fills destinations as
// [driver.Rows.Scan] does. An error of row ends the reading, and so does the target's ReadTimeout for the whole
// answer: some objects make a server hang that is asked to print them.
func (c *Conn) Select(ctx context.Context, query string, args []any, row func(scan func(...any) error) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.patience, errNoAnswer)
	defer cancel()
	start := time.Now()
	rows, err := c.driver.Query(ctx, query, args...)
	c.count(start)
	if err != nil {
		return c.explain(ctx, err)
	}
	for {
		start = time.Now()
		more := rows.Next()
		c.wait(start)
		if !more {
			break
		}
		if err := row(rows.Scan); err != nil {
			return errors.Join(err, rows.Close())
		}
	}
	if err := rows.Err(); err != nil {
		return errors.Join(c.explain(ctx, err), rows.Close())
	}
	return rows.Close()
}

// Exec sends one statement. Over HTTP it asks the server to answer only when the statement has ended, because an
// error after the first byte of an answer would be lost.
func (c *Conn) Exec(ctx context.Context, statement, queryID string, settings map[string]any) error {
	set := clickhouse.Settings{}
	for name, value := range settings {
		set[name] = value
	}
	if c.http {
		set["wait_end_of_query"] = 1
	}
	ctx = clickhouse.Context(ctx, clickhouse.WithQueryID(queryID), clickhouse.WithSettings(set))
	defer c.count(time.Now())
	if err := c.driver.Exec(ctx, statement); err != nil {
		return c.explain(ctx, err)
	}
	return nil
}

// Insert writes rows into a table as one block. The columns are named, so that a table with more columns takes
// their defaults.
func (c *Conn) Insert(ctx context.Context, into, queryID string, settings map[string]any, rows [][]any) error {
	set := clickhouse.Settings{}
	for name, value := range settings {
		set[name] = value
	}
	ctx = clickhouse.Context(ctx, clickhouse.WithQueryID(queryID), clickhouse.WithSettings(set))
	defer c.count(time.Now())
	batch, err := c.driver.PrepareBatch(ctx, "INSERT INTO "+into)
	if err != nil {
		return c.explain(ctx, err)
	}
	for _, row := range rows {
		if err := batch.Append(row...); err != nil {
			return errors.Join(err, batch.Abort())
		}
	}
	if err := batch.Send(); err != nil {
		return c.explain(ctx, err)
	}
	return nil
}

// explain names the server where it did not answer; what it did answer is left to the caller, who knows what was
// asked.
func (c *Conn) explain(ctx context.Context, err error) error {
	if _, answered := Exception(err); answered {
		return err
	}
	return classify(ctx, c.target, err)
}

// ReadError is a query of the catalogue that the server did not answer with rows.
type ReadError struct {
	// What was asked for, as a noun: "the tables", "the table otel.logs".
	What string
	Err  error
}

// Error names what was asked for and gives the server's message or the reason why there is none.
func (e *ReadError) Error() string {
	if answer, ok := Exception(e.Err); ok {
		return "reading " + e.What + ": the server answers " + ServerMessage(answer)
	}
	return "reading " + e.What + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *ReadError) Unwrap() error { return e.Err }
