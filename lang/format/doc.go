// Package format prints definitions in their one layout: .hcl files as hclwrite does with columns of equals signs, .rules
// files as package rulelang does, and .sql files as ClickHouse lays out what SHOW CREATE prints.
//
// In goes the text of a file, out comes the same text laid out anew. Only white space changes, and the case of keywords
// in SQL: every token and every comment is there, in the same order, and what the text means is the same, which [SQL]
// proves of each result before it returns it. Formatting a result again changes nothing. A text with a syntax error is
// never touched; it comes back as an error with its place. The package opens no file.
package format
