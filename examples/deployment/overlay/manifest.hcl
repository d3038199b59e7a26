# What this deployment has besides the core release. The overlay sees the core's tables, its views, its headers and its
# variables, and changes none of them.
release = "1.0.0"

database "site" {
  comment = "What this deployment has besides the core release"
}

table "site.badge_events" {
  from = "site/badge_events.hcl"
}

view "site.badge_events_by_door" {
  from = "site/badge_events_by_door.sql"
}

view "site.late_sources" {
  from = "site/late_sources.sql"
}
