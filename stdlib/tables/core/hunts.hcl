# A hunt looks back over stored events; a result is written once and never again.
include = ["common-header/finding.hcl"]
drop    = ["score", "score_is_a_probability"]

column "hunt_id" {
  type    = "UUID"
  comment = "The run of the hunt that found it"
}

column "hunter" {
  type    = "LowCardinality(String)"
  comment = "Who started the hunt"
}

column "window_start" {
  type    = "DateTime('UTC')"
  comment = "Start of the time the hunt looked at"
}

column "window_end" {
  type    = "DateTime('UTC')"
  comment = "End of the time the hunt looked at, exclusive"
}

constraint "window_is_not_empty" {
  check = "window_start < window_end"
}

engine       = "MergeTree"
partition_by = "toYYYYMM(timestamp)"
order_by     = ["org_id", "hunt_id", "timestamp"]
ttl          = "toDateTime(timestamp) + INTERVAL ${var.event_retention_days} DAY"
settings     = local.whole_parts
comment      = "Results of hunts over stored events"
