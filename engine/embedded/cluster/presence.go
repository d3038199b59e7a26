package cluster

import (
	"sync"
	"time"
)

// present are the statements of clients that are in the front end and not in the engine: what waits for other members,
// for a quorum or for the end of a fault. system.processes shows them.
type present struct {
	mu   sync.Mutex
	list map[*presence]bool
}

type presence struct {
	id, text, comment, database string
	settings                    map[string]string
	began                       time.Time
	within                      int // calls of the engine under way
}

func (p *present) enter(x *presence) (leave func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.list == nil {
		p.list = map[*presence]bool{}
	}
	x.began = time.Now()
	p.list[x] = true
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.list, x)
	}
}

// inside says that the engine has the statement, which then shows it by itself.
func (p *present) inside(x *presence, by int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	x.within += by
}

func (p *present) rows() []row {
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []row
	for x := range p.list {
		if x.within > 0 {
			continue
		}
		list = append(list, row{
			"is_initial_query": 1, "user": "default", "query_id": x.id, "initial_user": "default", "initial_query_id": x.id, "interface": 2,
			"elapsed": time.Since(x.began).Seconds(), "query": x.text, "Settings": x.settings, "current_database": x.database,
		})
	}
	return list
}
