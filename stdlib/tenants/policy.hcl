filter = "org_id IN (${join(", ", [for id in var.tenants[each.value.tenant].organisations : quote(id)])})"
to     = [each.value.tenant]
