package sources

import (
	"bytes"
	"io/fs"
	"path"
	"time"
)

// layer is a directory of a file system as the root of one, with one more file there.
type layer struct {
	fs.FS
	dir  string
	name string
	text []byte
}

// Open opens a file.
func (l layer) Open(name string) (fs.File, error) {
	if name == l.name && name != "" {
		return file{bytes.NewReader(l.text), l}, nil
	}
	return l.FS.Open(path.Join(l.dir, name))
}

// file is the one more file while it is open, and what is known of it.
type file struct {
	*bytes.Reader
	layer layer
}

func (f file) Stat() (fs.FileInfo, error) { return f, nil }
func (f file) Close() error               { return nil }
func (f file) Name() string               { return f.layer.name }
func (f file) Size() int64                { return int64(len(f.layer.text)) }
func (f file) Mode() fs.FileMode          { return 0o444 }
func (f file) ModTime() time.Time         { return time.Time{} }
func (f file) IsDir() bool                { return false }
func (f file) Sys() any                   { return nil }
