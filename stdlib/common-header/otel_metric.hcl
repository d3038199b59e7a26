# What every data point of a metric has, whatever its kind.
include = ["common-header/otel_resource.hcl"]

column "ScopeDroppedAttrCount" {
  type    = "UInt32"
  codec   = "ZSTD(1)"
  comment = "Attributes of the scope that were dropped by limits"
}

column "MetricName" {
  type    = "LowCardinality(String)"
  codec   = "ZSTD(1)"
  comment = "Name of the metric"
}

column "MetricDescription" {
  type    = "LowCardinality(String)"
  codec   = "ZSTD(1)"
  comment = "What the metric measures, in words"
}

column "MetricUnit" {
  type    = "LowCardinality(String)"
  codec   = "ZSTD(1)"
  comment = "Unit of the values, in UCUM"
}

column "Attributes" {
  type    = local.attributes
  codec   = "ZSTD(1)"
  comment = "Attributes of the data point: together with the name they are the time series"
}

column "StartTimeUnix" {
  type    = "DateTime64(9)"
  codec   = local.time_codec
  comment = "Start of the time the value is about"
}

column "TimeUnix" {
  type    = "DateTime64(9)"
  codec   = local.time_codec
  comment = "Time of the data point"
}

column "Flags" {
  type    = "UInt32"
  codec   = "ZSTD(1)"
  comment = "Flags of the data point; bit 0 says that there is no recorded value"
}

index "idx_attr_key" {
  expression  = "mapKeys(Attributes)"
  type        = "bloom_filter(0.01)"
  granularity = 1
}

index "idx_attr_value" {
  expression  = "mapValues(Attributes)"
  type        = "bloom_filter(0.01)"
  granularity = 1
}
