CREATE VIEW dfe.source_health
AS SELECT
    s.source AS source,
    s.org_id AS org_id,
    s.title AS title,
    v.rows_last_day AS rows_last_day,
    v.rejected_last_day AS rejected_last_day,
    v.newest_event AS newest_event,
    (s.expected_every > 0) AND (v.newest_event < (now() - toIntervalSecond(s.expected_every))) AS late
FROM dfe.source_registry AS s
FINAL
LEFT JOIN
(
    SELECT
        source,
        sum(rows) AS rows_last_day,
        sum(rejected) AS rejected_last_day,
        max(last_event) AS newest_event
    FROM dfe.ingest_volume
    WHERE hour >= (now() - toIntervalDay(1))
    GROUP BY source
) AS v ON v.source = s.source
WHERE s.removed = 0
COMMENT 'What each source delivered in the last day, and whether it is late'
