//go:build linux || darwin

package embedded

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// withStandardError runs f with the process's standard error going to a file,
// and returns what was written there. The library writes to the descriptor
// itself, so there is no smaller way; it is used for a fraction of a second, to
// explain a failure, and never while the engine works.
func withStandardError(path string, f func()) (text string, err error) {
	file, err := os.Create(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	saved, err := unix.Dup(unix.Stderr)
	if err != nil {
		return "", err
	}
	unix.CloseOnExec(saved)
	defer func() { err = errors.Join(err, unix.Close(saved)) }()
	if err := duplicate(int(file.Fd()), unix.Stderr); err != nil {
		return "", err
	}
	f()
	if err := duplicate(saved, unix.Stderr); err != nil {
		return "", err
	}
	written, err := os.ReadFile(path)
	return string(written), err
}
