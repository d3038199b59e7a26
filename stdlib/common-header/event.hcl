# What every row about an event has, whatever was found in it: when, whose, where from, which.

column "timestamp" {
  type    = "DateTime64(6, 'UTC')"
  codec   = "DoubleDelta, ZSTD(1)"
  comment = "When it happened, by the source's clock"
}

column "ingested_at" {
  type    = "DateTime64(3, 'UTC')"
  default = "now64(3, 'UTC')"
  codec   = "DoubleDelta, ZSTD(1)"
  comment = "When the row arrived here, by the server's clock"
}

column "org_id" {
  type    = "LowCardinality(String)"
  comment = "Organisation the row belongs to; row policies filter by it"
}

column "source" {
  type    = "LowCardinality(String)"
  comment = "Id of the data source in dfe.source_registry"
}

column "event_id" {
  type    = "UUID"
  default = "generateUUIDv7()"
  comment = "Id of the event, unique across sources and sorted by time"
}

column "host" {
  type    = "LowCardinality(String)"
  default = "''"
  codec   = "ZSTD(1)"
  comment = "Host the event happened on"
}

column "user" {
  type    = "String"
  default = "''"
  codec   = "ZSTD(1)"
  comment = "User who acted, as the source names them"
}

column "severity" {
  type    = "Enum8('unknown' = 0, 'info' = 1, 'low' = 2, 'medium' = 3, 'high' = 4, 'critical' = 5)"
  default = "'unknown'"
  comment = "How serious it is"
}

index "idx_event_id" {
  expression  = "event_id"
  type        = "bloom_filter(0.001)"
  granularity = 1
}

index "idx_user" {
  expression  = "user"
  type        = "bloom_filter(0.01)"
  granularity = 4
}
