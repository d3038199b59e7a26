# The tables that organisations share, of which the row policies show the tenant its own rows.
to = [each.key]

grant {
  privileges = ["SELECT"]
  on         = var.shared
}
