package cli

import (
	"io"
	"sync"
)

// output is where a command's answer goes. It remembers that some of it could not be written: whoever wrote it may not
// have asked, as cobra does not of a page of help.
type output struct {
	w   io.Writer
	mu  sync.Mutex
	err error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if err != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.err == nil {
			o.err = err
		}
	}
	return n, err
}

// Under is the writer below.
func (o *output) Under() io.Writer { return o.w }

// lost is the first error of writing, nil where all was written.
func (o *output) lost() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}
