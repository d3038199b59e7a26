# The core schema release: what every deployment of dfe has. The list is in dependency order, and a pass walks it as
# it stands. Objects are only ever added to it, and columns to their definitions.
release    = "2026.11.0"
min_server = "25.8"

variable "event_retention_days" {
  type        = number
  default     = 90
  description = "How long events, hunt results and detections are kept, in days."

  validation {
    condition     = var.event_retention_days >= 1 && floor(var.event_retention_days) == var.event_retention_days
    error_message = "The retention of events is a whole number of days, at least 1."
  }
}

variable "telemetry_retention_days" {
  type = object({
    logs    = optional(number, 30)
    traces  = optional(number, 15)
    metrics = optional(number, 60)
  })
  default     = {}
  description = "How long OpenTelemetry signals are kept, in days, for each signal."
}

locals {
  # Keys repeat in every row of an attribute map; values do not.
  attributes = "Map(LowCardinality(String), String)"

  # Nanoseconds since the epoch grow steadily within a part, so that their differences compress and they do not.
  time_codec = "Delta(8), ZSTD(1)"

  # A part holds one day, so that an expired one is dropped as a whole and never rewritten.
  whole_parts = {
    index_granularity   = 8192
    ttl_only_drop_parts = 1
  }

  metrics = {
    gauge                 = "tables/otel/metrics_gauge.hcl"
    sum                   = "tables/otel/metrics_sum.hcl"
    histogram             = "tables/otel/metrics_histogram.hcl"
    exponential_histogram = "tables/otel/metrics_exponential_histogram.hcl"
    summary               = "tables/otel/metrics_summary.hcl"
  }
}

# The engine's own bookkeeping comes first: the lease and the ledger exist before anything else is decided.
database "dfe" {
  comment = "The schema controller's bookkeeping, and the core tables of the deployment"
}

table "dfe.schema_lock" {
  from = "tables/internal/schema_lock.hcl"
}

table "dfe.schema_migrations" {
  from = "tables/internal/schema_migrations.hcl"
}

view "dfe.lease_holder" {
  from = "views/lease_holder.sql"
}

view "dfe.schema_objects" {
  from = "views/schema_objects.sql"
}

view "dfe.schema_refusals" {
  from = "views/schema_refusals.sql"
}

# Registries: small tables of what is known, read by everything else.
table "dfe.source_registry" {
  from = "registries/source_registry.hcl"
}

table "dfe.rule_registry" {
  from = "registries/rule_registry.hcl"
}

# Events, and what is found in them.
table "dfe.events" {
  from = "tables/core/events.hcl"
}

table "dfe.hunts" {
  from = "tables/core/hunts.hcl"
}

table "dfe.detections" {
  from = "tables/core/detections.hcl"
}

table "dfe.ingest_volume" {
  from = "tables/meta/ingest_volume.hcl"
}

view "dfe.open_detections" {
  from = "views/open_detections.sql"
}

view "dfe.source_health" {
  from = "views/source_health.sql"
}

# OpenTelemetry, in the tables the collector's ClickHouse exporter writes: its names, so that it needs no mapping.
# Run the exporter with create_schema: false.
database "otel" {
  comment = "OpenTelemetry logs, traces and metrics, as the collector's ClickHouse exporter writes them"
}

# dfe:ignore DFE237 the exporter sends nanoseconds since the epoch, and its own tables have no zone either
table "otel.otel_logs" {
  from = "tables/otel/logs.hcl"
}

# dfe:ignore DFE237 the exporter sends nanoseconds since the epoch, and its own tables have no zone either
table "otel.otel_traces" {
  from = "tables/otel/traces.hcl"
}

# dfe:ignore DFE237 the exporter sends nanoseconds since the epoch, and its own tables have no zone either
table "otel.otel_metrics" {
  for_each = local.metrics
  name     = "otel.otel_metrics_${each.key}"
  from     = each.value
}

view "otel.service_errors" {
  from = "views/service_errors.hcl"
}

# Who may do what. A deployment grants these roles to its own users, in its overlay.
role "dfe_reader" {
  from = "roles/reader.hcl"
}

role "dfe_writer" {
  from = "roles/writer.hcl"
}

# The bus. A deployment without brokers has none of these topics, and needs none.
topic "dfe_landing" {
  from = "topics/landing.hcl"
}

topic "dfe_load" {
  from = "topics/load.hcl"
}

topic "dfe_dead_letter" {
  from = "topics/dead_letter.hcl"
}

topic "dfe_control" {
  from = "topics/control.hcl"
}
