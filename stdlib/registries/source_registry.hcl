column "source" {
  type    = "String"
  comment = "Id of the data source"
}

column "org_id" {
  type    = "LowCardinality(String)"
  comment = "Organisation that owns the source"
}

column "profile" {
  type    = "Enum8('minimal' = 1, 'timeseries' = 2, 'passthrough' = 3)"
  comment = "Which standard table the source has"
}

column "title" {
  type    = "String"
  default = "''"
  comment = "Name of the source for people"
}

column "expected_every" {
  type    = "UInt32"
  default = 3600
  comment = "A source that delivers nothing for so long is late, in seconds; 0 for one that delivers when it likes"
}

column "labels" {
  type    = "Map(LowCardinality(String), String)"
  comment = "What the operator wants to remember about the source"
}

column "removed" {
  type    = "UInt8"
  default = 0
  comment = "1 once the source was taken out of the configuration; the row stays to explain old data"
}

column "updated_at" {
  type    = "DateTime64(3, 'UTC')"
  default = "now64(3, 'UTC')"
  comment = "When this version of the row was written; the newest counts"
}

engine   = "ReplacingMergeTree(updated_at)"
order_by = "source"
comment  = "Registry of the deployment's data sources"
