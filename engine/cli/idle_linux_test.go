package cli_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/dfe-engine/dfe/engine/cli"
)

// resident is what a process keeps in memory, in KiB.
func resident(t testing.TB, pid int) (kib int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(status), "VmRSS:")
	if _, err := fmt.Sscan(rest, &kib); err != nil || !found {
		t.Fatalf("%v in %s", err, status)
	}
	return kib
}

// BenchmarkServiceAtRestOverThousandTables is what dfe serve keeps in memory once a pass over 1,000 tables of twelve columns
// has converged, in MiB: MiB-first after the one that created them, MiB-resident after one that had nothing to do.
func BenchmarkServiceAtRestOverThousandTables(b *testing.B) {
	dir := write(b, "-- manifest.hcl --\n"+thousandTables())
	_, url := serve(b)
	first, total := restAfterPass(b, url, dir), 0
	for b.Loop() {
		total += restAfterPass(b, url, dir)
	}
	b.ReportMetric(float64(first)/1024, "MiB-first") // the loop forgets what was reported before it
	b.ReportMetric(float64(total)/float64(b.N)/1024, "MiB-resident")
}

func thousandTables() string {
	var manifest, definitions strings.Builder
	manifest.WriteString("release = \"1.0.0\"\ndatabase \"idle\" {}\n")
	for i := range 1000 {
		fmt.Fprintf(&manifest, "table \"idle.t%04d\" { from = \"t%04d.hcl\" }\n", i, i)
		fmt.Fprintf(&definitions, "-- t%04d.hcl --\n", i)
		for c := range 11 {
			fmt.Fprintf(&definitions, "column \"value_%d\" {\n  type    = \"LowCardinality(String)\"\n  codec   = \"ZSTD(1)\"\n  comment = \"value %d of table %d\"\n}\n", c, c, i)
		}
		definitions.WriteString("column \"at\" { type = \"DateTime\" }\nengine   = \"MergeTree\"\norder_by = [\"value_0\", \"at\"]\n")
	}
	return manifest.String() + definitions.String()
}

// restAfterPass runs a service until its first pass has ended, and returns what it then keeps, in KiB.
func restAfterPass(b *testing.B, url, dir string) int {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), cli.BesideURL+"="+url, cli.BesideTree+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }() // where it has not ended by itself
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "at rest converged\n" {
		b.Fatalf("it says %q: %v", line, err)
	}
	kib := resident(b, cmd.Process.Pid)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		b.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
	return kib
}
