package rehearsal

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/executor"
	"github.com/dfe-engine/dfe/rules/plan"
)

// place is a name in the space of names it belongs to.
type place struct {
	space ast.Kind
	name  ast.Name
}

func placeOf(kind ast.Kind, name ast.Name) place { return place{kind.Space(), name} }

// stage is the throw-away server with what is known of it.
type stage struct {
	conn *catalog.Conn
	x    *executor.Executor
	live *catalog.Catalog
	// databases are wanted although nothing may be in them.
	databases []string
	progress  func(step, object string, done, total int)
	// raw is what the stage has, as read.
	raw *catalog.Catalog
	// view is the same as the plan would see it on the server: each object wears what it took off, and what cannot be here
	// as it is, is as the server has it.
	view *catalog.Catalog
	// worn is what the objects on the stage have taken off.
	worn map[place]costume
	// unfit says why what is on the stage under a name is not what the server has there, or will have: a stand-in, or an
	// object whose statement was not carried out.
	unfit map[place]string
	// gone says why there is nothing under a name that should be there.
	gone   map[place]string
	loaded int
	notes  []*plan.Substitute
}

func newStage(conn *catalog.Conn, live *catalog.Catalog, progress func(step, object string, done, total int)) *stage {
	return &stage{conn: conn, live: live, progress: progress, worn: map[place]costume{}, unfit: map[place]string{}, gone: map[place]string{},
		x: executor.New(conn, executor.Options{Scope: "rehearsal", Pass: "stage", Attempts: 1})}
}

// load creates live objects, those first that others refer to. What the engine refuses is tried again once more
// others are there, then attached, then stood in for.
func (s *stage) load(ctx context.Context, wanted map[*catalog.Object]bool) error {
	waiting := s.ordered(wanted)
	total := len(waiting)
	refused := map[*catalog.Object]error{}
	for len(waiting) > 0 {
		before := len(waiting)
		var err error
		if waiting, err = s.round(ctx, waiting, refused, total); err != nil {
			return err
		}
		if len(waiting) < before {
			continue
		}
		// Nothing moves any more: the first one is stood in for, and may be what the others wait for.
		first := waiting[0]
		waiting = waiting[1:]
		if err := s.substitute(ctx, first, refusal(refused[first])); err != nil {
			return err
		}
	}
	return s.look(ctx)
}

// round tries each object once and returns those the engine refuses.
func (s *stage) round(ctx context.Context, waiting []*catalog.Object, refused map[*catalog.Object]error, total int) ([]*catalog.Object, error) {
	var left []*catalog.Object
	for _, o := range waiting {
		s.progress("loading the live definitions", o.Name.String(), s.loaded+len(s.gone), total)
		if o.Tree == nil {
			s.miss(o, fmt.Sprintf("its definition cannot be read: %v", o.Unreadable))
			continue
		}
		naked, off := plain(o.Tree)
		if reason := outside(naked); reason != "" {
			if err := s.substitute(ctx, o, reason); err != nil {
				return nil, err
			}
			continue
		}
		err := s.create(ctx, naked, ast.Style{})
		if _, isTable := naked.(*ast.Table); err != nil && isTable && o.UUID != "" && strings.Trim(o.UUID, "0-") != "" {
			// As when a server starts: what may be created today is not asked.
			if attached := s.create(ctx, naked, ast.Style{Attach: true, UUID: o.UUID}); attached == nil {
				err = nil
			}
		}
		switch {
		case err == nil:
			s.worn[placeOf(o.Kind, o.Name)] = off
			s.loaded++
			if without := off.without(); without != "" {
				s.note(o, false, without)
			}
		case isRejected(err):
			refused[o] = err
			left = append(left, o)
		default:
			return nil, err
		}
	}
	return left, nil
}

// substitute puts a stand-in where an object cannot be, or notes that nothing is there.
func (s *stage) substitute(ctx context.Context, o *catalog.Object, reason string) error {
	in := standIn(o.Tree)
	if in == nil {
		s.miss(o, reason)
		return nil
	}
	err := s.create(ctx, in, ast.Style{})
	switch {
	case err == nil:
		s.unfit[placeOf(o.Kind, o.Name)] = reason
		s.loaded++
		s.note(o, false, reason)
		return nil
	case isRejected(err):
		s.miss(o, reason)
		return nil
	}
	return err
}

func (s *stage) miss(o *catalog.Object, reason string) {
	s.gone[placeOf(o.Kind, o.Name)] = reason
	s.note(o, true, reason)
}

func (s *stage) note(o *catalog.Object, absent bool, reason string) {
	s.notes = append(s.notes, &plan.Substitute{Kind: string(o.Kind), Name: o.Name.String(), Absent: absent, Reason: reason})
}

func (s *stage) create(ctx context.Context, o ast.Object, style ast.Style) error {
	_, err := s.x.Apply(ctx, executor.Statement{Kind: o.Kind(), Name: o.ID(), SQL: ast.Create(o, style), Missing: absent})
	return err
}

func absent(o *catalog.Object) string {
	if o == nil {
		return "the object"
	}
	return ""
}

// refusal is why an object cannot be created, without its name.
func refusal(err error) string {
	var rejected *executor.RejectedError
	if !errors.As(err, &rejected) {
		return err.Error()
	}
	return fmt.Sprintf("the engine answers error %d: %s", rejected.Code, serverWords(rejected.Code, rejected.Message))
}

// isRejected tells an answer of the engine from an engine that does not answer.
func isRejected(err error) bool {
	var rejected *executor.RejectedError
	var moved *executor.MovedError
	var large *executor.TooLargeError
	return errors.As(err, &rejected) || errors.As(err, &moved) || errors.As(err, &large)
}

// ordered lists the live objects to load: the databases that anything is in, then what others refer to before them.
func (s *stage) ordered(wanted map[*catalog.Object]bool) []*catalog.Object {
	var list []*catalog.Object
	used := map[string]bool{}
	for _, name := range s.databases {
		used[name] = true
	}
	for o := range wanted {
		used[o.Name.Database] = true
	}
	for _, name := range slices.Sorted(maps.Keys(s.live.Databases)) {
		if used[name] && name != defaultDatabase {
			list = append(list, s.live.Databases[name])
		}
	}
	visited := map[*catalog.Object]bool{}
	var visit func(*catalog.Object)
	visit = func(o *catalog.Object) {
		if visited[o] {
			return
		}
		visited[o] = true
		for _, needed := range s.needs(o.Tree) {
			visit(needed)
		}
		list = append(list, o)
	}
	for _, o := range slices.SortedFunc(maps.Keys(wanted), func(a, b *catalog.Object) int { return strings.Compare(a.Name.String(), b.Name.String()) }) {
		visit(o)
	}
	return list
}

// defaultDatabase is there on every server.
const defaultDatabase = "default"

// look reads the stage whole.
func (s *stage) look(ctx context.Context) error {
	raw, err := catalog.Read(ctx, s.conn, catalog.Scope{})
	if err != nil {
		return err
	}
	s.raw = raw
	// What was not loaded, or could not be, is as the server has it.
	s.view = &catalog.Catalog{Facts: s.live.Facts, Databases: maps.Clone(s.live.Databases), Relations: maps.Clone(s.live.Relations),
		Functions: maps.Clone(s.live.Functions)}
	for o := range raw.All() {
		s.view.Put(o.Kind, o.Name, s.shown(o.Kind, o.Name, o))
	}
	return nil
}

// see notes what was read of one object.
func (s *stage) see(kind ast.Kind, name ast.Name, o *catalog.Object) {
	s.raw.Put(kind, name, o)
	s.view.Put(kind, name, s.shown(kind, name, o))
}

func (s *stage) shown(kind ast.Kind, name ast.Name, o *catalog.Object) *catalog.Object {
	here := placeOf(kind, name)
	if live := s.live.Find(kind, name); live != nil && s.unfit[here] != "" {
		return live
	}
	off, ok := s.worn[here]
	if !ok || o == nil || o.Tree == nil {
		return o
	}
	worn := *o
	worn.Tree = off.on(o.Tree)
	return &worn
}
