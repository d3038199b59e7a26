// Package access keeps roles, users, settings profiles, quotas, row policies and grants for the embedded engine, which
// reads them from users.xml and has no writeable storage for them. A [Keeper] goes into [embedded.Options.Access]: it
// answers CREATE, ALTER and DROP of these objects, GRANT and REVOKE, writes users.xml, and the server opens the engine
// again with it. Everything read back (SHOW CREATE, SHOW GRANTS, SHOW ACCESS, the system tables) is the engine's own.
//
// # What is emulated
//
// The statements and their effects, and their errors with ClickHouse's codes. The objects are kept in the data directory,
// in a file that only its owner can read; passwords as the hashes users.xml takes.
//
// # What users.xml cannot say
//
// A statement that asks for one of these is answered NOT_IMPLEMENTED (48) and changes nothing:
//
//   - settings of a role, and of a user other than one profile: a user has SETTINGS PROFILE p, and of two profiles the
//     engine takes the first;
//   - a settings profile TO somebody: name it in the user; CHANGEABLE_IN_READONLY;
//   - a quota or a row policy for roles or for all: users by name; one quota a user;
//   - a row policy by another name than that of the one user it is for, restrictive, or on a whole database;
//   - default roles other than all, GRANTEES, HOST LIKE, VALID UNTIL, bcrypt, and ssh keys, without which the library is
//     built; a quota that is not keyed;
//   - names that are no XML names; IN storage; ON CLUSTER; GRANT CURRENT GRANTS; changes of the user default.
//
// A user whom a row policy of a table is not for sees all of it, as the engine does with users.xml.
//
// # What a change costs
//
// 0.06 s, in which the engine is closed and opened: it waits for what runs, ends the sessions, and what is in memory alone
// (tables of engine Memory, temporary tables) is gone. A statement that changes nothing costs nothing.
package access
