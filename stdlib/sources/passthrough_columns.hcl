include = ["minimal_columns.hcl"]

column "raw" {
  type    = "String"
  codec   = "ZSTD(3)"
  comment = "The record as it arrived"
}

column "topic_partition" {
  type    = "UInt32"
  default = 0
  comment = "Partition of the load topic the record came from"
}

column "topic_offset" {
  type    = "UInt64"
  default = 0
  codec   = "Delta(8), ZSTD(1)"
  comment = "Offset of the record in that partition"
}
