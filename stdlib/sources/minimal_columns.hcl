# What a row of every profile has.

column "ingested_at" {
  type    = "DateTime64(3, 'UTC')"
  default = "now64(3, 'UTC')"
  codec   = "Delta(8), ZSTD(1)"
  comment = "When the row arrived here, by the server's clock"
}

column "load_error" {
  type    = "LowCardinality(String)"
  default = "''"
  comment = "What the loader could not make of the record; empty for a good row"
}
