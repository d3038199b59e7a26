package embedded_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/dfe-engine/dfe/engine/embedded/embeddedtest"
)

func TestInsertsTakeDataInAnyFormatAndPlace(t *testing.T) {
	db := embeddedtest.Database(t)
	in := func(q ...string) string { return params(append(q, "database", db)...) }
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write([]byte("1\tg\n"))
	must(t, err)
	must(t, z.Close())
	var framed bytes.Buffer
	l := lz4.NewWriter(&framed)
	_, err = l.Write([]byte("1\tl\n"))
	must(t, err)
	must(t, l.Close())
	encoder, err := zstd.NewWriter(nil)
	must(t, err)
	zipped := encoder.EncodeAll([]byte("1\tz\n"), nil)
	must(t, encoder.Close())

	cases := []struct {
		name, query, body string
		header            []string
		want              string
	}{
		{"values in the body", in(), "INSERT INTO t VALUES (1, 'a'), (1 + 1, upper('b'));", nil, "1\ta\n2\tB\n"},
		{"values in the parameter", in("query", "INSERT INTO t (n, s) VALUES (1, 'a')"), "", nil, "1\ta\n"},
		{"text in the parameter, data in the body", in("query", "INSERT INTO t FORMAT TSV"), "1\ta\n2\tb\n", nil, "1\ta\n2\tb\n"},
		{"text and data in the body", in(), "INSERT INTO t (s, n) FORMAT CSV\n\"a;b\",1\n\"-- no comment\",2\n", nil, "1\ta;b\n2\t-- no comment\n"},
		{"JSON rows", in("query", "INSERT INTO t FORMAT JSONEachRow"), `{"n":1,"s":"a"} {"n":2}`, nil, "1\ta\n2\t\n"},
		{"settings before FORMAT", in("query", "INSERT INTO t SETTINGS input_format_null_as_default = 1 FORMAT CSV"), "1,\\N\n", nil, "1\t\n"},
		{"a qualified name", params("query", "INSERT INTO "+db+".t FORMAT TSV"), "1\ta\n", nil, "1\ta\n"},
		{"a select", in(), "INSERT INTO t SELECT number, 'x' FROM numbers(2)", nil, "0\tx\n1\tx\n"},
		{"a select with WITH", in(), "INSERT INTO t WITH 5 AS x SELECT x, 'w'", nil, "5\tw\n"},
		{"no data", in("query", "INSERT INTO t FORMAT TSV"), "", nil, ""},
		{"a query parameter", in("query", "INSERT INTO {into:Identifier} FORMAT TSV", "param_into", "t"), "1\ta\n", nil, "1\ta\n"},
		{"gzip", in("query", "INSERT INTO t FORMAT TSV"), packed.String(), []string{"Content-Encoding", "gzip"}, "1\tg\n"},
		{"lz4", in("query", "INSERT INTO t FORMAT TSV"), framed.String(), []string{"Content-Encoding", "lz4"}, "1\tl\n"},
		{"zstd", in("query", "INSERT INTO t FORMAT TSV"), string(zipped), []string{"Content-Encoding", "zstd"}, "1\tz\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := send(t, in(), "CREATE OR REPLACE TABLE t (n UInt64, s String) ENGINE = MergeTree ORDER BY n"); got.Status != 200 {
				t.Fatal(got)
			}
			if got := send(t, c.query, c.body, c.header...); got.Status != 200 {
				t.Fatal(got)
			}
			if diff := cmp.Diff(ok(c.want), send(t, in(), "SELECT * FROM t ORDER BY n")); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("a table called format", func(t *testing.T) {
		send(t, in(), "CREATE TABLE format (n UInt64) ENGINE = Memory")
		if got := send(t, in(), "INSERT INTO format VALUES (1)"); got.Status != 200 {
			t.Error(got)
		}
	})
	t.Run("a cut encoding is an error and stores nothing", func(t *testing.T) {
		send(t, in(), "CREATE OR REPLACE TABLE t (n UInt64, s String) ENGINE = MergeTree ORDER BY n")
		for name, whole := range map[string]string{"gzip": packed.String(), "lz4": framed.String(), "zstd": string(zipped)} {
			got := send(t, in("query", "INSERT INTO t FORMAT TSV"), whole[:len(whole)-3], "Content-Encoding", name)
			if got.Status != 400 {
				t.Error(name, got)
			}
		}
		if diff := cmp.Diff(ok("0\n"), send(t, in(), "SELECT count() FROM t")); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("bad data is an error and stores nothing", func(t *testing.T) {
		send(t, in(), "CREATE OR REPLACE TABLE t (n UInt64, s String) ENGINE = MergeTree ORDER BY n")
		if got := send(t, in("query", "INSERT INTO t FORMAT TSV"), "1\ta\nx\n"); got.Status != 400 || got.Code != "27" {
			t.Error(got)
		}
		if diff := cmp.Diff(ok("0\n"), send(t, in(), "SELECT count() FROM t")); diff != "" {
			t.Error(diff)
		}
	})
}

func TestALargeInsertIsStreamed(t *testing.T) {
	db := embeddedtest.Database(t)
	send(t, params("database", db), "CREATE TABLE t (n UInt64, s String) ENGINE = MergeTree ORDER BY n")
	const rows = 400_000
	line := strings.Repeat("x", 100)
	reader, writer := io.Pipe()
	var written sync.WaitGroup
	written.Go(func() {
		var chunk strings.Builder
		for i := range rows {
			chunk.WriteString("1\t" + line + "\n")
			if i%10_000 == 9_999 {
				_, err := io.WriteString(writer, chunk.String())
				if err != nil {
					t.Error(err)
				}
				chunk.Reset()
			}
		}
		if err := writer.Close(); err != nil {
			t.Error(err)
		}
	})
	resp, err := http.Post(embeddedtest.Server(t)+"/?"+params("database", db, "query", "INSERT INTO t FORMAT TSV"), "", reader)
	must(t, err)
	must(t, resp.Body.Close())
	written.Wait()
	if diff := cmp.Diff(ok("400000\n"), send(t, params("database", db), "SELECT count() FROM t")); diff != "" {
		t.Error(resp.Status, diff)
	}
}

func TestAnInsertWhoseClientLeftIsStopped(t *testing.T) {
	db := embeddedtest.Database(t)
	in := func(q ...string) string { return params(append(q, "database", db)...) }
	send(t, in(), "CREATE TABLE taken (a UInt64) ENGINE = Null")
	send(t, in(), "CREATE TABLE kept (a UInt64) ENGINE = MergeTree ORDER BY a")
	// Ten rows a block, and half a second a block.
	send(t, in(), "CREATE MATERIALIZED VIEW slowly TO kept AS SELECT a + sleepEachRow(0.05) AS a FROM taken")
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		query := in("query", "INSERT INTO taken FORMAT TSV", "max_insert_block_size", "10", "min_insert_block_size_rows", "10",
			"min_insert_block_size_bytes", "1", "input_format_parallel_parsing", "0", "log_comment", db)
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, embeddedtest.Server(t)+"/?"+query, strings.NewReader(strings.Repeat("1\n", 100_000)))
		if err != nil {
			t.Error(err)
			return
		}
		if resp, err := http.DefaultClient.Do(req); err == nil {
			t.Errorf("the insert ended: %s", resp.Status)
			_ = resp.Body.Close()
		}
	})
	count := "SELECT count() FROM system.processes WHERE query LIKE 'INSERT%' AND Settings['log_comment'] = '" + db + "'"
	eventually(t, "the insert does not run", func() bool { return send(t, "", count).Body == "1\n" })
	cancel()
	running.Wait()
	eventually(t, "the insert outlived its client", func() bool { return send(t, "", count).Body == "0\n" })
}

func TestAnInsertCutHalfWayStoresNothing(t *testing.T) {
	db := embeddedtest.Database(t)
	in := func(q ...string) string { return params(append(q, "database", db)...) }
	for _, format := range []string{"TSV", "JSONEachRow", "RowBinary"} {
		t.Run(format, func(t *testing.T) {
			send(t, in(), "CREATE OR REPLACE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a")
			piece := map[string]string{"TSV": "1\n", "JSONEachRow": "{\"a\": 1}\n", "RowBinary": "\x01"}[format]
			reader, writer := io.Pipe()
			var writing sync.WaitGroup
			writing.Go(func() {
				if _, err := io.WriteString(writer, strings.Repeat(piece, 300_000)); err != nil {
					t.Error(err)
				}
				_ = writer.CloseWithError(io.ErrClosedPipe) // never fails
			})
			resp, err := http.Post(embeddedtest.Server(t)+"/?"+in("query", "INSERT INTO t FORMAT "+format), "", reader)
			if err == nil {
				t.Error(resp.Status)
				_ = resp.Body.Close()
			}
			writing.Wait()
			eventually(t, "the insert outlived its client", func() bool {
				return send(t, "", "SELECT count() FROM system.processes WHERE query LIKE 'INSERT INTO t %'").Body == "0\n"
			})
			if diff := cmp.Diff(ok("0\n"), send(t, in(), "SELECT count() FROM t")); diff != "" {
				t.Error(diff)
			}
		})
	}
}
