// Package shape writes the JSON Schema of a document from the Go type that is encoded into it. The schemas are golden
// files: a change of what programs read is seen in review. It only describes; nothing is validated here.
package shape
