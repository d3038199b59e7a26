column "rule_id" {
  type    = "String"
  comment = "Id of the rule"
}

column "version" {
  type    = "UInt32"
  comment = "Version of the rule; the largest is in force"
}

column "title" {
  type    = "String"
  comment = "What the rule finds, in one line"
}

column "severity" {
  type    = "Enum8('unknown' = 0, 'info' = 1, 'low' = 2, 'medium' = 3, 'high' = 4, 'critical' = 5)"
  default = "'unknown'"
  comment = "How serious a match is"
}

column "query" {
  type    = "String"
  codec   = "ZSTD(3)"
  comment = "What the rule asks of dfe.events"
}

column "enabled" {
  type    = "Bool"
  default = true
  comment = "Whether the rule runs"
}

column "updated_at" {
  type    = "DateTime64(3, 'UTC')"
  default = "now64(3, 'UTC')"
  comment = "When this version was written"
}

engine   = "ReplacingMergeTree(version)"
order_by = "rule_id"
comment  = "Registry of the rules that hunts and detections refer to"
