# The limits of the tenant's tier. One that the operator does not state is not there.
keyed_by = ["user_name"]
to       = [each.key]

interval "1 minute" {
  queries                           = try(each.value.limits.minute.queries, null)
  query_selects                     = try(each.value.limits.minute.query_selects, null)
  query_inserts                     = try(each.value.limits.minute.query_inserts, null)
  errors                            = try(each.value.limits.minute.errors, null)
  result_rows                       = try(each.value.limits.minute.result_rows, null)
  result_bytes                      = try(each.value.limits.minute.result_bytes, null)
  read_rows                         = try(each.value.limits.minute.read_rows, null)
  read_bytes                        = try(each.value.limits.minute.read_bytes, null)
  written_bytes                     = try(each.value.limits.minute.written_bytes, null)
  execution_time                    = try(each.value.limits.minute.execution_time, null)
  failed_sequential_authentications = try(each.value.limits.minute.failed_sequential_authentications, null)
}

interval "1 hour" {
  queries                           = try(each.value.limits.hour.queries, null)
  query_selects                     = try(each.value.limits.hour.query_selects, null)
  query_inserts                     = try(each.value.limits.hour.query_inserts, null)
  errors                            = try(each.value.limits.hour.errors, null)
  result_rows                       = try(each.value.limits.hour.result_rows, null)
  result_bytes                      = try(each.value.limits.hour.result_bytes, null)
  read_rows                         = try(each.value.limits.hour.read_rows, null)
  read_bytes                        = try(each.value.limits.hour.read_bytes, null)
  written_bytes                     = try(each.value.limits.hour.written_bytes, null)
  execution_time                    = try(each.value.limits.hour.execution_time, null)
  failed_sequential_authentications = try(each.value.limits.hour.failed_sequential_authentications, null)
}

interval "1 day" {
  queries                           = try(each.value.limits.day.queries, null)
  query_selects                     = try(each.value.limits.day.query_selects, null)
  query_inserts                     = try(each.value.limits.day.query_inserts, null)
  errors                            = try(each.value.limits.day.errors, null)
  result_rows                       = try(each.value.limits.day.result_rows, null)
  result_bytes                      = try(each.value.limits.day.result_bytes, null)
  read_rows                         = try(each.value.limits.day.read_rows, null)
  read_bytes                        = try(each.value.limits.day.read_bytes, null)
  written_bytes                     = try(each.value.limits.day.written_bytes, null)
  execution_time                    = try(each.value.limits.day.execution_time, null)
  failed_sequential_authentications = try(each.value.limits.day.failed_sequential_authentications, null)
}

interval "1 month" {
  queries                           = try(each.value.limits.month.queries, null)
  query_selects                     = try(each.value.limits.month.query_selects, null)
  query_inserts                     = try(each.value.limits.month.query_inserts, null)
  errors                            = try(each.value.limits.month.errors, null)
  result_rows                       = try(each.value.limits.month.result_rows, null)
  result_bytes                      = try(each.value.limits.month.result_bytes, null)
  read_rows                         = try(each.value.limits.month.read_rows, null)
  read_bytes                        = try(each.value.limits.month.read_bytes, null)
  written_bytes                     = try(each.value.limits.month.written_bytes, null)
  execution_time                    = try(each.value.limits.month.execution_time, null)
  failed_sequential_authentications = try(each.value.limits.month.failed_sequential_authentications, null)
}
