package cli

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/executor"
	"github.com/dfe-engine/dfe/engine/topics"
)

func TestWhatTheReportSaysOfAFailureIsCountedAndTheRestIsTold(t *testing.T) {
	object := func(name string) error {
		return &engine.ObjectError{Kind: ast.KindTable, Name: name, Reason: "no space"}
	}
	unshared := &engine.ObjectError{Kind: ast.KindFunction, Name: "f", Reason: "r", Err: &executor.NotSharedError{Object: "function f", Without: []string{"b"}}}
	for _, c := range []struct {
		failure error
		want    string
	}{
		{object("a.b"), "dfe: the pass failed at 1 object, named above with the reason\n"},
		{errors.Join(errors.Join(object("a.b"), object("a.c")), nil), "dfe: the pass failed at 2 objects, named above with the reason\n"},
		{errors.Join(errors.Join(object("a.b")), errors.Join(&topics.TopicError{Topic: "t", Reason: "r"})), "dfe: the pass failed at 1 object and 1 topic, named above with the reason\n"},
		{errors.Join(unshared, errors.New("stopped after 1 of 3 objects")), "dfe: the pass failed: stopped after 1 of 3 objects\ndfe: the pass failed at 1 object, named above with the reason (clickhouse_not_replicated)\n"},
		{&topics.DeadLetterError{Topics: []*topics.Topic{{Name: "dead", Error: "POLICY"}}}, "dfe: the pass failed: dead_letter_refused: dead letters have nowhere to go, so the engine is not ready: not created: dead (POLICY)\n"},
		{fmt.Errorf("%w, and %w", errors.New("one"), errors.New("another")), "dfe: the pass failed: one, and another\n"},
	} {
		var told strings.Builder
		a := &app{Process: Process{Err: &told}, format: formatText}
		a.tellFailure(c.failure)
		if diff := cmp.Diff(c.want, told.String()); diff != "" {
			t.Errorf("%v:\n%s", c.failure, diff)
		}
	}
}
