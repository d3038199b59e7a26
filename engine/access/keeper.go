package access

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine/embedded"
	"github.com/dfe-engine/dfe/lang/access"
)

// file is where the objects are kept, in the data directory.
const file = "dfe-access.json"

// Keeper keeps the access objects of one embedded server.
type Keeper struct {
	path string
	// now is what the engine has; next what it gets with the change at hand.
	now, next *state
}

// New returns a keeper for one server.
func New() *Keeper { return &Keeper{now: &state{}} }

// Open reads what was kept in a data directory.
func (k *Keeper) Open(dir string) (embedded.AccessConfig, error) {
	k.path, k.now, k.next = filepath.Join(dir, file), &state{}, nil
	text, err := os.ReadFile(k.path)
	if errors.Is(err, fs.ErrNotExist) {
		return k.now.config()
	}
	if err != nil {
		return embedded.AccessConfig{}, fmt.Errorf("the access objects kept there: %w", err)
	}
	if err := json.Unmarshal(text, k.now); err != nil {
		return embedded.AccessConfig{}, fmt.Errorf("the access objects kept in %s cannot be read: %w: remove the file to begin without any", k.path, err)
	}
	return k.now.config()
}

// Answers reports a statement about access objects.
func (k *Keeper) Answers(statement string) bool { return access.IsAccess(statement) }

// Change says what the objects are after a statement.
func (k *Keeper) Change(statement string) (embedded.AccessConfig, bool, error) {
	none := embedded.AccessConfig{}
	st, err := access.Parse(statement)
	if err != nil {
		return none, false, embedded.NewException(62, "SYNTAX_ERROR", "Syntax error: "+err.Error())
	}
	next, err := k.now.clone()
	if err != nil {
		return none, false, err
	}
	changed, err := next.apply(st)
	if err != nil || !changed {
		return none, false, err
	}
	config, err := next.config()
	if err != nil {
		return none, false, err
	}
	k.next = next
	return config, true, nil
}

// Keep writes the last change down. The file is replaced as a whole, so that a crash leaves the one or the other.
func (k *Keeper) Keep() error {
	if k.next == nil {
		return nil
	}
	next := k.next
	k.next = nil
	text, err := json.Marshal(next)
	if err != nil {
		return err
	}
	temporary := k.path + ".new"
	if err := os.WriteFile(temporary, text, 0o600); err != nil {
		return err
	}
	if err := os.Rename(temporary, k.path); err != nil {
		return err
	}
	k.now = next
	return nil
}

// Digest tells states of the objects apart, over restarts too. It is called by the goroutine that calls Change, or before
// the server starts.
func (k *Keeper) Digest() (string, error) {
	text, err := json.Marshal(k.now)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// state is all objects. The order is that of their creation.
type state struct {
	Users    []*user
	Roles    []*ast.Role
	Profiles []*ast.SettingsProfile
	Quotas   []*ast.Quota
	Policies []*ast.RowPolicy
}

// user is a user with how he proves who he is, as users.xml says it.
type user struct {
	ast.User
	Proofs []string // XML, one for each of Auth
}

// clone is a copy that shares nothing.
func (s *state) clone() (*state, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	c := &state{}
	return c, json.Unmarshal(text, c)
}
