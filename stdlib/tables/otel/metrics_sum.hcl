include = ["common-header/otel_metric.hcl", "common-header/otel_exemplars.hcl"]

column "Value" {
  type    = "Float64"
  codec   = "ZSTD(1)"
  comment = "The sum"
}

column "AggregationTemporality" {
  type    = "Int32"
  codec   = "ZSTD(1)"
  comment = "What a value adds up over: 1 since the last report (delta), 2 since the start (cumulative)"
}

column "IsMonotonic" {
  type    = "Bool"
  codec   = "ZSTD(1)"
  comment = "Whether the sum only ever grows: a counter"
}

engine       = "MergeTree"
partition_by = "toDate(TimeUnix)"
order_by     = ["ServiceName", "MetricName", "Attributes", "toUnixTimestamp64Nano(TimeUnix)"]
ttl          = "toDateTime(TimeUnix) + INTERVAL ${var.telemetry_retention_days.metrics} DAY"
settings     = local.whole_parts
comment      = "OpenTelemetry sums: counters and values that go up and down"
