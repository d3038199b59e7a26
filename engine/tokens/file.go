package tokens

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2"

	"github.com/dfe-engine/dfe/lang/regular"
)

// fileLimit bounds a file of tokens, in bytes.
const fileLimit = 1 << 20

// FileError is a file of tokens that cannot be used. Nobody has access as long as it stands.
type FileError struct {
	Path string
	Err  error
}

func (e *FileError) Error() string {
	return fmt.Sprintf("the tokens in %s cannot be used: %v", e.Path, e.Err)
}
func (e *FileError) Unwrap() error { return e.Err }

// ErrMode is a file that others may write: whoever does gives himself access.
var ErrMode = errors.New("users other than its owner may write it: whoever does has access to everything; run chmod go-w on it")

// File is a file of tokens. It is safe for concurrent use.
type File struct {
	path string

	mu     sync.Mutex
	text   []byte // what tokens and fault were made of
	read   bool
	tokens []*Token
	fault  error
}

// Open names a file of tokens and reads it. The error is a [FileError].
func Open(path string) (*File, error) {
	f := &File{path: path}
	_, err := f.Tokens()
	return f, err
}

// Tokens returns what the file says now. The error is a [FileError].
func (f *File) Tokens() ([]*Token, error) {
	text, err := readFile(f.path)
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case err != nil:
		f.read, f.tokens, f.fault = false, nil, &FileError{f.path, err}
	case !f.read || !bytes.Equal(text, f.text):
		f.text, f.read, f.fault = text, true, nil
		var diags hcl.Diagnostics
		if f.tokens, diags = Parse(f.path, text); diags.HasErrors() {
			f.tokens, f.fault = nil, &FileError{f.path, said(diags)}
		}
	}
	return f.tokens, f.fault
}

// said puts diagnostics into words, without the lines of the file.
func said(diags hcl.Diagnostics) error {
	var lines []string
	for _, d := range diags.Errs() {
		var diag *hcl.Diagnostic
		if !errors.As(d, &diag) {
			continue
		}
		text := diag.Summary + "; " + diag.Detail
		if diag.Subject != nil {
			text = fmt.Sprintf("line %d: %s", diag.Subject.Start.Line, text)
		}
		lines = append(lines, text)
	}
	return errors.New(strings.Join(lines, "\n"))
}

// readFile reads the file that it has looked at, and no other that takes its place meanwhile.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, regular.Reason(err)
	}
	if !info.Mode().IsRegular() {
		return nil, regular.ErrKind // it is not opened: a pipe would wait for ever
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, regular.Reason(err)
	}
	defer file.Close()
	if info, err = file.Stat(); err != nil {
		return nil, regular.Reason(err)
	}
	switch {
	case !info.Mode().IsRegular():
		return nil, regular.ErrKind
	case info.Mode().Perm()&0o022 != 0:
		return nil, ErrMode
	}
	text, err := io.ReadAll(io.LimitReader(file, fileLimit+1))
	if err != nil {
		return nil, regular.Reason(err)
	}
	if len(text) > fileLimit {
		return nil, fmt.Errorf("%w: more than %d bytes", regular.ErrSize, fileLimit)
	}
	return text, nil
}
