// Package ident makes identifiers out of ids that people chose: of an organisation, a data source, a group. Ids go in,
// names of databases, tables, users and topics come out.
//
// A name has lower-case ASCII letters, digits and underscores, and begins with a letter: ClickHouse takes it without
// quotes (but for a keyword), Kafka takes it, and no file system or log in between has to escape it. The rule, byte by
// byte of the id:
//
//   - a letter a to z stays, and so does a digit that is not the first byte, and an underscore that stands between two
//     other bytes and behind none that stayed;
//   - every other byte becomes x and its two hexadecimal digits;
//   - an x that two such digits follow is written x78, so that no x is mistaken for that.
//
// So "web_access" stays as it is, "web-access" is webx2daccess, and `a"b; DROP` is ax22bx3bx20x44x52x4fx50. Names of
// different ids differ, also where upper and lower case are the same. [ID] is the way back.
//
// A name of [Most] bytes or more is shortened to exactly Most: its beginning, an underscore, and hexadecimal digits of
// the SHA-256 of the id. No other name is as long, so that no id can be made to meet a shortened one; that two long ids
// meet takes a collision of 160 bits at least. A shortened name does not say its id: the ledger and the comment of the
// object do.
//
// No name has two underscores in a row, or one at either end: [Join] puts two between names, and [Split] takes them apart.
package ident
