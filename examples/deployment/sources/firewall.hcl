# What globex's firewall sends, kept as it arrives.
id           = "firewall"
organisation = "globex"
title        = "Firewall, as syslog"
profile      = "passthrough"
ttl_days     = 7
views        = ["errors", "daily_volume"]

column "action" {
  type         = "LowCardinality(String)"
  materialized = "extract(raw, 'action=(\\w+)')"
  comment      = "What the firewall did, out of the record"
}
