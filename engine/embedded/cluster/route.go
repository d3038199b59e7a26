package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/engine/embedded"
	"github.com/dfe-engine/dfe/lang/series"
)

// State is the document of the control route: the cluster as it stands.
type State struct {
	Version int    `json:"version"`
	Cluster string `json:"cluster"`
	// Keeper is ZooKeeper's address, empty in a cluster without.
	Keeper        string        `json:"keeper,omitempty"`
	KeeperRunning bool          `json:"keeper_running"`
	Members       []MemberState `json:"members"`
}

// MemberState is a member as it stands.
type MemberState struct {
	Name    string `json:"name"`
	URL     string `json:"url"`
	Running bool   `json:"running"`
	PID     int    `json:"pid"`
	// StartMS is how long its newest start took, in milliseconds.
	StartMS int64 `json:"start_ms"`
}

// State returns the cluster as it stands.
func (c *Cluster) State() State {
	s := State{Version: 1, Cluster: c.Name(), Members: []MemberState{}}
	if c.keeper != nil {
		s.Keeper, s.KeeperRunning = c.keeper.address(), c.keeper.running()
	}
	for _, m := range c.members {
		s.Members = append(s.Members, MemberState{m.Name(), m.URL(), m.Running(), m.PID(), m.StartTime().Milliseconds()})
	}
	return s
}

// Handler is the control route: what the methods of [Cluster] and [Member] do, over HTTP, for programs on this machine.
//
//	GET    /                         the cluster as it stands
//	POST   /keeper/{stop|start}
//	POST   /members/NAME/{start|stop|kill|pause|resume|cut-keeper|join-keeper|refuse|accept}
//	POST   /members/NAME/faults      a [Fault]
//	GET    /members/NAME/faults      the faults that have happened
//	DELETE /members/NAME/faults      all are taken away, and what they hold goes on
//	GET    /members/NAME/log         what its process printed last
//
// What cannot be done is answered with a sentence in {"error": ...}.
func (c *Cluster) Handler() http.Handler {
	mux := http.NewServeMux()
	route := func(pattern string, do func(r *http.Request) (any, error)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if !embedded.SameMachine(r) {
				http.Error(w, "The control route answers programs on this machine, addressed as localhost.", http.StatusForbidden)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			answer, err := do(r)
			var (
				unknown *unknownError
				fault   *faultError
			)
			switch {
			case errors.As(err, &unknown):
				w.WriteHeader(unknown.status)
			case errors.As(err, &fault):
				w.WriteHeader(http.StatusBadRequest)
			case err != nil:
				w.WriteHeader(http.StatusConflict)
			}
			if err != nil {
				answer = map[string]string{"error": err.Error()}
			}
			_ = json.NewEncoder(w).Encode(answer) // a client that left has no use for it
		})
	}
	route("GET /{$}", func(*http.Request) (any, error) { return c.State(), nil })
	route("POST /keeper/{what}", func(r *http.Request) (any, error) {
		err := c.actKeeper(r)
		return c.State(), err
	})
	route("POST /members/{name}/{what}", c.act)
	route("GET /members/{name}/{what}", c.look)
	route("DELETE /members/{name}/faults", func(r *http.Request) (any, error) {
		m, err := c.named(r.PathValue("name"))
		if err == nil {
			err = m.Lift(r.Context())
		}
		return c.State(), err
	})
	route("/", func(r *http.Request) (any, error) {
		if r.URL.Path == "/" || strings.HasPrefix(r.URL.Path, "/keeper/") {
			return nil, &unknownError{http.StatusMethodNotAllowed, fmt.Sprintf("%s takes no %s: GET / tells of the cluster, POST /keeper/stop and /keeper/start act", r.URL.Path, r.Method)}
		}
		return nil, &unknownError{http.StatusNotFound, "there is no such route: GET / tells of the cluster, POST /members/NAME/... and POST /keeper/... act"}
	})
	return mux
}

// unknownError is a request for something that is not there, or not by that method.
type unknownError struct {
	status int
	what   string
}

func (e *unknownError) Error() string { return e.what }

func (c *Cluster) named(name string) (*Member, error) {
	for _, m := range c.members {
		if m.Name() == name {
			return m, nil
		}
	}
	return nil, &unknownError{http.StatusNotFound, fmt.Sprintf("no member is called %q: they are member1 to member%d", name, len(c.members))}
}

func (c *Cluster) actKeeper(r *http.Request) error {
	switch what := r.PathValue("what"); what {
	case "stop":
		return c.StopKeeper()
	case "start":
		return c.StartKeeper(r.Context())
	default:
		return &unknownError{http.StatusNotFound, fmt.Sprintf("ZooKeeper cannot be told to %q: stop and start are possible", what)}
	}
}

func (c *Cluster) act(r *http.Request) (any, error) {
	m, err := c.named(r.PathValue("name"))
	if err != nil {
		return nil, err
	}
	ctx := r.Context()
	switch what := r.PathValue("what"); what {
	case "start":
		err = m.Start(ctx)
	case "stop":
		err = m.Stop()
	case "kill":
		err = m.Kill()
	case "pause":
		err = m.Pause()
	case "resume":
		err = m.Resume()
	case "cut-keeper":
		err = m.CutKeeper()
	case "join-keeper":
		err = m.JoinKeeper()
	case "refuse":
		err = m.Refuse(ctx)
	case "accept":
		err = m.Accept(ctx)
	case "faults":
		var f Fault
		if f, err = readFault(r.Body); err == nil {
			err = m.Inject(ctx, f)
		}
	default:
		err = &unknownError{http.StatusNotFound, fmt.Sprintf("a member cannot be told to %q: %s are possible", what, series.And(append(acts(), "faults")))}
	}
	return c.State(), err
}

// acts are what a member can be told to do.
func acts() []string {
	return []string{"start", "stop", "kill", "pause", "resume", "cut-keeper", "join-keeper", "refuse", "accept"}
}

func (c *Cluster) look(r *http.Request) (any, error) {
	m, err := c.named(r.PathValue("name"))
	if err != nil {
		return nil, err
	}
	switch what := r.PathValue("what"); what {
	case "faults":
		fired, err := m.Fired(r.Context())
		if fired == nil {
			fired = []Fired{}
		}
		return fired, err
	case "log":
		return map[string]string{"log": m.Log()}, nil
	default:
		if slices.Contains(acts(), what) {
			return nil, &unknownError{http.StatusMethodNotAllowed, fmt.Sprintf("%q of a member is done by POST", what)}
		}
		return nil, &unknownError{http.StatusNotFound, fmt.Sprintf("there is no %q of a member: faults and log are there", what)}
	}
}

// faultError is a fault that cannot be read, or says nothing that could happen.
type faultError struct{ error }

func (e *faultError) Unwrap() error { return e.error }

// readFault reads a fault and refuses words it does not know.
func readFault(body io.Reader) (Fault, error) {
	var f Fault
	d := json.NewDecoder(body)
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return f, &faultError{fmt.Errorf("the fault cannot be read: %w", err)}
	}
	if err := f.check(); err != nil {
		return f, &faultError{err}
	}
	return f, nil
}
