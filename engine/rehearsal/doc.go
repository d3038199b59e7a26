// Package rehearsal plays a plan on a throw-away ClickHouse, the stage, before anything is sent to the server it was made
// for. In go the live definitions, without data, and the plan; what the engine answers to each statement is written into
// the plan document.
//
// Created on the stage first are the live objects that the plan's statements are about, what those refer to and what
// refers to them. One server without Keeper cannot have all of them as they are:
//
//   - Replicated and Shared engines and databases are plain, and for the comparison they wear their engine again.
//   - What would reach out of the process is never created: tables of Kafka, S3, PostgreSQL and the like, dictionaries
//     with such sources, KeeperMap. A table with the same columns stands in for one, so that what reads it can be
//     rehearsed; statements about it cannot.
//   - Storage policies, disks and users of the server are not there: a table is on the default disk, its TTL moves
//     nothing, a view has no definer.
//   - What the engine refuses nevertheless is attached as a server attaches it when it starts, else stood in for.
//
// What is not there as it is on the server is named, and a statement about it is reported as not rehearsed, never as
// passed. No data means that what a statement does to rows, and how long it takes, is not shown. The package writes to
// the stage alone and drops nothing there: whoever made the stage throws it away.
package rehearsal
