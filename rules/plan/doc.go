// Package plan is the plan document: what differs, object by object, what is decided about each change and by which
// rule, and the statements that would carry it out. There is one document for every command and reader; text and JSON
// are renderers of it, and the executor takes its statements.
//
// The JSON form is a contract: "version" is 1 and only gains fields.
package plan
