include = ["common-header/event.hcl"]

column "category" {
  type    = "LowCardinality(String)"
  default = "''"
  comment = "Kind of the event in the source's taxonomy: process, network, auth, ..."
}

column "message" {
  type    = "String"
  default = "''"
  codec   = "ZSTD(3)"
  comment = "The event in words, where the source has some"
}

column "body" {
  type    = "JSON(max_dynamic_paths = 256, source_ip String, destination_ip String, process.name LowCardinality(String))"
  codec   = "ZSTD(3)"
  comment = "The event as it arrived, with the fields that every source has typed"
}

column "raw_bytes" {
  type    = "UInt32"
  default = 0
  codec   = "T64, ZSTD(1)"
  comment = "Size of the event as it arrived, in bytes"
}

index "idx_message" {
  expression  = "message"
  type        = "tokenbf_v1(32768, 3, 0)"
  granularity = 8
}

engine       = "MergeTree"
partition_by = "toYYYYMMDD(timestamp)"
primary_key  = ["org_id", "source", "toStartOfHour(timestamp)"]
order_by     = ["org_id", "source", "toStartOfHour(timestamp)", "category", "timestamp"]
ttl          = "toDateTime(timestamp) + INTERVAL ${var.event_retention_days} DAY"
settings     = local.whole_parts
comment      = "Events of every source, one row each"
