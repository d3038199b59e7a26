CREATE VIEW shop.revenue_by_day
AS SELECT
    toDate(ordered_at) AS day,
    country,
    count() AS orders,
    sum(amount) AS revenue
FROM shop.orders
GROUP BY
    day,
    country
COMMENT 'Orders and revenue of each day and country'
