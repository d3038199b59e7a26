# Whatever writes: collectors and the apps of a deployment. The schema controller's own tables (schema_lock,
# schema_migrations) are not among what it may write to.
roles = ["dfe_reader"]

grant {
  privileges = ["INSERT"]
  on = [
    "dfe.source_registry", "dfe.rule_registry", "dfe.events", "dfe.hunts", "dfe.detections", "dfe.ingest_volume", "otel.*",
  ]
}
