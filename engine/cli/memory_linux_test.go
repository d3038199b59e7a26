package cli_test

import "testing"

// ceiling is what a service at rest may keep resident, in KiB.
const ceiling = 40 << 10

func TestAServiceAtRestKeepsLessThanFortyMegabytes(t *testing.T) {
	p := startPod(t, []string{"DFE_ENGINE_CLICKHOUSE_URL=http://127.0.0.1:1", "DFE_ENGINE_CLICKHOUSE_BOOTSTRAP_WAIT_SECONDS=0"})
	p.until(t, "the pass runs again")
	if kib := resident(t, p.cmd.Process.Pid); kib > ceiling {
		t.Errorf("%d KiB are resident, of at most %d", kib, ceiling)
	}
	// What was let go of is there when it is needed.
	p.demand(t, "/", 200, "Failed")
	p.demand(t, "/metrics", 200, "dfe_schema_bootstrap_state 2")
	p.stop(t)
}
