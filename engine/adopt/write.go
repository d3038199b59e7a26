package adopt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/dfe-engine/dfe/lang/regular"
)

// Write makes a directory that has the files of the tree, or none.
func (t *Tree) Write(dir string) (err error) {
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = errors.New("it is there already, and nothing is overwritten: name a directory that is not")
		}
		return fmt.Errorf("the schema tree cannot be written to %s: %w", dir, regular.Reason(err))
	}
	parent, name := filepath.Split(filepath.Clean(dir))
	temp, err := os.MkdirTemp(parent, "."+name+"-*")
	if err != nil {
		return fmt.Errorf("the schema tree cannot be written to %s: %w", dir, regular.Reason(err))
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("the schema tree cannot be written to %s: %w", dir, regular.Reason(err)), os.RemoveAll(temp))
		}
	}()
	root, err := os.OpenRoot(temp)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range t.Files {
		if err := errors.Join(root.MkdirAll(path.Dir(f.Name), 0o755), root.WriteFile(f.Name, f.Data, 0o644)); err != nil {
			return err
		}
	}
	return errors.Join(os.Chmod(temp, 0o755), os.Rename(temp, dir))
}
