# A table of records as they arrived. The operator's columns, where there are any, are made of them.
include = ["passthrough_columns.hcl", "config.hcl"]

engine       = "MergeTree"
order_by     = concat(local.keys, contains(var.keys, "ingested_at") ? [] : ["ingested_at"])
partition_by = "toYYYYMMDD(ingested_at)"
ttl          = var.ttl_days > 0 ? ["toDateTime(ingested_at) + INTERVAL ${var.ttl_days} DAY DELETE"] : []
settings     = { ttl_only_drop_parts = 1 }
comment      = var.comment
