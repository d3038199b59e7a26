//go:build !linux && !darwin

package embedded

import (
	"errors"
	"fmt"
	"runtime"
)

// There is no engine for this platform: everything that would reach it ends in
// loadLibrary.

type chdb struct{}
type conn struct{ lib *chdb }
type result struct{ stats stats }
type stream struct{}
type insertion struct{}

type stats struct {
	readRows, readBytes       uint64
	writtenRows, writtenBytes uint64
}

var errRefused = errors.New("the engine refused the connection")

func loadLibrary(string) (*chdb, error) {
	return nil, fmt.Errorf("embedded engine on %s/%s: %w", runtime.GOOS, runtime.GOARCH, ErrUnsupportedPlatform)
}

func (*chdb) open(...string) (*conn, error)                      { return nil, errRefused }
func (*conn) close()                                             {}
func (*conn) query([]byte, string, []param) (*result, error)     { return nil, errRefused }
func (*conn) exec(string) error                                  { return errRefused }
func (*conn) stream([]byte, string, []param) (*stream, error)    { return nil, errRefused }
func (*conn) insert([]byte, string, []param) (*insertion, error) { return nil, errRefused }
func (*result) bytes() []byte                                    { return nil }
func (*result) free()                                            {}
func (*stream) next() (*result, error)                           { return nil, errRefused }
func (*stream) close(bool)                                       {}
func (*insertion) append([]byte) error                           { return errRefused }
func (*insertion) done() (stats, error)                          { return stats{}, errRefused }
func (*insertion) cancel()                                       {}
func (*insertion) close()                                        {}
func keepSignals(open func() error) error                        { return open() }
func threadID() int                                              { return 0 }
func lockedElsewhere(string) (bool, string)                      { return false, "" }
func holder(string) string                                       { return "" }
func withStandardError(string, func()) (string, error)           { return "", errRefused }
