column "viewed_at" {
  type    = "DateTime('UTC')"
  codec   = "DoubleDelta, ZSTD(1)"
  comment = "When the page was opened"
}

column "session" {
  type    = "UUID"
  comment = "The visit it belongs to"
}

column "path" {
  type    = "LowCardinality(String)"
  comment = "The page, without its query"
}

column "load_ms" {
  type    = "UInt32"
  codec   = "T64, ZSTD(1)"
  comment = "Time until the page was usable, in milliseconds"
}

engine       = "MergeTree"
partition_by = "toYYYYMM(viewed_at)"
order_by     = ["viewed_at", "path"]
ttl          = "viewed_at + INTERVAL ${var.retention_days} DAY"
settings     = { ttl_only_drop_parts = 1 }
comment      = "Page views, one row each"
