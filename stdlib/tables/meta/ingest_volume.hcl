# Loaders write one row for each source and batch; merges add them up to one for each source and hour.

column "hour" {
  type    = "DateTime('UTC')"
  codec   = "DoubleDelta, ZSTD(1)"
  comment = "Start of the hour the rows arrived in"
}

column "org_id" {
  type    = "LowCardinality(String)"
  comment = "Organisation the rows belong to"
}

column "source" {
  type    = "LowCardinality(String)"
  comment = "Id of the data source in dfe.source_registry"
}

column "rows" {
  type    = "UInt64"
  codec   = "T64, ZSTD(1)"
  comment = "Rows that arrived"
}

column "bytes" {
  type    = "UInt64"
  codec   = "T64, ZSTD(1)"
  comment = "Size of these rows as they arrived, in bytes"
}

column "rejected" {
  type    = "UInt64"
  codec   = "T64, ZSTD(1)"
  comment = "Rows that could not be loaded and went to the dead letter topic"
}

column "last_event" {
  type    = "SimpleAggregateFunction(max, DateTime64(6, 'UTC'))"
  comment = "Time of the newest event among them"
}

engine       = "SummingMergeTree((rows, bytes, rejected))"
partition_by = "toYYYYMM(hour)"
order_by     = ["org_id", "source", "hour"]
ttl          = "hour + INTERVAL 400 DAY"
settings     = local.whole_parts
comment      = "How much each source delivered, by hour"
