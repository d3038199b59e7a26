CREATE VIEW site.late_sources
AS SELECT
    source,
    org_id,
    newest_event
FROM dfe.source_health
WHERE late
COMMENT 'Sources that have delivered nothing for longer than they should'
