package cli

import (
	"context"
	"errors"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/rules/plan"
)

// plan makes the plan and lets the server go.
func (s *session) plan(ctx context.Context) (*plan.Document, error) {
	doc, err := s.Plan(ctx)
	s.progress.clear()
	return doc, errors.Join(err, s.close())
}

// rehearsed is [session.plan] with the plan played on a throw-away engine. This process opens one data directory at a
// time, so where that is the target it is closed before the other is opened.
func (a *app) rehearsed(s *session) func(context.Context) (*plan.Document, error) {
	return func(ctx context.Context) (*plan.Document, error) {
		draft, err := s.Draft(ctx)
		s.progress.clear()
		if err := errors.Join(err, s.close()); err != nil {
			return nil, err
		}
		return draft.Document, a.play(ctx, s, draft)
	}
}

func (a *app) play(ctx context.Context, s *session, draft *engine.Draft) error {
	defer s.progress.clear()
	s.progress.show("starting the engine of the rehearsal")
	server, err := a.startEmbedded(ctx, draft.Stage())
	if err != nil {
		return err
	}
	return errors.Join(draft.Rehearse(ctx, catalog.Target{URL: server.URL()}), stop(server))
}
