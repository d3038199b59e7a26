package lease

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// Observer remembers when this process first saw each claim and its latest
// renewal, which is all that it needs to tell that a claim has expired. Keep one
// for the life of the process and hand it to every Acquire, background re-runs
// included: with a new one every claim looks new and stands for its whole time
// again. The zero value is ready; it is safe for concurrent use.
type Observer struct {
	mu     sync.Mutex
	scopes map[string]*memory
	clock  Clock // of every Acquire that was given none
}

// system returns the machine's clock, always the same one: what was seen by one
// clock's count means nothing by another's, whose count began at another time.
func (o *Observer) system() Clock {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.clock == nil {
		o.clock = SystemClock()
	}
	return o.clock
}

func (o *Observer) scope(name string) *memory {
	o.mu.Lock()
	defer o.mu.Unlock()
	m := o.scopes[name]
	if m == nil {
		m = newMemory()
		if o.scopes == nil {
			o.scopes = map[string]*memory{}
		}
		o.scopes[name] = m
	}
	return m
}

// memory is what was seen of one scope. Concurrent Acquires of one process share
// it; each takes its lock for one step.
type memory struct {
	mu     sync.Mutex
	claims map[string]*sight
	epoch  uint64 // the highest seen
	round  uint64 // counts reads, to find the claims that the latest one left out
}

// sight is one claim as it was seen.
type sight struct {
	row      Row           // its latest row
	since    time.Duration // monotonic: when row was first seen, counted from the answer
	released bool
	round    uint64
}

func newMemory() *memory { return &memory{claims: map[string]*sight{}} }

// look takes in the answer of a read and judges it. Both happen under one lock:
// what is judged is this read and not another one of this process.
func (m *memory) look(r *laws, asked, answered Reading, own string, rows []Row) verdict {
	m.mu.Lock()
	defer m.mu.Unlock()
	v := verdict{lagging: m.note(r, asked, answered, rows)}
	for _, row := range rows {
		if row.ClaimID != own {
			v.epoch = max(v.epoch, row.Epoch)
		}
	}
	asOf := asked
	if r.judgeWhenTold {
		asOf = answered
	}
	m.judge(r, asOf, own, &v)
	return v
}

// note reports whether the answer is from further in the past than FollowerLag: it
// shows less than was known to be stored for longer than that when it was asked for.
func (m *memory) note(r *laws, asked, answered Reading, rows []Row) (lagging bool) {
	m.round++
	since := answered.Mono
	if r.seenWhenAsked {
		since = asked.Mono
	}
	for _, row := range rows {
		m.epoch = max(m.epoch, row.Epoch)
		s := m.claims[row.ClaimID]
		if s == nil {
			if row.Action == Release {
				continue
			}
			s = &sight{row: row, since: since}
			m.claims[row.ClaimID] = s
		}
		s.round = m.round
		switch {
		case row.Action == Release:
			if !s.released {
				s.released, s.since = true, since
			}
		case s.released, row.Sequence < s.row.Sequence:
			lagging = lagging || asked.Mono-s.since > r.lag
		case row.Sequence > s.row.Sequence:
			s.row = row
			if !r.firstSightOnly {
				s.since = since
			}
		}
	}
	for id, s := range m.claims {
		if s.round != m.round && (!s.released || answered.Mono-s.since > forgetAfter) {
			delete(m.claims, id)
		}
	}
	return lagging
}

// stored takes in a row of this client's own that was acknowledged.
func (m *memory) stored(now Reading, row Row) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.epoch = max(m.epoch, row.Epoch)
	s := m.claims[row.ClaimID]
	if s == nil {
		s = &sight{row: row, since: now.Mono}
		m.claims[row.ClaimID] = s
	}
	s.round = m.round
	if row.Action == Release {
		s.released, s.since = true, now.Mono
	} else if row.Sequence > s.row.Sequence {
		s.row, s.since = row, now.Mono
	}
}

// nextEpoch returns an epoch above every one seen. Its floor is the wall clock in
// seconds, so that epochs go on rising after the table's TTL has emptied it.
func (m *memory) nextEpoch(now Reading) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return max(m.epoch+1, uint64(max(now.Wall, 0)/time.Second))
}

// expired reports whether the holder of s can no longer act, as of an instant
// before the read that last showed s was sent.
func (s *sight) expired(r *laws, asOf Reading) bool {
	ttl := max(r.ttl, s.row.TTL)
	if r.acrossHosts {
		return asOf.Wall-time.Duration(s.row.Sent.UnixNano()) >= ttl
	}
	return asOf.Mono-s.since >= ttl+r.lag
}

// verdict is what one read says of a scope.
type verdict struct {
	lagging  bool
	standing int
	winner   Row           // the standing claim with the smallest id
	holder   Row           // the standing claim that most likely holds; see later
	seen     time.Duration // how long ago holder's latest row was first seen
	epoch    uint64        // the highest of all claims of the read but own
	dead     []Row         // claims seen to expire and without a release, own left out, by id
}

// judge counts the claims that stand as of an instant before the read was sent.
func (m *memory) judge(r *laws, asOf Reading, own string, v *verdict) {
	for id, s := range m.claims {
		if s.released {
			continue
		}
		expired := s.expired(r, asOf)
		if expired && id != own && own != "" {
			v.dead = append(v.dead, s.row)
		}
		if expired {
			continue
		}
		if v.standing == 0 || id < v.winner.ClaimID {
			v.winner = s.row
		}
		age := max(asOf.Mono-s.since, 0)
		if v.standing == 0 || later(s.row, age, v.holder, v.seen) {
			v.holder, v.seen = s.row, age
		}
		v.standing++
	}
	slices.SortFunc(v.dead, func(a, b Row) int { return strings.Compare(a.ClaimID, b.ClaimID) })
}

// later orders claims by how likely they are the holder's: renewed ones first, the
// one seen later before the one seen earlier, then by id so that the answer does
// not depend on the order of a map.
func later(a Row, aAge time.Duration, b Row, bAge time.Duration) bool {
	if ar, br := a.Sequence > 0, b.Sequence > 0; ar != br {
		return ar
	}
	if a.Sequence > 0 && aAge != bAge {
		return aAge < bAge
	}
	return a.ClaimID < b.ClaimID
}
