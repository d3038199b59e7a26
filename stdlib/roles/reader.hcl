# Whoever looks: people with a query console, dashboards, alerts.
grant {
  privileges = ["SELECT", "SHOW", "dictGet"]
  on         = ["dfe.*", "otel.*"]
}
