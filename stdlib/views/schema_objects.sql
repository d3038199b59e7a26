-- The state of every object: the newest row the ledger has about it.
CREATE VIEW dfe.schema_objects
AS SELECT
    scope,
    kind,
    name,
    argMax(schema_release, (recorded_at, sequence)) AS schema_release,
    argMax(engine_release, (recorded_at, sequence)) AS engine_release,
    argMax(action, (recorded_at, sequence)) AS last_action,
    argMax(outcome, (recorded_at, sequence)) AS last_outcome,
    argMax(checksum, (recorded_at, sequence)) AS checksum,
    argMax(live_checksum, (recorded_at, sequence)) AS live_checksum,
    argMax(error, (recorded_at, sequence)) AS error,
    max(recorded_at) AS last_recorded_at,
    count() AS records
FROM dfe.schema_migrations
GROUP BY
    scope,
    kind,
    name
COMMENT 'Every object the ledger knows, with what was last decided about it'
