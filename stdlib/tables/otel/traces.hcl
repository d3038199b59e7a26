include = ["common-header/otel_resource.hcl"]

# The exporter writes no schema URLs and no scope attributes for spans.
drop = ["ResourceSchemaUrl", "ScopeSchemaUrl", "ScopeAttributes", "idx_scope_attr_key", "idx_scope_attr_value"]

column "Timestamp" {
  type    = "DateTime64(9)"
  codec   = local.time_codec
  comment = "When the span started"
}

column "TraceId" {
  type    = "String"
  codec   = "ZSTD(1)"
  comment = "Trace the span belongs to, in hex"
}

column "SpanId" {
  type    = "String"
  codec   = "ZSTD(1)"
  comment = "Id of the span, in hex"
}

column "ParentSpanId" {
  type    = "String"
  codec   = "ZSTD(1)"
  comment = "Span that caused this one; empty for the root of a trace"
}

column "TraceState" {
  type    = "String"
  codec   = "ZSTD(1)"
  comment = "W3C trace state"
}

column "SpanName" {
  type    = "LowCardinality(String)"
  codec   = "ZSTD(1)"
  comment = "Name of the operation"
}

column "SpanKind" {
  type    = "LowCardinality(String)"
  codec   = "ZSTD(1)"
  comment = "Role of the span: Internal, Server, Client, Producer or Consumer"
}

column "SpanAttributes" {
  type    = local.attributes
  codec   = "ZSTD(1)"
  comment = "Attributes of the span"
}

column "Duration" {
  type    = "UInt64"
  codec   = "ZSTD(1)"
  comment = "How long the span took, in nanoseconds"
}

column "StatusCode" {
  type    = "LowCardinality(String)"
  codec   = "ZSTD(1)"
  comment = "Outcome: Unset, Ok or Error"
}

column "StatusMessage" {
  type    = "String"
  codec   = "ZSTD(1)"
  comment = "Outcome in words, for errors"
}

column "Events" {
  type    = "Nested(Timestamp DateTime64(9), Name LowCardinality(String), Attributes ${local.attributes})"
  codec   = "ZSTD(1)"
  comment = "What happened during the span"
}

column "Links" {
  type    = "Nested(TraceId String, SpanId String, TraceState String, Attributes ${local.attributes})"
  codec   = "ZSTD(1)"
  comment = "Other spans this one is related to"
}

index "idx_trace_id" {
  expression  = "TraceId"
  type        = "bloom_filter(0.001)"
  granularity = 1
}

index "idx_span_attr_key" {
  expression  = "mapKeys(SpanAttributes)"
  type        = "bloom_filter(0.01)"
  granularity = 1
}

index "idx_span_attr_value" {
  expression  = "mapValues(SpanAttributes)"
  type        = "bloom_filter(0.01)"
  granularity = 1
}

index "idx_duration" {
  expression  = "Duration"
  type        = "minmax"
  granularity = 1
}

engine       = "MergeTree"
partition_by = "toDate(Timestamp)"
order_by     = ["ServiceName", "SpanName", "toDateTime(Timestamp)"]
ttl          = "toDateTime(Timestamp) + INTERVAL ${var.telemetry_retention_days.traces} DAY"
settings     = local.whole_parts
comment      = "OpenTelemetry spans"
