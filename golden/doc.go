// Package golden holds the cases in which a reviewer sees what the release does: golden/KIND/NAME.txtar is one
// difference between what is live and what is declared, with the decision on each change and the statements that would
// be sent. rules.txt prints every rule of the release, each on a line of its own.
//
// A case is a txtar archive whose comment says what it shows. Its sections:
//
//	platform     self_hosted, cloud or embedded
//	options      one a line, optional: allow_drift; accept_loss = db.table.column; recorded = SCOPE [columns];
//	             ledger (every record was looked up); unknown_setting = NAME; inlined = OBJECTS (into which a
//	             function's old body was copied); no_engine = REASON (why the case is not run in a real engine);
//	             brokers = NUMBER (that are live); tiered_storage; max_message_bytes = NUMBER; broker_default =
//	             TOPIC NAME VALUE (of a configuration that the live topic leaves to its broker); live_definitions
//	             (the live topics are another tree's, not a cluster's answer)
//	desired.sql  the definitions; or a schema tree, whose files are sections: desired/manifest.hcl and what it names
//	live.sql     what the server has; empty for nothing; or, of topics, a schema tree: live/manifest.hcl and what it names
//	decisions    the plan as people read it, without its statements
//	statements   what would be sent, in order; empty for nothing
//
// `go test ./golden -update` rewrites the last two, and rules.txt; the change is then read in review.
package golden
