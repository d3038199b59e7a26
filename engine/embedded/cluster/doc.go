// Package cluster runs a cluster on one machine: several ClickHouse members, each a process with an engine of its own,
// around a real ZooKeeper, with faults on demand. It is the stage on which what concerns several replicas is tested and
// rehearsed. A program that starts clusters calls [Run] first, because the members are that program again.
//
// # What is the engine's own, and what is emulated
//
// Each member is a real engine (package embedded) behind a front end, which the members and the ZooKeeper make a cluster.
// The front end reads statements by their tokens; every expression, type, definition and row is the engine's work.
//
//	SQL, types, storage, merges, error texts        the engine
//	KeeperMap, named collections, SQL functions     the engine, with its own ZooKeeper session
//	macros, settings, grants as they are checked    the engine
//	Replicated databases                            emulated: a log in ZooKeeper that each member carries out in order; first
//	                                                the member that was asked, and where it fails there, nobody. Its nodes are
//	                                                named as a server's and hold other bytes. Entries are kept for good
//	ON CLUSTER, system.distributed_ddl_queue        emulated: a queue in ZooKeeper, host by host, with task_max_lifetime
//	distributed_ddl_output_mode, _task_timeout      emulated: who is waited for, the rows and the exceptions of the answer
//	Replicated*MergeTree, Shared*MergeTree          a plain table of the engine, shown as what it was declared to be in system.tables,
//	                                                SHOW CREATE, system.parts and system.replicas
//	rows of such a table                            emulated: blocks, ordered by a log in ZooKeeper, fetched from the member that has
//	                                                them; blocks are kept for good. Merges, TTL and OPTIMIZE are each member's own
//	insert_quorum, its time-out, 285, 286, 289, 319 emulated. Rows that wait for a non-parallel quorum are seen by no read, where a
//	                                                server shows them to reads that are not sequential
//	equal blocks, insert_deduplication_token        emulated: the whole INSERT is one block, remembered until TRUNCATE
//	async_insert                                    ignored: rows are taken at once; with a non-parallel quorum the server's error
//	select_sequential_consistency                   emulated, over the tables and views that the query names
//	DELETE, UPDATE, TRUNCATE, partitions            emulated: by the table's log; the statement returns when this member has done it,
//	                                                or after 120 s. Rows that are inserted after it wait for it, on each member
//	materialized views                              each member's engine feeds its own, from the same blocks. An INSERT whose view
//	                                                writes to a table that is not replicated is refused
//	clusterAllReplicas                              emulated: the members' rows are fetched and the engine here runs the query;
//	                                                a member that does not answer within 1 s is unavailable (279)
//	system.clusters, replicas, user_directories     the front end's rows
//	system.processes                                the engine's, and what waits in the front end
//	KILL QUERY                                      ends what the engine runs, not what waits in the front end
//	system.zookeeper                                by path = '...' or path IN (...)
//	hostName()                                      the member's name
//	access objects                                  emulated by package access; the members have them by a log in ZooKeeper, or, with
//	                                                AccessOutsideKeeper, each its own
//	Cloud                                           emulated: cloud_mode in system.settings; every database and every MergeTree is Shared
//	                                                by all members, who have one storage of blocks; a sequential read waits for the log
//
// # What is refused
//
// With NOT_IMPLEMENTED (48) and a sentence that names the stage, never answered wrongly: remote, cluster and the engine
// Distributed; functions of one host such as getMacro over clusterAllReplicas; information_schema and merge over the database
// system; the system tables of replication queues; views over the system tables above; DETACH, ATTACH, UNDROP, BACKUP; CREATE
// TABLE AS another table without ENGINE; CREATE OR REPLACE of a replicated table; refreshable materialized views; the setting
// non_replicated_deduplication_window; INSERT into a materialized view; changes of rows, functions, collections and access
// objects ON CLUSTER; TRUNCATE DATABASE, CREATE INDEX, RENAME without the word TABLE, and whatever else makes or changes objects
// in a form not named here; SYSTEM statements about replicas other than SYNC REPLICA and SYNC DATABASE REPLICA; in a session,
// names without their database, and SET of a setting that the front end acts on; SHOW CLUSTERS, SHOW PROCESSLIST and SHOW FULL
// TABLES.
//
// # Faults
//
// [Member] has stop, kill -9, pause and resume, refused connections, and the cut from ZooKeeper; [Cluster] stops ZooKeeper;
// [Fault] is what happens to single statements. The same by HTTP: [Cluster.Handler].
//
// # Cost
//
// ZooKeeper starts in 0.4 s with 60 MB, a member in 0.3 s with 80 to 130 MB of its own beside the 180 MB of the library, which
// all share. A statement in a Replicated database takes 25 to 60 ms on two members, an INSERT with a quorum 40 ms.
//
// A change of access objects takes 0.2 s and costs every member 7 MB, 5 threads and 3 open files until its process ends, because
// the engine is closed and opened again (see [embedded.Access]): a hundred changes are 0.7 GB a member. One that leaves the
// objects as they were costs nothing, and a member that comes back opens its engine once for all changes that it has missed. 500
// other statements cost a member 20 MB and, once, a hundred threads.
//
// # Killed members
//
// What the front end keeps in files, what the engine has and what ZooKeeper says is changed in an order from which a process
// that is started after a kill -9 finds its way, once ZooKeeper is there: a member does not come up without it, as its engine
// does not. Of a lightweight UPDATE of several partitions a member may have done some when it is killed: the others stay as
// they were there.
package cluster
