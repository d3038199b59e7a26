package cluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dfe-engine/dfe/ast"
)

// stageDatabase holds, in memory, views that answer in the place of system tables. Nobody sees it.
const stageDatabase = "_dfe_stage"

// marker is the value of non_replicated_deduplication_window in the definition of a table that is shown as replicated:
// it makes the engine take a block of the table's log once, whatever happens between. It is in no answer.
const marker = "1234567891"

const (
	markerSetting = "non_replicated_deduplication_window = " + marker
)

// stagedTables are the system tables that views answer for.
func stagedTables() []string {
	return []string{"tables", "databases", "clusters", "distributed_ddl_queue", "replicas", "processes", "settings", "user_directories", "server_settings", "parts"}
}

// dress makes the views, for an engine that has just opened.
func (m *member) dress(ctx context.Context, run runner) error {
	// What an engine that was closed, or killed, had there: a directory that is in the way.
	if err := os.RemoveAll(filepath.Join(m.Dir, "data", "data", stageDatabase)); err != nil {
		return err
	}
	statements := []string{
		"CREATE DATABASE IF NOT EXISTS " + stageDatabase + " ENGINE = Memory",
		"CREATE TABLE " + stageDatabase + ".replicated (uuid UUID, arguments String, opened String, closed String, shown UUID) ENGINE = Join(ANY, LEFT, uuid) SETTINGS persistent = 0",
		"CREATE TABLE " + stageDatabase + ".replicated_databases (uuid UUID, engine String, engine_full String) ENGINE = Join(ANY, LEFT, uuid) SETTINGS persistent = 0",
		"CREATE VIEW " + stageDatabase + ".tables AS SELECT * REPLACE (" + strings.Join(slices.Collect(maps.Values(m.shownTables())), ", ") + ") FROM " + tablesOfAll,
		`CREATE VIEW _dfe_stage.databases AS SELECT * REPLACE (
			if(joinGet('_dfe_stage.replicated_databases', 'engine', uuid) != '', joinGet('_dfe_stage.replicated_databases', 'engine', uuid), engine) AS engine,
			if(joinGet('_dfe_stage.replicated_databases', 'engine', uuid) != '', joinGet('_dfe_stage.replicated_databases', 'engine_full', uuid), engine_full) AS engine_full
		) FROM system.databases WHERE name != '_dfe_stage'`,
		`CREATE VIEW _dfe_stage.parts AS SELECT p.* REPLACE (if(t.engine != '', t.engine, p.engine) AS engine)
			FROM system.parts AS p LEFT JOIN (SELECT database, name, engine FROM _dfe_stage.tables) AS t ON t.database = p.database AND t.name = p.table`,
	}
	if m.Keeper != "" {
		// It is there to be seen; the front end answers who reads it.
		statements = append(statements, "CREATE VIEW IF NOT EXISTS system.zookeeper AS SELECT '' AS name, '' AS value, toInt32(0) AS version, '' AS path")
	}
	if m.Cloud {
		statements = append(statements, `CREATE VIEW _dfe_stage.settings AS SELECT * REPLACE (if(name = 'cloud_mode', '1', value) AS value) FROM system.settings`)
	} else {
		statements = append(statements, `CREATE VIEW _dfe_stage.settings AS SELECT * FROM system.settings`)
	}
	collections := "value"
	if !m.CollectionsOutside && m.Keeper != "" {
		collections = "if(name = 'named_collections_storage.type', 'keeper', value)"
	}
	statements = append(statements, "CREATE VIEW _dfe_stage.server_settings AS SELECT * REPLACE ("+collections+" AS value) FROM system.server_settings")
	for _, sql := range statements {
		if _, err := run.own(ctx, sql); err != nil {
			return err
		}
	}
	for _, table := range []string{"clusters", "distributed_ddl_queue", "replicas", "user_directories"} {
		from, err := m.fromStage(ctx, run, table)
		if err != nil {
			return err
		}
		if _, err := run.own(ctx, "CREATE VIEW _dfe_stage."+table+" AS SELECT * FROM "+from); err != nil {
			return err
		}
	}
	from, err := m.fromStage(ctx, run, "processes")
	if err != nil {
		return err
	}
	_, err = run.own(ctx, `CREATE VIEW _dfe_stage.processes AS
		SELECT * REPLACE (replaceAll(query, '_dfe_stage.', 'system.') AS query) FROM system.processes WHERE Settings['log_comment'] != '`+ownComment+`'
		UNION ALL SELECT * FROM `+from)
	return errors.Join(err, m.dbs.show(ctx, run), m.tables.show(ctx, run))
}

// structure is the columns of a system table, in the words of url()'s third argument.
func (m *member) structure(ctx context.Context, run runner, table string) (names []string, structure string, err error) {
	type columns struct {
		names     []string
		structure string
	}
	if known, ok := m.structures.Load(table); ok {
		c := known.(columns)
		return c.names, c.structure, nil
	}
	list, err := run.table(ctx, "SELECT name, type FROM system.columns WHERE database = 'system' AND table = "+ast.QuoteString(table)+" AND default_kind != 'ALIAS' ORDER BY position")
	if err != nil {
		return nil, "", err
	}
	var c columns
	var parts []string
	for _, r := range list {
		c.names = append(c.names, r[0])
		parts = append(parts, ast.QuoteIdent(r[0])+" "+r[1])
	}
	c.structure = strings.Join(parts, ", ")
	m.structures.Store(table, c)
	return c.names, c.structure, nil
}

// fromStage is the table function by which the engine reads what the front end knows.
func (m *member) fromStage(ctx context.Context, run runner, table string) (string, error) {
	_, structure, err := m.structure(ctx, run, table)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("url(%s, JSONEachRow, %s)", ast.QuoteString(m.control(m.self(), "/stage/"+table)), ast.QuoteString(structure)), nil
}

// row is a row of a system table; what it leaves out has the type's default.
type row = map[string]any

// serveStage gives the engine the rows of a table that the front end answers for.
func (m *member) serveStage(w http.ResponseWriter, r *http.Request) error {
	if r.Method == http.MethodHead {
		return nil
	}
	var (
		list []row
		err  error
	)
	switch r.PathValue("table") {
	case "clusters":
		list = m.clusters()
	case "distributed_ddl_queue":
		list, err = m.queue.rows()
	case "replicas":
		list, err = m.tables.rows(r.Context())
	case "user_directories":
		list = m.userDirectories()
	case "processes":
		list = m.present.rows()
	default:
		err = errors.New("the stage has no such table")
	}
	if err != nil {
		return err
	}
	_, err = w.Write(jsonRows(list))
	return err
}

// userDirectories are where a server of this configuration keeps users.
func (m *member) userDirectories() []row {
	second := "replicated"
	if m.AccessOutside || m.Keeper == "" {
		second = "local_directory"
	}
	return []row{
		{"name": "users_xml", "type": "users_xml", "params": "{}", "precedence": 1},
		{"name": second, "type": second, "params": "{}", "precedence": 2},
	}
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// moment is a time as DateTime reads it.
func moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }
