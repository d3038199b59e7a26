package ledger

import (
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/rules"
)

func TestRowsAreWrittenByAQuorumAndReadSequentially(t *testing.T) {
	quorum := map[string]any{"async_insert": 0, "insert_quorum": "auto", "insert_quorum_parallel": 0, "insert_quorum_timeout": int64(10_000)}
	want := map[rules.Platform]map[string]any{rules.SelfHosted: quorum, rules.Embedded: quorum, rules.Cloud: {"async_insert": 0}}
	got := map[rules.Platform]map[string]any{}
	for _, p := range rules.Platforms() {
		got[p] = writeSettings(string(p))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(clickhouse.Settings{"select_sequential_consistency": 1, "max_parallel_replicas": 1}, readSettings()); diff != "" {
		t.Error(diff)
	}
}
