column "page" {
  type = "LowCardinality(String)"
}
column "visits" {
  type = "UInt64"
}

engine   = "SummingMergeTree(visits)"
order_by = ["page"]
