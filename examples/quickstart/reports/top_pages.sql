CREATE VIEW shop.top_pages
AS SELECT
    path,
    count() AS views,
    uniq(session) AS visits,
    quantile(0.95)(load_ms) AS p95_load_ms
FROM shop.page_views
GROUP BY path
ORDER BY views DESC
LIMIT 100
COMMENT 'The hundred most viewed pages, and how fast they load'
