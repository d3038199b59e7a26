package regular

import (
	"errors"
	"io/fs"
)

// Reason returns what went wrong with a file without its name, for a sentence that names it already. Any other error is
// returned as it is.
func Reason(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
