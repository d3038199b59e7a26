CREATE VIEW dfe.open_detections
AS SELECT
    d.org_id AS org_id,
    d.detection_id AS detection_id,
    d.timestamp AS timestamp,
    d.severity AS severity,
    d.rule_id AS rule_id,
    r.title AS rule_title,
    d.host AS host,
    d.user AS user,
    d.score AS score,
    d.status AS status,
    d.assignee AS assignee
FROM dfe.detections AS d
FINAL
LEFT JOIN
(
    SELECT
        rule_id,
        argMax(title, version) AS title
    FROM dfe.rule_registry
    GROUP BY rule_id
) AS r ON r.rule_id = d.rule_id
WHERE d.status IN ('open', 'assigned')
COMMENT 'Detections somebody has to look at, with the title of their rule'
