// Package tree reads a schema tree: a manifest that lists every object of a deployment in dependency order, and one
// definition file for each. It is the language of DESIGN.md section 4.
//
// [Load] takes a file system and returns the tree and every fault in it, each an HCL diagnostic with its place, its
// reason and its remedy. A fault inside a string, a heredoc, a template or a .sql file stands at the very character of
// that file. Structure is checked before anything uses it, and an object with a fault hides what would only follow
// from it. Nothing is asked of a server, no path leaves the tree, and all inputs have limits. The objects are as
// written: the canonical form is made later, by package canon. [Render] is the way back, an object as a definition.
//
// # An overlay
//
// A tree that is laid over another ([Options.Base]) sees what that declares, its variables, and the files it shares in
// common-header/, which see their own locals. An object of it that has a name of the tree below, lies in a directory that
// the tree below has files in, or names a file outside of its own tree is refused ([Tree.Refused]), and so is what uses
// one; the others are its objects. Each refusal is among the faults too.
//
// # The manifest
//
// manifest.hcl at the root of the tree has
//
//   - release, and min_server where the release needs one: versions, numbers with dots;
//   - variable blocks: type (an HCL type constraint, optional() included), default, description, validation blocks;
//   - locals blocks;
//   - one block for each object, in dependency order, labelled with its name: database.name, a part that holds a dot in
//     backticks. from names the definition file, by its path from the root; a database is defined in its block. for_each
//     takes a map or a set of texts and makes an object for each element; name is then the object's name.
//
// An expression sees var, local, each.key and each.value, self.database and self.name, and the functions of
// functions.go: pure ones alone, so that one tree is one schema. quote(x) and ident(x) put a value into ClickHouse text.
//
// # Definitions
//
// A .sql definition is one plain CREATE statement of the declared kind and name; the database may be left out. IF NOT
// EXISTS and OR REPLACE are passed over. ON CLUSTER, a UUID, TEMPORARY and POPULATE are faults.
//
// A .hcl definition has the attributes and blocks of its kind. Values are ClickHouse text in quotes; a number or a bool
// stands for itself; a key or a TTL is one text or a list. Comments are plain text.
//
//	table              include, drop, engine, order_by, primary_key, partition_by, sample_by, unique_key, ttl, settings, comment;
//	                   column, index, projection, constraint
//	view               query, sql_security, definer, comment; column
//	materialized_view  to, or what a table has; query, sql_security, definer, comment; column, refresh
//	dictionary         primary_key, source, layout, lifetime, range, settings, comment; attribute
//	function           body
//	database           engine, settings, comment
//	role               settings, profiles, roles, admin_roles, exclusive; setting, grant, revoke
//	user               what a role has, and default_roles, default_database, grantees; authentication, hosts
//	settings_profile   settings, inherit, to; setting
//	quota              keyed_by, ipv4_prefix_bits, ipv6_prefix_bits, to; interval
//	row_policy         filter, restrictive, to
//	grant              to, roles, admin_roles; grant, revoke
//
//	column             type, default | materialized | alias | ephemeral, codec, statistics, ttl, settings, collation, comment
//	index              expression, type, granularity
//	projection         query | index and type, settings
//	constraint         check | assume
//	attribute          type, default, expression, hierarchical, bidirectional, injective, is_object_id
//	setting            value, min, max, writability
//	grant, revoke      privileges, on, grant_option
//	authentication     secret_env | secret_file, server, scheme, realm, common_names, subject_alt_names, valid_until
//	hosts              ip, name, regexp, like, local, any, none
//	interval           a limit of a quota each, randomized, tracking_only
//	refresh            [every | after], offset, randomize, depends_on, append, settings
//
// An included file has columns, indexes, projections and constraints, and may include further files; they come before
// the includer's own, and drop takes some of them out again. settings is { name = value }, or text where a value is no
// plain one.
//
// # A new kind
//
// A kind of object is one value of type kind, in a file of its own, listed in kinds(): its attributes and blocks, how a
// body becomes an object, how an object becomes a body. What it rests on is package deps' to say.
//
// # Stability
//
// The language is stable: what a tree says today it says in every later release, and words are only added. Of the Go side
// [Load], [LoadDir], [Options], [Tree], [Declared] and [Render] are stable.
package tree
