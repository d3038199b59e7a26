# A table of what happened when. A part holds one day, so that an expired one is dropped as a whole.
include = ["timeseries_columns.hcl", "config.hcl"]

engine       = "MergeTree"
order_by     = concat(local.keys, contains(var.keys, "timestamp") ? [] : ["timestamp"])
partition_by = "toYYYYMMDD(timestamp)"
ttl          = var.ttl_days > 0 ? ["toDateTime(timestamp) + INTERVAL ${var.ttl_days} DAY DELETE"] : []
settings     = { ttl_only_drop_parts = 1 }
comment      = var.comment
