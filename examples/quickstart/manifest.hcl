# A small shop. Copy this directory to start a schema of your own.
release = "1.0.0"

variable "retention_days" {
  type        = number
  default     = 365
  description = "How long page views are kept, in days."
}

database "shop" {
  comment = "A small shop"
}

table "shop.orders" {
  from = "tables/orders.hcl"
}

table "shop.page_views" {
  from = "tables/page_views.hcl"
}

view "shop.revenue_by_day" {
  from = "reports/revenue_by_day.sql"
}

view "shop.top_pages" {
  from = "reports/top_pages.sql"
}
