package cluster

import "sync"

// facts are what the engine has said about tables: a name's UUID, a UUID's name, columns. They hold until a definition may
// change one. That something is not there is no fact: another member's statement may make it at any moment.
type facts struct {
	mu       sync.Mutex
	values   map[string]any
	epoch    int // counts the ends and begins of definitions that may change a fact
	changing int // such definitions under way
}

// change says that what is known may become untrue, until the function it returns is called.
func (f *facts) change() (done func()) {
	move := func(by int) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.epoch++
		f.changing += by
		clear(f.values)
	}
	move(1)
	return func() { move(-1) }
}

// known is a fact that has been asked for before, or the answer to ask, which is kept where keep says so and no definition
// came between.
func known[T any](f *facts, key string, ask func() (value T, keep bool, err error)) (T, error) {
	f.mu.Lock()
	kept, ok := f.values[key]
	epoch := f.epoch
	f.mu.Unlock()
	if ok {
		return kept.(T), nil
	}
	value, keep, err := ask()
	if err != nil || !keep {
		return value, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.epoch == epoch && f.changing == 0 {
		if f.values == nil {
			f.values = map[string]any{}
		}
		f.values[key] = value
	}
	return value, nil
}

// changesFacts reports a definition after which something known of a table may be untrue. What is made under a name of its
// own is not: but for a materialized view, which the tables it reads then feed.
func (d *definition) changesFacts() bool {
	return d.verb != "CREATE" || d.replace || d.kind == "MATERIALIZED VIEW"
}
