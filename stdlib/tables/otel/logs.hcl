include = ["common-header/otel_resource.hcl"]

column "Timestamp" {
  type    = "DateTime64(9)"
  codec   = local.time_codec
  comment = "When the event happened; the time it was observed where the source does not know"
}

column "TimestampTime" {
  type    = "DateTime"
  default = "toDateTime(Timestamp)"
  codec   = "Delta(4), ZSTD(1)"
  comment = "Timestamp in whole seconds: the key, the partition and the TTL use it"
}

column "TraceId" {
  type    = "String"
  codec   = "ZSTD(1)"
  comment = "Trace the record belongs to, in hex; empty for none"
}

column "SpanId" {
  type    = "String"
  codec   = "ZSTD(1)"
  comment = "Span the record belongs to, in hex; empty for none"
}

column "TraceFlags" {
  type    = "UInt8"
  comment = "W3C trace flags; bit 0 says that the trace is sampled"
}

column "SeverityText" {
  type    = "LowCardinality(String)"
  codec   = "ZSTD(1)"
  comment = "Severity in the source's own words"
}

column "SeverityNumber" {
  type    = "UInt8"
  comment = "Severity as a number: 1 to 4 trace, 5 debug, 9 info, 13 warn, 17 error, 21 fatal"
}

column "Body" {
  type    = "String"
  codec   = "ZSTD(1)"
  comment = "The record itself"
}

column "LogAttributes" {
  type    = local.attributes
  codec   = "ZSTD(1)"
  comment = "Attributes of the record"
}

column "EventName" {
  type    = "LowCardinality(String)"
  codec   = "ZSTD(1)"
  comment = "Name of the event, for a record that is one"
}

index "idx_trace_id" {
  expression  = "TraceId"
  type        = "bloom_filter(0.001)"
  granularity = 1
}

index "idx_log_attr_key" {
  expression  = "mapKeys(LogAttributes)"
  type        = "bloom_filter(0.01)"
  granularity = 1
}

index "idx_log_attr_value" {
  expression  = "mapValues(LogAttributes)"
  type        = "bloom_filter(0.01)"
  granularity = 1
}

index "idx_body" {
  expression  = "Body"
  type        = "tokenbf_v1(32768, 3, 0)"
  granularity = 8
}

engine       = "MergeTree"
partition_by = "toDate(TimestampTime)"
primary_key  = ["ServiceName", "TimestampTime"]
order_by     = ["ServiceName", "TimestampTime", "Timestamp"]
ttl          = "TimestampTime + INTERVAL ${var.telemetry_retention_days.logs} DAY"
settings     = local.whole_parts
comment      = "OpenTelemetry log records"
