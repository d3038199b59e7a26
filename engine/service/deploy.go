package service

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/lease"
	"github.com/dfe-engine/dfe/engine/sources"
	"github.com/dfe-engine/dfe/engine/topics"
	"github.com/dfe-engine/dfe/lang/tree"
	"github.com/dfe-engine/dfe/rules/plan"
)

// Deployed is the document of a source that was deployed, or planned. Its JSON form is a contract: version is 1 and only
// gains fields.
type Deployed struct {
	Version      int    `json:"version"`
	Source       string `json:"source"`
	Organisation string `json:"organisation"`
	// State is that of the pass; empty of a plan.
	State engine.State `json:"state,omitempty"`
	Pass  string       `json:"pass,omitempty"`
	// Plan is what was decided. Statements that it holds were sent where Objects say so.
	Plan *plan.Document `json:"plan,omitempty"`
	// Objects and Topics are what became of each; Refused and Reported are what a person should know of.
	Objects  []*Object       `json:"objects"`
	Topics   []*topics.Topic `json:"topics"`
	Refused  []*Finding      `json:"refused"`
	Reported []*Finding      `json:"reported"`
	Summary  engine.Summary  `json:"summary"`
	// WaitedMS is how long the deploy waited for its turn and for the lease, in milliseconds.
	WaitedMS int64 `json:"waited_ms"`
	// Error is why the deploy failed, Code is that as one word.
	Error string `json:"error,omitempty"`
	Code  string `json:"code,omitempty"`
	// Diagnostics are the faults of the config.
	Diagnostics []tree.Diagnostic `json:"diagnostics,omitempty"`
}

// source reads the config of a call. Where it returns nil the call is answered.
func (s *Service) source(c *call) *sources.Config {
	id := c.r.PathValue("id")
	c.about = []any{"source", id}
	config, err := sources.Parse("config", c.body)
	if err != nil {
		c.faulty(c.r.Context(), &Deployed{Source: id}, err)
		return nil
	}
	c.about = append(c.about, "organisation", config.Organisation)
	switch {
	case config.ID != id:
		c.fault(http.StatusUnprocessableEntity, "config_faulty", fmt.Sprintf("the config is of the source %q, and the path names %q", config.ID, id))
	case !c.token.For(config.Organisation):
		c.fault(http.StatusForbidden, "organisation_forbidden", fmt.Sprintf("this token is not for the organisation %q", config.Organisation))
	case s.o.Deployer == nil:
		c.fault(http.StatusServiceUnavailable, "not_available", "this service deploys no sources")
	default:
		return config
	}
	return nil
}

// deploySource makes the schema of a source true.
func (s *Service) deploySource(ctx context.Context, c *call) {
	config := s.source(c)
	if config == nil {
		return
	}
	r, doc, err := s.o.Deployer.PassPart(ctx, config.Part())
	c.about = append(c.about, "pass", r.Pass, "statements", r.Summary.Statements)
	d := &Document{Objects: []*Object{}, Refused: []*Finding{}, Reported: []*Finding{}, Topics: []*topics.Topic{}}
	d.fill(&r, nil)
	deployed := &Deployed{
		Source: config.ID, Organisation: config.Organisation, State: r.State, Pass: r.Pass, Plan: doc, WaitedMS: r.WaitedMS,
		Objects: d.Objects, Topics: d.Topics, Refused: d.Refused, Reported: d.Reported, Summary: r.Summary,
	}
	if r.Topics != nil {
		deployed.Topics = r.Topics
	}
	if err != nil {
		c.faulty(ctx, deployed, err)
		return
	}
	c.answer(http.StatusOK, "", deployed.whole())
}

// planSource says what a deploy would do.
func (s *Service) planSource(ctx context.Context, c *call) {
	config := s.source(c)
	if config == nil {
		return
	}
	planned := &Deployed{Source: config.ID, Organisation: config.Organisation}
	doc, err := s.o.Deployer.PlanPart(ctx, config.Part())
	if err != nil {
		c.faulty(ctx, planned, err)
		return
	}
	planned.Plan = doc
	for _, o := range doc.Objects {
		refused, reported := findings(o.Kind, o.Name, o.Changes)
		planned.Refused, planned.Reported = append(planned.Refused, refused...), append(planned.Reported, reported...)
	}
	c.answer(http.StatusOK, "", planned.whole())
}

// whole fills what a document always has.
func (d *Deployed) whole() *Deployed {
	d.Version = 1
	d.Objects, d.Topics = present(d.Objects), present(d.Topics)
	d.Refused, d.Reported = present(d.Refused), present(d.Reported)
	return d
}

// present is a list that a document always has: where it is empty too.
func present[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// faulty answers a call that failed. The context is the one it was made in.
func (c *call) faulty(ctx context.Context, d *Deployed, err error) {
	status := http.StatusInternalServerError
	var (
		faults    *engine.TreeError
		refused   *engine.RefusedError
		older     *engine.OlderError
		coded     interface{ ErrorCode() string }
		connect   *catalog.ConnectError
		bus       *topics.ConnectError
		lost      *lease.LostError
		unstarted = d.State == "" || len(d.Objects) == 0
	)
	if errors.As(err, &coded) {
		d.Code = coded.ErrorCode()
	}
	switch {
	case errors.As(err, &faults) && (faults.What == "the schema tree" || faults.What == "the rule tables" || faults.What == "the core release"):
		status, d.Code = http.StatusServiceUnavailable, "schema_faulty"
	case errors.As(err, &faults):
		status, d.Code = http.StatusUnprocessableEntity, "config_faulty"
		d.Diagnostics = tree.Plain(faults.Files, faults.Diags)
	case errors.As(err, &refused), errors.As(err, &older):
		status = http.StatusConflict
	case errors.Is(context.Cause(ctx), errStopping):
		status, d.Code = http.StatusServiceUnavailable, "stopping"
	case errors.As(err, &connect):
		status, d.Code = http.StatusServiceUnavailable, "clickhouse_unreachable"
	case errors.As(err, &bus), errors.As(err, &lost): // what is done is done and recorded; the next deploy does the rest
		status = http.StatusServiceUnavailable
	case d.Code != "" && unstarted:
		status = http.StatusServiceUnavailable // the server, the lease or the deployment is not as it has to be
	case errors.Is(err, context.DeadlineExceeded):
		status, d.Code = http.StatusGatewayTimeout, "timeout"
	case d.Code == "":
		d.Code = "deploy_failed"
	}
	if status == http.StatusServiceUnavailable {
		c.w.Header().Set("Retry-After", "30")
	}
	d.Error = err.Error()
	c.answer(status, d.Code, d.whole())
}
