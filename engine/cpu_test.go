package engine_test

import (
	"syscall"
	"testing"
	"time"
)

// ownCPU is the processor time this process has used, on all its threads and in the kernel for it.
func ownCPU(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
