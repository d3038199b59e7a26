# Where a signal comes from: the resource and the instrumentation scope, as every OpenTelemetry signal carries them.

column "ServiceName" {
  type    = "LowCardinality(String)"
  codec   = "ZSTD(1)"
  comment = "Name of the service, from the resource attribute service.name"
}

column "ResourceAttributes" {
  type    = local.attributes
  codec   = "ZSTD(1)"
  comment = "Attributes of the resource that sent the signal"
}

column "ResourceSchemaUrl" {
  type    = "LowCardinality(String)"
  codec   = "ZSTD(1)"
  comment = "Schema URL of the resource"
}

column "ScopeName" {
  type    = "LowCardinality(String)"
  codec   = "ZSTD(1)"
  comment = "Name of the instrumentation scope"
}

column "ScopeVersion" {
  type    = "LowCardinality(String)"
  codec   = "ZSTD(1)"
  comment = "Version of the instrumentation scope"
}

column "ScopeAttributes" {
  type    = local.attributes
  codec   = "ZSTD(1)"
  comment = "Attributes of the instrumentation scope"
}

column "ScopeSchemaUrl" {
  type    = "LowCardinality(String)"
  codec   = "ZSTD(1)"
  comment = "Schema URL of the instrumentation scope"
}

index "idx_res_attr_key" {
  expression  = "mapKeys(ResourceAttributes)"
  type        = "bloom_filter(0.01)"
  granularity = 1
}

index "idx_res_attr_value" {
  expression  = "mapValues(ResourceAttributes)"
  type        = "bloom_filter(0.01)"
  granularity = 1
}

index "idx_scope_attr_key" {
  expression  = "mapKeys(ScopeAttributes)"
  type        = "bloom_filter(0.01)"
  granularity = 1
}

index "idx_scope_attr_value" {
  expression  = "mapValues(ScopeAttributes)"
  type        = "bloom_filter(0.01)"
  granularity = 1
}
