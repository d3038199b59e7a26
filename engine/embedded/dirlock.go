//go:build linux || darwin

package embedded

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// lockedElsewhere reports whether another process has the data directory open,
// and its process id. The engine holds a lock on DIR/status while it runs and
// writes its PID into it; a second one is refused with CANNOT_OPEN_FILE (76) by
// the server and with silence by the library.
func lockedElsewhere(dir string) (bool, string) {
	f, err := os.OpenFile(filepath.Join(dir, "status"), os.O_RDWR, 0)
	if err != nil {
		return false, "" // absent, or for the engine to complain about
	}
	defer func() { _ = f.Close() }() // closing releases the lock
	if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != unix.EWOULDBLOCK {
		return false, ""
	}
	return true, pidIn(f)
}

// holder is the process id that the engine wrote into the data directory, or "": the number is a courtesy. It takes no
// lock, which would be in the way of an engine that is opening.
func holder(dir string) string {
	f, err := os.Open(filepath.Join(dir, "status"))
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	return pidIn(f)
}

func pidIn(f *os.File) string {
	text := make([]byte, 256)
	n, _ := f.Read(text)
	for line := range strings.Lines(string(text[:n])) {
		if pid, ok := strings.CutPrefix(strings.TrimSpace(line), "PID: "); ok {
			return pid
		}
	}
	return ""
}
