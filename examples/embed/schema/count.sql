CREATE MATERIALIZED VIEW visits.count TO visits.by_page
AS SELECT
    page,
    count() AS visits
FROM visits.raw
GROUP BY page
