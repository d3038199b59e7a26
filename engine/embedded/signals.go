//go:build linux || darwin

package embedded

import (
	"bytes"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
	"golang.org/x/sys/unix"
)

// sigactionSize holds a struct sigaction of any platform (152 bytes with glibc).
const sigactionSize = 256

// goSignals are the signals whose handlers the engine replaces when it starts,
// measured on 26.7.3: the ones by which Go turns a nil dereference into a panic,
// and SIGTSTP. SIGRTMIN, which the engine takes for system.stack_trace, is left
// to it. SIGINT, SIGTERM and SIGPROF are never touched.
func goSignals() []unix.Signal {
	return []unix.Signal{
		unix.SIGILL, unix.SIGTRAP, unix.SIGABRT, unix.SIGBUS, unix.SIGFPE, unix.SIGSEGV, unix.SIGSYS, unix.SIGTSTP,
		unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGPROF, unix.SIGURG, unix.SIGPIPE,
	}
}

// keepSignals runs the first open of the engine and puts back every signal
// handler it replaced. Later connections touch none, which a test holds to.
// (The library's own switch, chdb_set_signal_handlers_enabled, would reset the
// handlers to the kernel's default, then and at each connection.)
//
// While the engine opens, some 0.15 s, a nil dereference elsewhere in the
// program ends the process with the engine's report instead of a Go panic.
func keepSignals(open func() error) error {
	library := "libc.so.6"
	if runtime.GOOS == "darwin" {
		library = "/usr/lib/libSystem.B.dylib"
	}
	libc, err := purego.Dlopen(library, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return fmt.Errorf("embedded engine: %w", err)
	}
	var sigaction func(signal int32, act, old unsafe.Pointer) int32
	purego.RegisterLibFunc(&sigaction, libc, "sigaction")

	read := func(s unix.Signal) []byte {
		action := make([]byte, sigactionSize)
		if sigaction(int32(s), nil, unsafe.Pointer(&action[0])) != 0 {
			return nil
		}
		return action
	}
	signals := goSignals()
	before := make([][]byte, len(signals))
	for i, s := range signals {
		before[i] = read(s)
	}
	failed := open()
	for i, s := range signals {
		if before[i] == nil || bytes.Equal(before[i], read(s)) {
			continue
		}
		if sigaction(int32(s), unsafe.Pointer(&before[i][0]), nil) != 0 {
			return fmt.Errorf("embedded engine: the handler of %s, which the engine replaced, cannot be put back", s)
		}
	}
	return failed
}
