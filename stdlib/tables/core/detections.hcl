# A detection has a life: it is opened, assigned, closed. Each step is a new row with a larger version.
include = ["common-header/finding.hcl"]

column "detection_id" {
  type    = "UUID"
  comment = "Id of the detection, the same in all its versions"
}

column "status" {
  type    = "Enum8('open' = 1, 'assigned' = 2, 'closed' = 3, 'false_positive' = 4)"
  default = "'open'"
  comment = "Where the detection is in its life"
}

column "assignee" {
  type    = "LowCardinality(String)"
  default = "''"
  comment = "Who works on it"
}

column "tactics" {
  type    = "Array(LowCardinality(String))"
  comment = "Tactics of the adversary the rule stands for, by their published ids"
}

column "version" {
  type    = "UInt64"
  codec   = "Delta(8), ZSTD(1)"
  comment = "Grows with every change; the row with the largest is the detection as it is now"
}

index "idx_status" {
  expression  = "status"
  type        = "set(8)"
  granularity = 4
}

engine       = "ReplacingMergeTree(version)"
partition_by = "toYYYYMM(timestamp)"
order_by     = ["org_id", "timestamp", "detection_id"]
ttl          = "toDateTime(timestamp) + INTERVAL ${var.event_retention_days} DAY"
settings     = local.whole_parts
comment      = "Detections, the newest version of each"
