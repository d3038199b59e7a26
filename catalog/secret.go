package catalog

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"
)

const (
	// secretLimit bounds a password or a bundle of certificates, in bytes.
	secretLimit = 4 << 20
	// secretPatience is how long the writer of a pipe is waited for.
	secretPatience = 10 * time.Second
)

// ReadSecret reads a password or certificates. A container mounts them as symbolic links to files, and a shell hands them
// over as a pipe, <(pass show clickhouse): both are read. A device or a directory is not, a pipe that nobody writes into is
// empty, and one whose writer is silent is given up.
func ReadSecret(path string) (_ []byte, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	kind := info.Mode().Type()
	if kind != 0 && kind != fs.ModeNamedPipe {
		return nil, errors.New("it is neither a file nor a pipe")
	}
	// Without O_NONBLOCK opening a pipe waits for a writer, and nothing ends that.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if kind == fs.ModeNamedPipe {
		if err := file.SetReadDeadline(time.Now().Add(secretPatience)); err != nil {
			return nil, err
		}
	}
	text, err := io.ReadAll(io.LimitReader(file, secretLimit+1))
	if err != nil {
		return nil, err
	}
	if len(text) > secretLimit {
		return nil, fmt.Errorf("it is larger than %d bytes", secretLimit)
	}
	return text, nil
}
