package embedded_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/dfe-engine/dfe/engine/embedded/embeddedtest"
)

// roundTrip posts a statement on a kept connection.
func roundTrip(b *testing.B, query, body string) {
	b.Helper()
	resp, err := http.Post(embeddedtest.Server(b)+"/?"+query, "", strings.NewReader(body))
	must(b, err)
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		b.Fatal(resp.Status, err)
	}
	must(b, resp.Body.Close())
}

func BenchmarkQuery(b *testing.B) {
	for name, query := range map[string]string{
		"plain":        "",
		"two settings": params("max_query_size", "16777216", "log_comment", "x"),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				roundTrip(b, query, "SELECT 1")
			}
		})
	}
	b.Run("clickhouse-go", func(b *testing.B) {
		conn := open(b, "default")
		for b.Loop() {
			var one uint8
			must(b, conn.QueryRow(b.Context(), "SELECT 1").Scan(&one))
		}
	})
	b.Run("parallel", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				roundTrip(b, "", "SELECT 1")
			}
		})
	})
}

func BenchmarkDDL(b *testing.B) {
	db := params("database", embeddedtest.Database(b))
	b.Run("CREATE TABLE", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			roundTrip(b, db, fmt.Sprintf("CREATE TABLE t_%d_%d (id UInt64, at DateTime, body String) ENGINE = MergeTree ORDER BY id", b.N, i))
		}
	})
	roundTrip(b, db, "CREATE TABLE altered (id UInt64) ENGINE = MergeTree ORDER BY id")
	b.Run("MODIFY SETTING", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			roundTrip(b, db, fmt.Sprintf("ALTER TABLE altered MODIFY SETTING merge_with_ttl_timeout = %d", 1000+i))
		}
	})
}

func BenchmarkResult(b *testing.B) {
	for name, query := range map[string]string{"streamed": "", "whole": "wait_end_of_query=1"} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(8 * 5_000_000)
			for b.Loop() {
				roundTrip(b, query, "SELECT number FROM numbers(5000000) FORMAT RowBinary")
			}
		})
	}
}
