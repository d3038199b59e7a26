package format

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/access"
	"github.com/dfe-engine/dfe/lang/ddl"
	"github.com/dfe-engine/dfe/lang/lex"
)

// SQL formats CREATE statements as ClickHouse prints them, comments kept in place. Statements of access (CREATE ROLE,
// GRANT and their like) are read, and stay as they are written. The error is a [*ddl.Error] for a text with a syntax error.
func SQL(src []byte) ([]byte, error) {
	text := string(src)
	before, err := read(text)
	if err != nil {
		list, other := access.ParseScript(text)
		if other == nil && len(list) > 0 {
			return append(bytes.TrimRight(slices.Clone(src), " \t\r\n"), '\n'), nil
		}
		return nil, further(err, other)
	}
	tokens, problem := lex.All(nil, text)
	if problem != "" {
		return nil, fmt.Errorf("the text cannot be read: %s", problem)
	}
	if deep(tokens) {
		return nil, fmt.Errorf("brackets nest more than %d levels deep, which no ClickHouse reads", ddl.MaxDepth)
	}
	out := layout(cut(text, tokens), false)
	if same(text, out, before) == nil {
		return []byte(out), nil
	}
	// A name that is also a word of the grammar may have been taken for one.
	out = layout(cut(text, tokens), true)
	if err := same(text, out, before); err != nil {
		return nil, fmt.Errorf("the layout would change what the text means (%w); it is left as it is, and this is a fault of dfe", err)
	}
	return []byte(out), nil
}

// further is the error of the grammar that read more of the text: the one its author had in mind.
func further(a, b error) error {
	var x, y *ddl.Error
	if errors.As(a, &x) && errors.As(b, &y) && y.Offset > x.Offset {
		return b
	}
	return a
}

// read parses the definitions of a text, of which there has to be one at least.
func read(text string) ([]ddl.Statement, error) {
	list, err := ddl.ParseScript(text)
	if err != nil {
		return nil, err
	}
	for _, st := range list {
		if st.Err != nil {
			return nil, st.Err
		}
	}
	if len(list) == 0 {
		return nil, &ddl.Error{Offset: len(text), Line: 1, Column: 1, Found: "the end of the text", Expected: "a statement"}
	}
	return list, nil
}

// layout prints the statements of a text; asWritten leaves the case of keywords alone.
func layout(pieces []piece, asWritten bool) string {
	p := &printer{pieces: pieces, last: -1, notes: -1, asWritten: asWritten}
	end := len(pieces) - 1
	for i := 0; i < end; {
		j := i
		for j < end && pieces[j].Kind != lex.Semicolon {
			j = p.after(j)
		}
		p.line(0)
		p.blank = true
		p.statement(i, j)
		if j < end {
			p.put(j)
			j++
		}
		i = j
	}
	p.line(0)
	p.blank = true
	p.comments(&pieces[end])
	p.out.WriteByte('\n')
	return p.out.String()
}

// same proves that a layout has the tokens and the comments of the text, and parses to the same objects.
func same(text, out string, before []ddl.Statement) error {
	was, _ := lex.All(nil, text)
	now, problem := lex.All(nil, out)
	if problem != "" || len(was) != len(now) {
		return fmt.Errorf("%d tokens became %d", len(was), len(now))
	}
	for i := range was {
		if was[i].Kind != now[i].Kind || was[i].Word != now[i].Word || was[i].Word == 0 && was[i].Text(text) != now[i].Text(out) {
			return fmt.Errorf("%q became %q", was[i].Text(text), now[i].Text(out))
		}
	}
	if !slices.Equal(comments(text), comments(out)) {
		return fmt.Errorf("a comment was lost")
	}
	after, err := read(out)
	if err != nil {
		return err
	}
	for i := range before {
		if i >= len(after) || !sameObject(before[i], after[i]) {
			return fmt.Errorf("statement %d is another", i+1)
		}
	}
	return nil
}

func comments(text string) []string {
	var list []string
	for _, c := range lex.Comments(text) {
		list = append(list, strings.ReplaceAll(c.Text(text), "\r\n", "\n"))
	}
	return list
}

func sameObject(a, b ddl.Statement) bool {
	if a.Object == nil || b.Object == nil {
		return a.Object == nil && b.Object == nil && a.Alter != nil && b.Alter != nil
	}
	return a.Object.Kind() == b.Object.Kind() && a.Object.ID() == b.Object.ID() && slices.EqualFunc(a.Object.Parts(), b.Object.Parts(), samePart)
}

func samePart(a, b ast.Part) bool {
	return a.Kind == b.Kind && a.Name == b.Name && slices.EqualFunc(a.Attrs, b.Attrs, func(a, b ast.Attr) bool {
		return a.Name == b.Name && ast.Compare(a.Value, b.Value) == ast.Same
	})
}
