package embedded_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/engine/embedded/embeddedtest"
)

// open connects clickhouse-go to the shared server.
func open(t testing.TB, database string, change ...func(*clickhouse.Options)) driver.Conn {
	t.Helper()
	o := &clickhouse.Options{
		Protocol: clickhouse.HTTP,
		Addr:     []string{strings.TrimPrefix(embeddedtest.Server(t), "http://")},
		Auth:     clickhouse.Auth{Database: database},
	}
	for _, c := range change {
		c(o)
	}
	conn, err := clickhouse.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	})
	return conn
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestDriverCreatesInsertsAndSelectsAJSONColumn(t *testing.T) {
	compressions := map[string]*clickhouse.Compression{
		"none":    nil,
		"lz4":     {Method: clickhouse.CompressionLZ4},
		"zstd":    {Method: clickhouse.CompressionZSTD},
		"gzip":    {Method: clickhouse.CompressionGZIP, Level: 3},
		"deflate": {Method: clickhouse.CompressionDeflate, Level: 3},
		"br":      {Method: clickhouse.CompressionBrotli, Level: 3},
	}
	for name, compression := range compressions {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			conn := open(t, embeddedtest.Database(t), func(o *clickhouse.Options) { o.Compression = compression })
			must(t, conn.Ping(ctx))
			must(t, conn.Exec(ctx, "CREATE TABLE events (id UInt64, body JSON, tags Array(LowCardinality(String)), at DateTime64(3, 'UTC')) ENGINE = MergeTree ORDER BY id"))
			batch, err := conn.PrepareBatch(ctx, "INSERT INTO events (id, body, tags)")
			must(t, err)
			for i := range uint64(3000) {
				must(t, batch.Append(i, fmt.Sprintf(`{"a": %d, "b": {"c": "x%d"}}`, i, i), []string{"p", fmt.Sprint(i % 7)}))
			}
			must(t, batch.Send())

			var rows, sum uint64
			must(t, conn.QueryRow(ctx, "SELECT count(), sum(body.a::UInt64) FROM events WHERE has(tags, 'p')").Scan(&rows, &sum))
			if diff := cmp.Diff([]uint64{3000, 2999 * 3000 / 2}, []uint64{rows, sum}); diff != "" {
				t.Error(diff)
			}
			var doc string
			must(t, conn.QueryRow(ctx, "SELECT toString(body) FROM events WHERE id = 7").Scan(&doc))
			if diff := cmp.Diff(`{"a":7,"b":{"c":"x7"}}`, doc); diff != "" {
				t.Error(diff)
			}
			all, err := conn.Query(ctx, "SELECT id FROM events ORDER BY id")
			must(t, err)
			var next uint64
			for all.Next() {
				var id uint64
				must(t, all.Scan(&id))
				if id != next {
					t.Fatalf("row %d has id %d", next, id)
				}
				next++
			}
			must(t, all.Err())
			must(t, all.Close())
			if next != 3000 {
				t.Errorf("%d rows came back", next)
			}
		})
	}
}

func TestDriverSeesTheEnginesErrors(t *testing.T) {
	conn := open(t, "default")
	err := conn.Exec(t.Context(), "SELECT * FROM nowhere.at_all")
	var e *clickhouse.Exception
	if !errors.As(err, &e) {
		t.Fatalf("%T: %v", err, err)
	}
	if e.Code != 81 {
		t.Errorf("code %d: %v", e.Code, e)
	}
	// After 65,536 rows: the status and the first blocks have left already.
	rows, err := conn.Query(t.Context(), "SELECT throwIf(number = 3000000, 'half way') FROM numbers(4000000) SETTINGS max_block_size = 65536, max_threads = 1")
	must(t, err)
	for rows.Next() {
	}
	if err := rows.Err(); !errors.As(err, &e) || e.Code != 395 {
		t.Errorf("an exception half way through a result became %v", err)
	}
}

func TestDriverCreatesATableWhoseTextExceedsTheDefaultQuerySize(t *testing.T) {
	conn := open(t, embeddedtest.Database(t))
	var ddl strings.Builder
	ddl.WriteString("CREATE TABLE wide (id UInt64")
	for i := range 3600 {
		fmt.Fprintf(&ddl, ",\n    column_%05d LowCardinality(Nullable(String)) COMMENT 'one of the many columns of a wide event, number %d, %s' CODEC(ZSTD(3))", i, i, strings.Repeat("said at length ", 5))
	}
	ddl.WriteString(") ENGINE = MergeTree ORDER BY id")
	if ddl.Len() < 700_000 {
		t.Fatalf("the text has %d bytes", ddl.Len())
	}
	var e *clickhouse.Exception
	if err := conn.Exec(t.Context(), ddl.String()); !errors.As(err, &e) || e.Code != 62 || !strings.Contains(e.Message, "Max query size exceeded") {
		t.Errorf("without max_query_size: %v", err)
	}
	ctx := clickhouse.Context(context.WithoutCancel(t.Context()), clickhouse.WithSettings(clickhouse.Settings{"max_query_size": 16777216}))
	must(t, conn.Exec(ctx, ddl.String()))
	var columns uint64
	must(t, conn.QueryRow(t.Context(), "SELECT count() FROM system.columns WHERE database = currentDatabase() AND table = 'wide'").Scan(&columns))
	if columns != 3601 {
		t.Errorf("%d columns", columns)
	}
	var text string
	must(t, conn.QueryRow(t.Context(), "SHOW CREATE TABLE wide").Scan(&text))
	if !strings.Contains(text, "column_03599") {
		t.Errorf("SHOW CREATE TABLE printed %d bytes without the last column", len(text))
	}
}
