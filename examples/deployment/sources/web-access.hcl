# The access log of acme's web servers.
id           = "web-access"
organisation = "acme"
title        = "Access log of the web servers"
profile      = "timeseries"
keys         = ["host"]
ttl_days     = 30
partitions   = 6

column "host" {
  type    = "LowCardinality(String)"
  comment = "Host name that was asked for"
}

column "path" {
  type    = "String"
  codec   = "ZSTD(1)"
  comment = "Path that was asked for"
}

column "status" {
  type    = "UInt16"
  comment = "HTTP status of the answer"
}

index "idx_path" {
  expression  = "path"
  type        = "bloom_filter(0.01)"
  granularity = 4
}
