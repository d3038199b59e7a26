package executor

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
)

// leastLiteral is the length, in bytes, from which what a definition says openly is hidden in an answer: a shorter one
// would take letters out of every word.
const leastLiteral = 6

// hidden stands for a secret wherever one would show.
const hidden = "[HIDDEN]"

// reveal is the statement with its secrets, for the socket alone.
func (s Statement) reveal() string {
	var pairs []string
	for _, secret := range s.Secrets {
		value := secret.Value
		if !secret.Literal {
			value = ast.QuoteString(value)
		}
		pairs = append(pairs, secret.Reference, value)
	}
	// In one go: a value may hold what looks like a reference.
	return strings.NewReplacer(pairs...).Replace(s.SQL)
}

// conceal takes the secrets out of an answer: a server that cannot read a statement quotes it.
func (s Statement) conceal(answer error) error {
	if answer == nil || len(s.Secrets) == 0 {
		return answer
	}
	if e, ok := catalog.Exception(answer); ok {
		return &clickhouse.Exception{Code: e.Code, Name: e.Name, Message: s.without(e.Message)}
	}
	text := s.without(answer.Error())
	return &concealed{text, answer}
}

func (s Statement) without(text string) string {
	for _, secret := range s.Secrets {
		if secret.Value == "" {
			continue
		}
		if secret.Literal && len(secret.Value) < leastLiteral {
			continue
		}
		for _, form := range []string{secret.Value, strings.Trim(ast.QuoteString(secret.Value), "'"), strings.Trim(secret.Value, "'")} {
			text = strings.ReplaceAll(text, form, hidden)
		}
	}
	return text
}

// concealed is an error whose text holds no secret; what it was can still be told by [errors.Is].
type concealed struct {
	text  string
	cause error
}

func (e *concealed) Error() string { return e.text }

// Is compares with the cause, whose text is not shown.
func (e *concealed) Is(target error) bool { return errors.Is(e.cause, target) }

// SecretError is a secret that could not be had. Nothing was sent.
type SecretError struct {
	// Reference says where it was looked for.
	Reference string
	Reason    string
}

func (e *SecretError) Error() string {
	return fmt.Sprintf("the secret of %s: %s; nothing was sent", e.Reference, e.Reason)
}
