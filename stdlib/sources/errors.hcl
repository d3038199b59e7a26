query   = <<-SQL
  SELECT
      ${local.columns}
  FROM ${local.table}
  WHERE load_error != ''
SQL
comment = "Rows of the source ${var.source} that could not be read in full, and why"
