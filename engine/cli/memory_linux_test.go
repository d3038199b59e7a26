package cli_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// ceiling is what a service at rest may keep resident, in KiB.
const ceiling = 40 << 10

func TestAServiceAtRestKeepsLessThanFortyMegabytes(t *testing.T) {
	p := startPod(t, []string{"DFE_ENGINE_CLICKHOUSE_URL=http://127.0.0.1:1", "DFE_ENGINE_CLICKHOUSE_BOOTSTRAP_WAIT_SECONDS=0"})
	p.until(t, "the pass runs again")
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(status), "VmRSS:")
	var resident int
	if _, err := fmt.Sscan(rest, &resident); err != nil || !found {
		t.Fatalf("%v in %s", err, status)
	}
	if resident > ceiling {
		t.Errorf("%d KiB are resident, of at most %d", resident, ceiling)
	}
	// What was let go of is there when it is needed.
	p.demand(t, "/", 200, "Failed")
	p.demand(t, "/metrics", 200, "dfe_schema_bootstrap_state 2")
	p.stop(t)
}
