# The header is the core's, and so is how long events are kept.
include = ["common-header/event.hcl"]

column "door" {
  type    = "LowCardinality(String)"
  comment = "Door the badge was held to"
}

column "badge" {
  type    = "String"
  codec   = "ZSTD(1)"
  comment = "Number of the badge"
}

column "granted" {
  type    = "Bool"
  comment = "Whether the door opened"
}

engine       = "MergeTree"
partition_by = "toYYYYMMDD(timestamp)"
order_by     = ["org_id", "door", "timestamp"]
ttl          = "toDateTime(timestamp) + INTERVAL ${var.event_retention_days} DAY"
settings     = { ttl_only_drop_parts = 1 }
comment      = "Who held which badge to which door"
