column "order_id" {
  type    = "UInt64"
  comment = "Number of the order"
}

column "ordered_at" {
  type    = "DateTime('UTC')"
  comment = "When the order was placed"
}

column "customer" {
  type    = "String"
  comment = "Who ordered"
}

column "country" {
  type    = "LowCardinality(String)"
  comment = "Where the order is sent to, as a two-letter code"
}

column "amount" {
  type    = "Decimal(12, 2)"
  comment = "Total of the order, in euro"
}

# dfe:ignore DFE271 an order is written once; a retry repeats the same row, and either may stay
engine   = "ReplacingMergeTree"
order_by = ["ordered_at", "order_id"]
comment  = "Orders, one row each"
