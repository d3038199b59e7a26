package engine

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/executor"
	"github.com/dfe-engine/dfe/rules/plan"
)

// secretOf reads a secret from the environment or a file. The line end of a file is no part of it.
func secretOf(_ context.Context, source, name string) (string, error) {
	switch source {
	case "env":
		value, set := os.LookupEnv(name)
		if !set || value == "" {
			return "", fmt.Errorf("the environment variable %s is not set", name)
		}
		return value, nil
	case "file":
		text, err := catalog.ReadSecret(name)
		if err != nil {
			return "", fmt.Errorf("the file %s cannot be read: %w", name, err)
		}
		value := strings.TrimRight(string(text), "\r\n")
		if value == "" {
			return "", fmt.Errorf("the file %s is empty", name)
		}
		return value, nil
	}
	return "", fmt.Errorf("a secret comes from env or file, not from %q", source)
}

// secrets resolves what a statement refers to, immediately before it is sent.
func (p *pass) secrets(ctx context.Context, d *declared, s *plan.Statement) ([]executor.Secret, error) {
	var list []executor.Secret
	for _, secret := range s.Secrets {
		if secret.Source == plan.FromDefinition {
			value, err := definedValue(d, secret)
			if err != nil {
				return nil, &executor.SecretError{Reference: s.Kind + " " + s.Object, Reason: err.Error()}
			}
			list = append(list, value)
			continue
		}
		if value, read := p.c.values[d].read[ast.Secret{Source: secret.Source, Name: secret.Name}]; read {
			list = append(list, executor.Secret{Reference: secret.Reference, Value: value})
			continue
		}
		value, err := p.e.options.Secret(ctx, secret.Source, secret.Name)
		if err != nil {
			return nil, &executor.SecretError{Reference: s.Kind + " " + s.Object, Reason: err.Error()}
		}
		list = append(list, executor.Secret{Reference: secret.Reference, Value: value})
	}
	return list, nil
}
