# Who a deployment's organisations and groups are on the server, and what each may read. It is rendered over the core
# release by package engine/tenants, which makes the variables out of the operator's config.
#
# The role of a tenant has the rights in its own databases, and none else: it may be given to people as well. Its own rows
# of the tables that organisations share are for its user alone, whom the row policies are for. They are made before the
# rights in those tables are granted, and one that fails keeps them from being granted: the user never sees others' rows.
release = "2026.11.0"

variable "databases" {
  type        = map(string)
  description = "Databases of the organisations: names, and the ids they are made of."
}

variable "tenants" {
  type = map(object({
    title         = string
    organisations = list(string)
    databases     = list(string)
    secret        = object({ source = string, name = string })
    limits        = map(map(number))
  }))
  description = "Organisations and groups by the name of their user: whose rows they may read, in which databases, where the password of the user comes from, and the limits of each length of time."
}

variable "shared" {
  type        = list(string)
  description = "Tables of the core release in which rows say their organisation, in a column org_id."
}

locals {
  policies = { for pair in setproduct(keys(var.tenants), var.shared) : "${pair[0]} ${pair[1]}" => { tenant = pair[0], table = pair[1] } }
}

database "organisation" {
  for_each = var.databases
  name     = ident(each.key)
  comment  = "Data sources of the organisation ${each.value}"
}

role "reader" {
  for_each = var.tenants
  name     = "${each.key}__reader"
  from     = "reader.hcl"
}

user "tenant" {
  for_each = var.tenants
  name     = each.key
  from     = "user_${each.value.secret.source}.hcl"
}

row_policy "own_rows" {
  for_each = local.policies
  name     = "${each.value.tenant} ON ${each.value.table}"
  from     = "policy.hcl"
}

grant "shared" {
  for_each = { for name, t in var.tenants : name => t if length(var.shared) > 0 }
  name     = "${each.key}__shared"
  from     = "shared.hcl"
}

# A quota is called after its user: another tier changes it, and a tenant that is taken out of the config keeps it.
quota "tier" {
  for_each = { for name, t in var.tenants : name => t if length(t.limits) > 0 }
  name     = each.key
  from     = "quota.hcl"
}
