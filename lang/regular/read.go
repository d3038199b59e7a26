package regular

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Limit is the size in bytes up to which a command reads a file that has no ceiling of its own: a dump of a server with
// many tables is large.
const Limit = 1 << 30

// ErrKind is what a file that is no regular one answers.
var ErrKind = errors.New("it is no regular file")

// ErrSize is what a file over the limit answers.
var ErrSize = errors.New("it is too large")

// Read reads a file whole, of at most limit bytes.
func Read(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	return read(info, limit, func() (fs.File, error) { return os.Open(path) })
}

// ReadFS is Read for a file system.
func ReadFS(fsys fs.FS, name string, limit int64) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	return read(info, limit, func() (fs.File, error) { return fsys.Open(name) })
}

func read(info fs.FileInfo, limit int64, open func() (fs.File, error)) ([]byte, error) {
	if !info.Mode().IsRegular() {
		return nil, ErrKind
	}
	file, err := open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	// The size as it was seen a moment ago, with room to see the end: a file that grows is read on.
	data := bytes.NewBuffer(make([]byte, 0, min(info.Size(), limit)+bytes.MinRead))
	if _, err := data.ReadFrom(io.LimitReader(file, limit+1)); err != nil {
		return nil, err
	}
	if int64(data.Len()) > limit {
		return nil, fmt.Errorf("%w: more than %d bytes", ErrSize, limit)
	}
	return data.Bytes(), nil
}
