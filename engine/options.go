package engine

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/internal/pause"
	"github.com/dfe-engine/dfe/engine/lease"
	"github.com/dfe-engine/dfe/engine/topics"
	"github.com/dfe-engine/dfe/rules"
)

// Options of [New]. Target is required unless SkipTables; the zero value of the rest is usable.
type Options struct {
	Target catalog.Target
	// Platform to render for; empty: probed. Embedded is for the caller's own in-process server.
	Platform rules.Platform
	// Tree is the directory of a schema tree that replaces the embedded core release; it is only read.
	Tree string
	// TreeFS is a schema tree that the program carries, such as an embed.FS; it is used instead of Tree.
	TreeFS fs.FS
	// Overlay is the directory of a deployment's own additive tree; empty: none.
	Overlay string
	// Variables are values for the variables of the tree's manifest; those of an overlay have their defaults.
	Variables map[string]string
	// Wait is how long a server that is not up yet is waited for, and after it, as long again, a lease that another
	// pass holds. Zero: one try.
	Wait time.Duration
	// MaxQuerySize is the ceiling on the max_query_size sent, in bytes. Zero: 16 MiB.
	MaxQuerySize int
	// AllowDrift carries out changes of a column type and of a TTL; AcceptLoss names columns (database.table.column)
	// whose values may be lost on the way.
	AllowDrift bool
	AcceptLoss []string
	// AllowDowngrade applies a schema release that is older than one the ledger has. What the newer one added stays.
	AllowDowngrade bool
	// Bus is the deployment's Kafka. Without brokers no topic is created, and a pass says so.
	Bus topics.Bus
	// BusWait is how long a bus that is not up yet is waited for, without the lease. Zero: one try.
	BusWait time.Duration
	// SkipTables leaves ClickHouse alone: a pass creates topics and nothing else, and its state is [Unknown]. SkipTopics
	// leaves the bus alone. Neither depends on the other.
	SkipTables, SkipTopics bool
	// Release is the engine's own release, for the ledger. Empty: "dev".
	Release string
	// Secret returns the value of a secret that a definition refers to: of the environment variable, or of the file, that
	// is named. Nil: the process's own environment and files.
	Secret func(ctx context.Context, source, name string) (string, error)
	// LedgerKey is the key under which the ledger remembers the values of named collections, which a server hides. Nil: the
	// password of Target. With another key every value is set once more.
	LedgerKey []byte
	// Clock is the time by which a lease is counted. Nil: this machine's three clocks, which is right for every deployment.
	Clock lease.Clock
	// Log gets what an operator needs to know; nil is silent.
	Log *slog.Logger
	// Progress is told about each object as a pass or a plan comes to it; nil is silent. It is called on the
	// goroutine of the pass.
	Progress func(Progress)
}

// Progress is how far a pass or a plan has come.
type Progress struct {
	// Step says what is going on: "connecting", "waiting for the lease", "reading the catalogue", "deciding",
	// "applying", "creating topics", "releasing the lease".
	Step string
	// Object is the one at hand, "" before the first; Done of Total are through.
	Object      string
	Done, Total int
}

// Engine is the controller of one server's schema. Its methods may be called by several goroutines; a pass runs alone.
type Engine struct {
	options Options
	log     *slog.Logger
	passing chan struct{}
	running running
	owner   string
	stats   lease.Stats
	// carrier queues the parts under one lease, shift is what they work with; whoever has the turn has the shift.
	carrier *lease.Carrier
	shift   *pass
	// observer is what this process has seen of the lease: passes that run again go on from there.
	observer lease.Observer

	// Replaced in tests.
	pause   func(context.Context, time.Duration) error
	now     func() time.Time
	newPass func() string
	clock   lease.Clock
	store   func(lease.Store) lease.Store
}

// New checks the options and returns an engine. It touches neither network nor files.
func New(o Options) (*Engine, error) {
	if o.Target.URL != "" || !o.SkipTables {
		if err := o.Target.Check(); err != nil {
			return nil, err
		}
	}
	if err := o.Bus.Check(); err != nil {
		return nil, err
	}
	if o.Tree != "" && o.TreeFS != nil {
		return nil, errors.New("two schema trees are given, Tree and TreeFS: give one")
	}
	if o.Platform != "" {
		if _, err := rules.ParsePlatform(string(o.Platform)); err != nil {
			return nil, err
		}
	}
	for _, column := range o.AcceptLoss {
		parts := strings.SplitN(column, ".", 3)
		if len(parts) < 3 || slices.Contains(parts, "") {
			return nil, &ColumnError{column, "a column is named as database.table.column"}
		}
	}
	if o.Release == "" {
		o.Release = unreleased
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Secret == nil {
		o.Secret = secretOf
	}
	if o.Clock == nil {
		o.Clock = lease.SystemClock()
	}
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	e := &Engine{
		options: o, log: o.Log, passing: make(chan struct{}, 1), owner: owner(),
		pause: pause.For, now: time.Now, newPass: passID, clock: o.Clock, store: func(s lease.Store) lease.Store { return s },
	}
	e.carrier = lease.NewCarrier(e.takeShift)
	e.carrier.Wait, e.carrier.Most = o.Wait, carried
	e.carrier.Released = func(ctx context.Context) {
		e.shift.leaveShift(ctx)
		e.shift = nil
	}
	return e, nil
}

// unreleased is the release of a program that has none. Two of them may differ, so that nothing one of them recorded is
// taken on trust by another.
const unreleased = "dev"

// ErrPassRunning is returned by [Engine.Pass] while another pass of the same engine runs.
var ErrPassRunning = errors.New("a pass of this engine is running already")

// passID is unique and sorts by time: it is read by people in query logs.
func passID() string {
	var random [4]byte
	_, _ = rand.Read(random[:]) // crypto/rand does not fail
	return time.Now().UTC().Format("20060102T150405Z") + "-" + hex.EncodeToString(random[:])
}
