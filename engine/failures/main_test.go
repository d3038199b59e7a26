package failures_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"testing"

	"github.com/dfe-engine/dfe/engine/cli"
	"github.com/dfe-engine/dfe/engine/embedded/cluster"
)

var seedFlag = flag.Int64("failures.seed", 0, "what is left to chance follows it; 0: another one each time")

// modeVariable makes the test binary the process that a test starts: the command dfe, or one pass of an engine.
const (
	modeVariable = "DFE_FAILURES_MODE"
	modeCommand  = "dfe"
	modePass     = "pass"
)

func TestMain(m *testing.M) {
	cluster.Run()
	if mode := os.Getenv(modeVariable); mode != "" {
		os.Exit(child(mode))
	}
	flag.Parse()
	// The tests wait more than they work: more of them at once than there are processors.
	if err := flag.Set("test.parallel", strconv.Itoa(lanes)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	code := m.Run()
	if err := closeStages(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// child is the process that a test started, from its begin to its end.
func child(mode string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if mode == modeCommand {
		return cli.Run(ctx, cli.Process{Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Environ: os.Environ}, os.Args[1:])
	}
	return onePass(ctx)
}

// allVariable asks for every case of the laws that a plain run samples.
const allVariable = "DFE_TEST_FAILURES"

func all() bool { return os.Getenv(allVariable) == "all" }

// seed is what chance follows in a test. A test that fails has printed it.
func seed(t testing.TB) int64 {
	s := *seedFlag
	if s == 0 {
		s = rand.Int64N(1 << 40)
	}
	t.Logf("chance follows -failures.seed=%d", s)
	return s
}
