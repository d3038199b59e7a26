# The newest row of each key; of a source without keys the newest thousand.
query   = <<-SQL
  SELECT
      ${local.columns}
  FROM ${local.table}
  ORDER BY ${var.profile == "timeseries" ? "timestamp" : "ingested_at"} DESC
  LIMIT ${length(local.keys) == 0 ? "1000" : "1 BY ${join(", ", local.keys)}"}
SQL
comment = "The newest row of each key of the source ${var.source}"
