# Exemplars: single measurements kept beside an aggregate, with the span they were made in.

column "Exemplars" {
  type    = "Nested(FilteredAttributes ${local.attributes}, TimeUnix DateTime64(9), Value Float64, SpanId String, TraceId String)"
  codec   = "ZSTD(1)"
  comment = "Single measurements that stand for the data point"
}
