include = ["common-header/otel_metric.hcl"]

column "Count" {
  type    = "UInt64"
  codec   = "Delta(8), ZSTD(1)"
  comment = "How many values were measured"
}

column "Sum" {
  type    = "Float64"
  codec   = "ZSTD(1)"
  comment = "Sum of the values"
}

column "ValueAtQuantiles" {
  type    = "Nested(Quantile Float64, Value Float64)"
  codec   = "ZSTD(1)"
  comment = "Values at quantiles, as the source computed them"
}

engine       = "MergeTree"
partition_by = "toDate(TimeUnix)"
order_by     = ["ServiceName", "MetricName", "Attributes", "toUnixTimestamp64Nano(TimeUnix)"]
ttl          = "toDateTime(TimeUnix) + INTERVAL ${var.telemetry_retention_days.metrics} DAY"
settings     = local.whole_parts
comment      = "OpenTelemetry summaries: quantiles computed by the source"
