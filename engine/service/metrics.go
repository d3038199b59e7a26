package service

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/ledger"
)

// metrics reads the state when it is scraped, so that no label outlives what it tells.
type metrics struct {
	s                                          *Service
	state, duration, version, refused, release *prometheus.Desc
	topics, differing, few                     *prometheus.Desc
}

// Collector returns the metrics of the schema, for a program with a registry of its own.
func (s *Service) Collector() prometheus.Collector {
	return &metrics{
		s: s,
		state: prometheus.NewDesc("dfe_schema_bootstrap_state",
			"State of the schema: 0 unknown, 1 converged, 2 failed, 3 running, 4 observed.", nil, nil),
		duration: prometheus.NewDesc("dfe_schema_bootstrap_duration_seconds",
			"How long the newest finished pass took.", nil, nil),
		version: prometheus.NewDesc("dfe_schema_version_info",
			"The releases at work; always 1.", []string{"schemas", "overlay", "engine", "platform"}, nil),
		refused: prometheus.NewDesc("dfe_schema_objects_refused",
			"Objects with at least one refused change in the newest finished pass.", nil, nil),
		topics: prometheus.NewDesc("dfe_topics",
			"Declared topics by what became of them: applied (created), unchanged, refused, failed, blocked, unread, pending.", []string{"outcome"}, nil),
		differing: prometheus.NewDesc("dfe_topics_differing",
			"Topics that are there and not as they are declared; a pass alters none.", nil, nil),
		few: prometheus.NewDesc("dfe_topics_few_replicas",
			"Topics with fewer replicas than their definitions allow.", nil, nil),
		release: prometheus.NewDesc("dfe_schema_lease_release_failures_total",
			"Leases that were to be released and lapse by themselves instead.", nil, nil),
	}
}

func (m *metrics) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{m.state, m.duration, m.version, m.refused, m.release, m.topics, m.differing, m.few} {
		to <- d
	}
}

func stateNumber(state engine.State) float64 {
	switch state {
	case engine.Converged:
		return 1
	case engine.Failed:
		return 2
	case engine.Running:
		return 3
	case engine.Observed:
		return 4
	}
	return 0
}

func (m *metrics) Collect(to chan<- prometheus.Metric) {
	d := m.s.Document()
	m.s.mu.Lock()
	var duration, refused float64
	if last := m.s.last; last != nil {
		duration, refused = last.Finished.Sub(last.Started).Seconds(), float64(last.Summary.Refused)
	}
	m.s.mu.Unlock()
	gauge := func(desc *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
	}
	gauge(m.state, stateNumber(d.State))
	gauge(m.duration, duration)
	gauge(m.version, 1, d.SchemaRelease, d.OverlayRelease, d.EngineRelease, d.Platform)
	gauge(m.refused, refused)
	outcomes, differing, few := map[ledger.Outcome]int{}, 0, 0
	for _, t := range d.Topics {
		outcomes[t.Outcome]++
		if differences(t) > 0 {
			differing++
		}
		if t.FewReplicas() {
			few++
		}
	}
	for _, outcome := range topicOutcomes {
		gauge(m.topics, float64(outcomes[outcome]), string(outcome))
	}
	gauge(m.differing, float64(differing))
	gauge(m.few, float64(few))
	to <- prometheus.MustNewConstMetric(m.release, prometheus.CounterValue, float64(m.s.o.Engine.LeaseStats().ReleaseFailures.Load()))
}

// registry holds the schema's metrics beside those of the process.
func (s *Service) registry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(s.Collector(), collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}
