-- What an operator has to look at: objects whose newest record has a refusal.
CREATE VIEW dfe.schema_refusals
AS SELECT
    scope,
    kind,
    name,
    pass_id,
    schema_release,
    refused,
    decisions,
    recorded_at
FROM
(
    SELECT
        scope,
        kind,
        name,
        pass_id,
        schema_release,
        refused,
        decisions,
        recorded_at
    FROM dfe.schema_migrations
    ORDER BY
        recorded_at DESC,
        sequence DESC
    LIMIT 1 BY
        scope,
        kind,
        name
)
WHERE refused > 0
COMMENT 'Objects whose newest record has a refused change'
