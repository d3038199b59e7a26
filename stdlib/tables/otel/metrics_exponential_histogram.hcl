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

column "Scale" {
  type    = "Int32"
  codec   = "ZSTD(1)"
  comment = "Resolution: each bucket is 2^(2^-Scale) times as wide as the one before"
}

column "ZeroCount" {
  type    = "UInt64"
  codec   = "ZSTD(1)"
  comment = "How many values were zero or too near to it"
}

column "PositiveOffset" {
  type    = "Int32"
  codec   = "ZSTD(1)"
  comment = "Index of the first bucket of positive values"
}

column "PositiveBucketCounts" {
  type    = "Array(UInt64)"
  codec   = "ZSTD(1)"
  comment = "How many positive values fell into each bucket"
}

column "NegativeOffset" {
  type    = "Int32"
  codec   = "ZSTD(1)"
  comment = "Index of the first bucket of negative values"
}

column "NegativeBucketCounts" {
  type    = "Array(UInt64)"
  codec   = "ZSTD(1)"
  comment = "How many negative values fell into each bucket"
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
comment      = "OpenTelemetry histograms with exponential buckets"
