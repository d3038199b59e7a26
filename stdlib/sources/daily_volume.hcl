query   = <<-SQL
  SELECT
      toDate(ingested_at) AS day,
      count() AS rows,
      countIf(load_error != '') AS errors
  FROM ${local.table}
  GROUP BY day
SQL
comment = "How many rows of the source ${var.source} arrived on each day, and how many could not be read in full"
