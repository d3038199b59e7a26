include = ["common-header/otel_metric.hcl", "common-header/otel_exemplars.hcl"]

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

column "Min" {
  type    = "Float64"
  codec   = "ZSTD(1)"
  comment = "Smallest value"
}

column "Max" {
  type    = "Float64"
  codec   = "ZSTD(1)"
  comment = "Largest value"
}

column "BucketCounts" {
  type    = "Array(UInt64)"
  codec   = "ZSTD(1)"
  comment = "How many values fell into each bucket, one more than there are bounds"
}

column "ExplicitBounds" {
  type    = "Array(Float64)"
  codec   = "ZSTD(1)"
  comment = "Upper bounds of the buckets, each inclusive"
}

column "AggregationTemporality" {
  type    = "Int32"
  codec   = "ZSTD(1)"
  comment = "What a value adds up over: 1 since the last report (delta), 2 since the start (cumulative)"
}

engine       = "MergeTree"
partition_by = "toDate(TimeUnix)"
order_by     = ["ServiceName", "MetricName", "Attributes", "toUnixTimestamp64Nano(TimeUnix)"]
ttl          = "toDateTime(TimeUnix) + INTERVAL ${var.telemetry_retention_days.metrics} DAY"
settings     = local.whole_parts
comment      = "OpenTelemetry histograms with explicit buckets"
