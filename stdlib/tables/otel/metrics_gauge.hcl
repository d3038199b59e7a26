include = ["common-header/otel_metric.hcl", "common-header/otel_exemplars.hcl"]

column "Value" {
  type    = "Float64"
  codec   = "ZSTD(1)"
  comment = "The measured value"
}

engine       = "MergeTree"
partition_by = "toDate(TimeUnix)"
order_by     = ["ServiceName", "MetricName", "Attributes", "toUnixTimestamp64Nano(TimeUnix)"]
ttl          = "toDateTime(TimeUnix) + INTERVAL ${var.telemetry_retention_days.metrics} DAY"
settings     = local.whole_parts
comment      = "OpenTelemetry gauges: values measured at an instant"
