# What a hunt's result and a detection share beyond the event they are about.
include = ["common-header/event.hcl"]

column "rule_id" {
  type    = "LowCardinality(String)"
  comment = "Id of the rule in dfe.rule_registry"
}

column "rule_version" {
  type    = "UInt32"
  default = 1
  comment = "Version of the rule that matched"
}

column "score" {
  type    = "Float32"
  default = 0
  codec   = "ZSTD(1)"
  comment = "Confidence of the match, from 0 to 1"
}

column "evidence" {
  type    = "JSON(max_dynamic_paths = 64)"
  codec   = "ZSTD(3)"
  comment = "The fields that made the rule match"
}

column "related_events" {
  type    = "Array(UUID)"
  codec   = "ZSTD(1)"
  comment = "Further events the finding rests on"
}

constraint "score_is_a_probability" {
  check = "score >= 0 AND score <= 1"
}
