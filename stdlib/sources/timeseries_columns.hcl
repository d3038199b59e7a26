include = ["minimal_columns.hcl"]

column "timestamp" {
  type    = "DateTime64(6, 'UTC')"
  codec   = "DoubleDelta, ZSTD(1)"
  comment = "When it happened, by the source's clock"
}
