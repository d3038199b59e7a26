// Package series writes words one after another as people do: "a, b and c", "a, b or c". Words go in, the text of a message
// comes out.
package series
