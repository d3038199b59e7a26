# Statement texts of a view are templates, like every text of a definition.
query   = <<-SQL
  SELECT
      ServiceName,
      toStartOfInterval(Timestamp, INTERVAL 5 MINUTE) AS Interval,
      count() AS Spans,
      countIf(StatusCode = ${quote("Error")}) AS Errors,
      Errors / Spans AS ErrorRate,
      quantile(0.99)(Duration) / 1e6 AS P99Milliseconds
  FROM otel.otel_traces
  WHERE (SpanKind IN (${join(", ", [for kind in ["Server", "Consumer"] : quote(kind)])})) AND (Timestamp >= (now() - INTERVAL 1 DAY))
  GROUP BY
      ServiceName,
      Interval
SQL
comment = "Requests, errors and latency of each service over the last day, by five minutes"
