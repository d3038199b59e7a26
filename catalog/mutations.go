package catalog

import (
	"context"

	"github.com/dfe-engine/dfe/ast"
)

// Mutation is a change of stored rows that a member has not finished.
type Mutation struct {
	Host  string
	Table ast.Name
	ID    string // as KILL MUTATION names it
	// Parts are those it has still to do.
	Parts uint64
	// Failed says that its newest attempt at a part failed; Code is ClickHouse's own, "" where the member gives none. What
	// the server says beside it may quote rows.
	Failed bool
	Code   string
}

// Mutations lists the unfinished mutations of the reachable members' tables in some databases
// (https://clickhouse.com/docs/operations/system-tables/mutations).
func (m Members) Mutations(ctx context.Context, c *Conn, databases []string) ([]Mutation, error) {
	if len(databases) == 0 {
		return nil, nil
	}
	query := "SELECT hostName(), database, table, mutation_id, toUInt64(greatest(parts_to_do, 0)), latest_fail_reason != '', extract(latest_fail_reason, 'Code: (\\\\d+)') FROM " +
		m.from("system.mutations") + " WHERE NOT is_done AND database IN ? ORDER BY database, table, mutation_id"
	var found []Mutation
	err := m.ask(ctx, c, "the unfinished mutations", query, []any{databases}, func(scan func(...any) error) error {
		var u Mutation
		err := scan(&u.Host, &u.Table.Database, &u.Table.Name, &u.ID, &u.Parts, &u.Failed, &u.Code)
		found = append(found, u)
		return err
	})
	return found, err
}
