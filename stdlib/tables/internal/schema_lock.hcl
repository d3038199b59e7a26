# The lease of the schema pass. Rows are only ever added: a claim, its renewals, its release. Who holds the lease is
# worked out by each reader from the rows it sees; no row is ever updated and no two hosts' clocks are ever compared.

column "scope" {
  type    = "LowCardinality(String)"
  comment = "What the lease guards: schema, or a publication"
}

column "epoch" {
  type    = "UInt64"
  codec   = "Delta(8), ZSTD(1)"
  comment = "Grows with every claim of a scope; a later holder has a larger one"
}

column "claim_id" {
  type    = "String"
  codec   = "ZSTD(1)"
  comment = "Random id of the claim, new for each try; among claims that stand together the smallest wins"
}

column "sequence" {
  type    = "UInt64"
  codec   = "Delta(8), ZSTD(1)"
  comment = "Number of this row within its claim, from 0; makes every inserted block unique"
}

column "action" {
  type    = "Enum8('claim' = 1, 'renew' = 2, 'release' = 3)"
  comment = "What this row says about the claim"
}

column "owner" {
  type    = "String"
  codec   = "ZSTD(1)"
  comment = "Who claims: host, process and pod, for people to find it"
}

column "ttl_ms" {
  type    = "UInt32"
  comment = "How long the claim stands after this row was first seen, in milliseconds"
}

column "owner_time" {
  type    = "DateTime64(3, 'UTC')"
  codec   = local.time_codec
  comment = "The owner's own clock when it sent the row; shown, never compared with another clock"
}

column "recorded_at" {
  type    = "DateTime64(3, 'UTC')"
  default = "now64(3, 'UTC')"
  codec   = local.time_codec
  comment = "The server's clock when the row arrived; decides only when the row expires"
}

column "pass_id" {
  type    = "String"
  default = "''"
  codec   = "ZSTD(1)"
  comment = "The pass the claim was made for"
}

column "schema_release" {
  type    = "LowCardinality(String)"
  default = "''"
  comment = "Schema release the owner wants to apply"
}

column "engine_release" {
  type    = "LowCardinality(String)"
  default = "''"
  comment = "Release of the owner's engine"
}

engine   = "MergeTree"
order_by = ["scope", "epoch", "claim_id", "sequence"]
ttl      = "toDateTime(recorded_at) + INTERVAL 7 DAY"
comment  = "The lease of the schema pass: claims, renewals and releases, append-only"
