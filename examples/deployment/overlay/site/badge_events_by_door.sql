CREATE VIEW site.badge_events_by_door
AS SELECT
    door,
    toDate(timestamp) AS day,
    count() AS tries,
    countIf(NOT granted) AS denied
FROM site.badge_events
GROUP BY
    door,
    day
COMMENT 'How often each door was tried, and how often it stayed shut'
