CREATE VIEW shop.revenue_by_day
AS SELECT
    toDate(ordered_at) AS day,
    count() AS orders,
    sum(amount) AS revenue
FROM shop.orders
GROUP BY day
COMMENT 'Orders and revenue of each day'
