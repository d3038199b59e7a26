# What every data source has: its table, in one of three profiles, and its standard views. It is rendered for one source
# at a time, over the core release, by package engine/sources, which makes the variables out of the source's config and
# reads its columns and indexes from config.hcl. Objects are only ever added, and columns to the profiles.
release = "2026.11.0"

variable "organisation" {
  type        = string
  description = "Id of the organisation, as its operator writes it."
}

variable "source" {
  type        = string
  description = "Id of the source, as its operator writes it."
}

variable "database" {
  type        = string
  description = "Name of the organisation's database, made out of its id."
}

variable "table" {
  type        = string
  description = "Name of the source's table, made out of its id."
}

variable "profile" {
  type = string

  validation {
    condition     = contains(["minimal", "timeseries", "passthrough"], var.profile)
    error_message = "The profile of a source is minimal, timeseries or passthrough."
  }
}

variable "columns" {
  type        = list(string)
  description = "Columns of the table, those of the profile first."
}

variable "keys" {
  type        = list(string)
  description = "Columns that tell rows apart."
}

variable "ttl_days" {
  type        = number
  default     = 0
  description = "How long rows are kept, in days; 0 for ever."
}

variable "views" {
  type        = set(string)
  description = "The standard views the source has."

  validation {
    condition     = length(setsubtract(var.views, ["latest", "errors", "daily_volume"])) == 0
    error_message = "The standard views are latest, errors and daily_volume."
  }
}

variable "topic" {
  type        = string
  description = "What the names of the source's topics begin with, made out of both ids."
}

variable "partitions" {
  type        = number
  default     = 3
  description = "Partitions of each topic. A pass never adds any later."
}

variable "comment" {
  type        = string
  description = "What the source is, for people."
}

locals {
  table = "${ident(var.database)}.${ident(var.table)}"

  # A view lists its columns: one that says * would not show a column that is added to its table.
  columns = join(",\n    ", [for c in var.columns : ident(c)])
  keys    = [for k in var.keys : ident(k)]

  views = {
    latest       = "latest.hcl"
    errors       = "errors.hcl"
    daily_volume = "daily_volume.hcl"
  }
}

# Every source of an organisation has its table here.
database "organisation" {
  name    = ident(var.database)
  comment = "Data sources of the organisation ${var.organisation}"
}

table "source" {
  name = local.table
  from = "${var.profile}.hcl"
}

view "standard" {
  for_each = { for name, file in local.views : name => file if contains(var.views, name) }
  name     = "${ident(var.database)}.${ident("${var.table}__${each.key}")}"
  from     = each.value
}

# What arrives, and what is loaded from. A deployment without brokers has none of these topics.
topic "land" {
  name = "${var.topic}_land"
  from = "land.hcl"
}

topic "load" {
  name = "${var.topic}_load"
  from = "load.hcl"
}
