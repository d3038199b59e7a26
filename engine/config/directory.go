package config

import (
	"errors"
	"io/fs"
	"os"

	"github.com/dfe-engine/dfe/lang/regular"
)

// CheckDirectory reports a directory that cannot be read: it is absent, is none, or is closed to this process. The error
// is the reason alone, without the path.
func CheckDirectory(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("there is no such directory")
	case err != nil:
		return regular.Reason(err)
	case !info.IsDir():
		return errors.New("it is no directory")
	}
	opened, err := os.Open(path)
	if err != nil {
		return regular.Reason(err)
	}
	_ = opened.Close()
	return nil
}
