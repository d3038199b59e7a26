package ast

import "strings"

// The targets of a TimeSeries table, in the order the server prints them.
const (
	TargetSamples = "SAMPLES"
	TargetTags    = "TAGS"
	TargetMetrics = "METRICS"
)

// Target is one of the tables that a TimeSeries table spreads its data over: another table (To), or an inner one.
type Target struct {
	Kind string // TargetSamples, TargetTags or TargetMetrics
	To   Name
	// Inner is the inner table: its columns, engine, keys and settings, as far as they are written. Its Name is empty.
	Inner *Table
}

func (t *Target) parts(parts []Part) []Part {
	prefix := strings.ToLower(t.Kind)
	if t.Inner == nil || t.To != (Name{}) {
		parts = appendNode(parts, prefix, t.To.node())
	}
	if t.Inner == nil {
		return parts
	}
	for _, p := range t.Inner.Parts() {
		p.Kind = prefix + "_" + p.Kind
		parts = append(parts, p)
	}
	return parts
}

// targets writes SAMPLES INNER COLUMNS (..) SAMPLES INNER ENGINE = .., or SAMPLES db.table.
func (w *statement) targets(list []*Target) {
	for _, t := range list {
		if t.To != (Name{}) {
			w.clause(t.Kind + " ")
			w.name(t.To)
		}
		if t.Inner == nil {
			continue
		}
		if len(t.Inner.Columns) > 0 {
			w.clause(t.Kind + " INNER COLUMNS")
			w.elements(t.Inner.Columns, t.Inner)
		}
		if t.Inner.Engine != nil {
			w.clause(t.Kind + " INNER")
			w.storage(t.Inner)
		}
	}
}
