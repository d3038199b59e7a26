-- The newest claim of each scope. Whether it still stands only its observers can tell: an expiry is counted by each
-- from the moment it first saw the row, never by comparing clocks.
CREATE VIEW dfe.lease_holder
(
    `scope` LowCardinality(String),
    `epoch` UInt64,
    `claim_id` String,
    `owner` String,
    `last_action` String,
    `ttl_ms` UInt32,
    `last_row_at` DateTime64(3, 'UTC'),
    `schema_release` LowCardinality(String)
)
AS SELECT
    scope,
    epoch,
    claim_id,
    argMax(owner, sequence) AS owner,
    toString(argMax(action, sequence)) AS last_action,
    argMax(ttl_ms, sequence) AS ttl_ms,
    max(recorded_at) AS last_row_at,
    argMax(schema_release, sequence) AS schema_release
FROM dfe.schema_lock
GROUP BY
    scope,
    epoch,
    claim_id
ORDER BY
    scope ASC,
    epoch DESC,
    claim_id ASC
LIMIT 1 BY scope
COMMENT 'The newest claim of each lease, for people; the lease itself is decided by its observers'
