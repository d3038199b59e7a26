package engine

import (
	"context"
	"fmt"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
)

// MutationError is a changed column type that the stored rows do not take: the table has the new type, and reading those
// rows fails.
type MutationError struct {
	Table    ast.Name
	Mutation catalog.Mutation
}

// ErrorCode is the error as one word.
func (e *MutationError) ErrorCode() string { return "mutation_fails" }

func (e *MutationError) Error() string {
	return fmt.Sprintf("the column has its new type and the stored rows do not fit it: %s; give the column its former type again by hand once that has ended, correct the rows, and run again",
		failing(e.Mutation))
}

// failing says which mutation fails where, and how to end it. Measured on 26.7.2: after KILL MUTATION the former type is
// taken and every row is read as it was. The server's own words stay with the server, since they quote rows.
func failing(m catalog.Mutation) string {
	code := "an error"
	if m.Code != "" {
		code = "code " + m.Code
	}
	return fmt.Sprintf("mutation %s of %s fails on %s with %s (latest_fail_reason in system.mutations, which may quote rows) and has %s to do; KILL MUTATION WHERE database = %s AND table = %s AND mutation_id = %s ends it",
		m.ID, m.Table, m.Host, code, parts(m.Parts), ast.QuoteString(m.Table.Database), ast.QuoteString(m.Table.Name), ast.QuoteString(m.ID))
}

// mutated looks whether the rows of a table take the type that a column was given. The server answers an ALTER whose
// mutation fails with 341, by which time the table has the type: seen is not yet done.
func (p *pass) mutated(ctx context.Context, table ast.Name) error {
	unfinished, err := p.members.Mutations(ctx, p.conn, []string{table.Database})
	if err != nil {
		return err
	}
	for _, m := range unfinished {
		if m.Table == table && m.Failed {
			return &MutationError{table, m}
		}
	}
	return nil
}

// compareMutations tells of the mutations in the declared databases that fail, whoever began them, and of those that a pass
// of this schema has still to do: a table takes no ALTER of its columns before they have ended.
func (p *pass) compareMutations(ctx context.Context) error {
	unfinished, err := p.members.Mutations(ctx, p.conn, p.schema.databases())
	if err != nil {
		return err
	}
	for _, m := range unfinished {
		switch {
		case m.Failed:
			p.report.Notices = append(p.report.Notices, Notice{"mutation_fails", failing(m)})
		case p.mutating[m.Table]:
			p.report.Notices = append(p.report.Notices, Notice{"mutation_under_way", fmt.Sprintf(
				"mutation %s of %s goes on, on %s with %s to do: the column has its new type, and the rows are read as that until they are written anew", m.ID, m.Table, m.Host, parts(m.Parts))})
		}
	}
	return nil
}

func parts(n uint64) string {
	if n == 1 {
		return "1 part"
	}
	return fmt.Sprintf("%d parts", n)
}
