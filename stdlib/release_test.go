package stdlib_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine/access"
	"github.com/dfe-engine/dfe/engine/embedded/embeddedtest"
	"github.com/dfe-engine/dfe/lang/tree"
	"github.com/dfe-engine/dfe/stdlib"
)

func TestMain(m *testing.M) { embeddedtest.MainWith(m, access.New()) }

// ask sends one statement under the server's default settings.
func ask(ctx context.Context, url, statement string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(statement))
	if err != nil {
		return "", err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s", bytes.TrimSpace(answer))
	}
	return string(answer), err
}

// TestClickHouseTakesTheCoreRelease creates every object in the order of the manifest, reads from every table and view,
// and writes into the OpenTelemetry tables what the collector's exporter writes.
func TestClickHouseTakesTheCoreRelease(t *testing.T) {
	url := embeddedtest.Server(t)
	tr, diags := tree.Load(stdlib.FS, tree.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	for _, d := range tr.Objects {
		if !d.Kind.InClickHouse() {
			continue
		}
		if _, err := ask(t.Context(), url, ast.Create(d.Object, ast.Style{})); err != nil {
			t.Fatalf("%s %s: %v", d.Kind, d.Name, err)
		}
		if role, isRole := d.Object.(*ast.Role); isRole {
			for _, grant := range ast.GrantSQL(role.Rights, []string{role.Name}, false) {
				if _, err := ask(t.Context(), url, grant); err != nil {
					t.Errorf("%s: %v", grant, err)
				}
			}
		}
		if d.Kind == ast.KindDatabase || d.Kind.IsAccess() {
			continue
		}
		if _, err := ask(t.Context(), url, "SELECT * FROM "+d.Name.SQL()+" LIMIT 1 FORMAT Null"); err != nil {
			t.Errorf("reading %s: %v", d.Name, err)
		}
	}
	for table, columns := range exporterColumns {
		var defaults []string
		for range strings.Split(columns, ",") {
			defaults = append(defaults, "DEFAULT")
		}
		if _, err := ask(t.Context(), url, fmt.Sprintf("INSERT INTO otel.%s (%s) VALUES (%s)", table, columns, strings.Join(defaults, ", "))); err != nil {
			t.Errorf("the exporter writes to %s: %v", table, err)
		}
	}
}

// Columns the exporter names in its INSERT statements (opentelemetry-collector-contrib, clickhouseexporter v0.13x).
const (
	resource = "ResourceAttributes, ResourceSchemaUrl, ScopeName, ScopeVersion, ScopeAttributes, ScopeDroppedAttrCount, ScopeSchemaUrl, " +
		"ServiceName, MetricName, MetricDescription, MetricUnit, Attributes, StartTimeUnix, TimeUnix, "
	exemplars = "Exemplars.FilteredAttributes, Exemplars.TimeUnix, Exemplars.Value, Exemplars.SpanId, Exemplars.TraceId"
)

var exporterColumns = map[string]string{
	"otel_logs": "Timestamp, TraceId, SpanId, TraceFlags, SeverityText, SeverityNumber, ServiceName, Body, ResourceSchemaUrl, " +
		"ResourceAttributes, ScopeSchemaUrl, ScopeName, ScopeVersion, ScopeAttributes, LogAttributes, EventName",
	"otel_traces": "Timestamp, TraceId, SpanId, ParentSpanId, TraceState, SpanName, SpanKind, ServiceName, ResourceAttributes, " +
		"ScopeName, ScopeVersion, SpanAttributes, Duration, StatusCode, StatusMessage, Events.Timestamp, Events.Name, " +
		"Events.Attributes, Links.TraceId, Links.SpanId, Links.TraceState, Links.Attributes",
	"otel_metrics_gauge":     resource + "Value, Flags, " + exemplars,
	"otel_metrics_sum":       resource + "Value, Flags, " + exemplars + ", AggregationTemporality, IsMonotonic",
	"otel_metrics_histogram": resource + "Count, Sum, BucketCounts, ExplicitBounds, " + exemplars + ", Flags, Min, Max, AggregationTemporality",
	"otel_metrics_exponential_histogram": resource + "Count, Sum, Scale, ZeroCount, PositiveOffset, PositiveBucketCounts, NegativeOffset, " +
		"NegativeBucketCounts, " + exemplars + ", Flags, Min, Max, AggregationTemporality",
	"otel_metrics_summary": resource + "Count, Sum, ValueAtQuantiles.Quantile, ValueAtQuantiles.Value, Flags",
}
