# All of the tenant's own databases. A right that somebody gives the role by hand is taken away again.
exclusive = true

grant {
  privileges = ["SELECT"]
  on         = [for d in each.value.databases : "${ident(d)}.*"]
}
