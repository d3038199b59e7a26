// Package lex cuts ClickHouse SQL into tokens.
//
// In goes the text of one statement or of a script of many; out come tokens of twelve bytes that hold a kind, a
// keyword number and byte offsets into the text, so that lexing allocates nothing for a token. Comments and white space leave
// no token. The rules are those of ClickHouse's Parsers/Lexer.cpp (26.7): identifiers that start with a digit,
// $tag$ heredocs, nested comments, typographic quotes and the Unicode minus sign included.
//
// The package never interprets: a keyword token is still a plain identifier wherever the grammar wants one.
//
// The package serves its neighbours; a program outside has no promise of it.
package lex
