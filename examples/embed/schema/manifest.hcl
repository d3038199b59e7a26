# The schema of this program, compiled into it. The engine's bookkeeping comes with the engine.
release = "1.0.0"

database "visits" {}

table "visits.raw" {
  from = "raw.hcl"
}

table "visits.by_page" {
  from = "by_page.hcl"
}

materialized_view "visits.count" {
  from = "count.sql"
}
