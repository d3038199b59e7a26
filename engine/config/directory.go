package config

import (
	"errors"
	"io/fs"
	"os"
)

// CheckDirectory reports a directory that cannot be read: it is absent, is none, or is closed to this process. The error
// is the reason alone, without the path.
func CheckDirectory(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("there is no such directory")
	case err != nil:
		return bare(err)
	case !info.IsDir():
		return errors.New("it is no directory")
	}
	opened, err := os.Open(path)
	if err != nil {
		return bare(err)
	}
	_ = opened.Close()
	return nil
}

// bare leaves out the path, which the sentence around it names.
func bare(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
