// Package tenants makes the access objects of a deployment's tenants out of what its operator writes, in HCL or JSON:
//
//	tier "small" {
//	  hour = { queries = 1000, read_rows = 1e9 }
//	}
//	organisation "acme" {
//	  tier        = "small"
//	  secret_file = "/run/secrets/acme"
//	}
//	group "soc" {
//	  tier          = "small"
//	  organisations = ["acme", "globex"]
//	  secret_env    = "SOC_PASSWORD"
//	}
//
// A config goes in, an [engine.Part] comes out. An organisation is a user that may read its own database and its own rows
// of the tables that organisations share; a group is one that may read what several organisations may. A tier is the limits
// of the quota that each of its users has. The definitions are those of stdlib/tenants, a schema tree like any other, with the config's
// values as its variables. Every object is asserted again each time. One of a tenant that the config names no more is
// reported and never dropped. Names are made of ids by package lang/ident.
//
// Tables are shared by the organisations where the core release gives them a column org_id. A config holds no password:
// it names the environment variable or the file, on the machine that applies it, that one comes from.
package tenants
