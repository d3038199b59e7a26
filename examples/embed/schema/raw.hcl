column "at" {
  type    = "DateTime"
  default = "now()"
}
column "page" {
  type = "LowCardinality(String)"
}
column "visitor" {
  type = "UInt64"
}

engine       = "MergeTree"
partition_by = "toYYYYMM(at)"
order_by     = ["page", "at"]
