# The ledger. A row is written at once after an object was applied, refused or found unchanged for the first time, and
# is never changed: the newest row of an object is its state, and all rows are its history. Columns are only ever
# added, each with a default, so that two releases of the engine can write side by side.

column "scope" {
  type    = "LowCardinality(String)"
  comment = "Which part of the deployment declares the object: schema, overlay, source, tenant or publication"
}

column "kind" {
  type    = "LowCardinality(String)"
  comment = "Kind of the object in the manifest's words: database, table, view, ..."
}

column "name" {
  type    = "String"
  codec   = "ZSTD(1)"
  comment = "Name of the object, with its database where it has one"
}

column "recorded_at" {
  type    = "DateTime64(6, 'UTC')"
  default = "now64(6, 'UTC')"
  codec   = local.time_codec
  comment = "When the row was written, by the server's clock"
}

column "pass_id" {
  type    = "String"
  codec   = "ZSTD(1)"
  comment = "The pass that decided; also in the query ids and log comments of its statements"
}

column "sequence" {
  type    = "UInt32"
  comment = "Number of the row within its pass, in manifest order"
}

column "epoch" {
  type    = "UInt64"
  comment = "Epoch of the lease the pass held; 0 for bookkeeping created before there was a lease"
}

column "schema_release" {
  type    = "LowCardinality(String)"
  comment = "Schema release that declares the object"
}

column "engine_release" {
  type    = "LowCardinality(String)"
  comment = "Release of the engine that decided"
}

column "platform" {
  type    = "LowCardinality(String)"
  comment = "Platform the object was rendered for: self_hosted, cloud or embedded"
}

column "action" {
  type    = "LowCardinality(String)"
  comment = "What was decided: create, add-column, replace-view, refused, report, none, ..."
}

column "outcome" {
  type    = "LowCardinality(String)"
  comment = "What came of it: applied, unchanged, refused, failed, blocked, unresolved or unreadable"
}

column "checksum" {
  type    = "String"
  codec   = "ZSTD(1)"
  comment = "SHA-256 of the declared object's canonical rendering without the platform's part, in hex"
}

column "live_checksum" {
  type    = "String"
  codec   = "ZSTD(1)"
  comment = "The same of the object as read back from the server; status compares it with what is live now"
}

column "statement" {
  type    = "String"
  codec   = "ZSTD(3)"
  comment = "The statements sent, one after the other; every secret stands as its reference"
}

column "query_ids" {
  type    = "Array(String)"
  codec   = "ZSTD(1)"
  comment = "Query ids of the statements, to find them in the server's query log"
}

column "rules" {
  type    = "Array(LowCardinality(String))"
  codec   = "ZSTD(1)"
  comment = "Names of the rules that decided, one for each change"
}

column "decisions" {
  type    = "String"
  codec   = "ZSTD(3)"
  comment = "Every change with its path, rule, action and reason, refusals included, as a JSON document"
}

column "refused" {
  type    = "UInt32"
  comment = "How many changes were refused"
}

column "reported" {
  type    = "UInt32"
  comment = "How many findings were only reported"
}

column "value_hashes" {
  type    = "Map(LowCardinality(String), String)"
  codec   = "ZSTD(1)"
  comment = "Keyed HMAC of each hidden value by its path, to notice that a secret changed without knowing it"
}

column "member" {
  type    = "LowCardinality(String)"
  comment = "Server on which the object was read back"
}

column "uuid" {
  type    = "UUID"
  comment = "The object's UUID on that member; zero for an object without one"
}

column "metadata_modification_time" {
  type    = "DateTime('UTC')"
  comment = "When the object's definition last changed, by that member's clock, in whole seconds"
}

column "read_at" {
  type    = "DateTime64(3, 'UTC')"
  comment = "That member's clock when the object was read back; decides whether the next pass may skip reading it"
}

column "elapsed_ms" {
  type    = "UInt64"
  comment = "Time the statements took, in milliseconds"
}

column "error_code" {
  type    = "Int32"
  comment = "ClickHouse's error code where a statement failed, else 0"
}

column "error" {
  type    = "String"
  codec   = "ZSTD(3)"
  comment = "The server's own words where a statement failed"
}

engine   = "MergeTree"
order_by = ["scope", "kind", "name", "recorded_at", "pass_id", "sequence"]
comment  = "The ledger: what each pass decided and did, object by object, append-only"
