# A table of what the operator declares, sorted by its keys.
include = ["minimal_columns.hcl", "config.hcl"]

engine       = "MergeTree"
order_by     = concat(local.keys, contains(var.keys, "ingested_at") ? [] : ["ingested_at"])
partition_by = "toYYYYMM(ingested_at)"
# dfe:ignore DFE222 a month of such a source is little to rewrite, and days would be many small parts
ttl     = var.ttl_days > 0 ? ["toDateTime(ingested_at) + INTERVAL ${var.ttl_days} DAY DELETE"] : []
comment = var.comment
