// Package sources makes the schema of one data source out of what its operator writes about it:
//
//	id           = "web-access"
//	organisation = "acme"
//	profile      = "timeseries"
//	keys         = ["host"]
//	ttl_days     = 30
//	views        = ["latest", "daily_volume"]
//
//	column "host" { type = "LowCardinality(String)" }
//
// A config goes in, an [engine.Part] comes out: the organisation's database, the table of the source in one of three
// profiles, and its standard views. The definitions are those of stdlib/sources, a schema tree like any other, that the
// loader of package lang/tree reads with the config's values as its variables and the config's columns and indexes as a
// file it includes. So what is true of every definition is true of these: no DDL is put together here.
//
// Every fault of a config is a diagnostic at its place in the config, found without a server. Names are made of ids by
// package lang/ident: the database is org_ and the organisation's, the table is the source's, a view is the table's with
// __ and its own.
package sources
