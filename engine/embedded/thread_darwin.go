package embedded

import (
	"github.com/ebitengine/purego"
	"golang.org/x/sys/unix"
)

// threadID is the number by which the engine knows the calling thread
// (system.processes.thread_ids).
func threadID() int {
	libc, err := purego.Dlopen("/usr/lib/libSystem.B.dylib", purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return 0 // no statement has thread 0: cancelling finds nothing
	}
	var id uint64
	var pthreadThreadID func(thread uintptr, id *uint64) int32
	purego.RegisterLibFunc(&pthreadThreadID, libc, "pthread_threadid_np")
	if pthreadThreadID(0, &id) != 0 {
		return 0
	}
	return int(id)
}

func duplicate(from, to int) error { return unix.Dup2(from, to) }
