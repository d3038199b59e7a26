package golden

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine/embedded/embeddedtest"
	"github.com/dfe-engine/dfe/rules"
	"github.com/dfe-engine/dfe/rules/plan"
)

// layouts are all layouts of the engine (getDictionaryStructure and the register functions of ClickHouse's
// src/Dictionaries), with their arguments; each is made with a key of a number, of a text and of two attributes, where the
// engine takes it.
var layouts = []string{
	"FLAT", "FLAT(INITIAL_ARRAY_SIZE 50000 MAX_ARRAY_SIZE 5000000)",
	"HASHED", "HASHED(SHARDS 4 SHARD_LOAD_QUEUE_BACKLOG 1000 MAX_LOAD_FACTOR 0.5)", "SPARSE_HASHED(PREALLOCATE 1)",
	"HASHED_ARRAY", "HASHED_ARRAY(SHARDS 2)", "COMPLEX_KEY_HASHED(MAX_LOAD_FACTOR 0.6)", "COMPLEX_KEY_SPARSE_HASHED", "COMPLEX_KEY_HASHED_ARRAY",
	"CACHE(SIZE_IN_CELLS 1000)", "CACHE(SIZE_IN_CELLS 1000 ALLOW_READ_EXPIRED_KEYS 1 MAX_UPDATE_QUEUE_SIZE 100000 UPDATE_QUEUE_PUSH_TIMEOUT_MILLISECONDS 10 MAX_THREADS_FOR_UPDATES 4)",
	"COMPLEX_KEY_CACHE(SIZE_IN_CELLS 10)", "SSD_CACHE(BLOCK_SIZE 4096 FILE_SIZE 16777216 READ_BUFFER_SIZE 1048576 PATH '/libs/cells')",
	"COMPLEX_KEY_SSD_CACHE(PATH '/libs/cells')", "DIRECT", "COMPLEX_KEY_DIRECT",
	"RANGE_HASHED", "RANGE_HASHED(RANGE_LOOKUP_STRATEGY 'max' CONVERT_RANGE_LOOKUP_MIN_VALUE_TO_MAX 1)", "COMPLEX_KEY_RANGE_HASHED",
	"IP_TRIE", "IP_TRIE(ACCESS_TO_KEY_FROM_ATTRIBUTES 1)", "POLYGON(STORE_POLYGON_KEY_COLUMN 1)", "POLYGON_SIMPLE", "POLYGON_INDEX_EACH",
	"POLYGON_INDEX_CELL(MIN_INTERSECTIONS 1 MAX_DEPTH 5)", "REGEXP_TREE",
}

// sources are all sources of the engine, with their arguments.
var sources = []string{
	"CLICKHOUSE(TABLE 'cities' DB 'shop' HOST 'other' PORT 9000 USER 'reader' PASSWORD secret('env:P') SECURE 1 WHERE 'id > 0' INVALIDATE_QUERY 'SELECT 1' UPDATE_FIELD added UPDATE_LAG 15)",
	"CLICKHOUSE(QUERY 'SELECT id, v FROM shop.cities')", "CLICKHOUSE(TABLE cities DB shop)", "clickhouse(port tcpPort() db currentDatabase() table 'cities' user 'default')",
	"MYSQL(PORT 3306 USER 'reader' PASSWORD secret('env:P') REPLICA(HOST 'first' PRIORITY 1) REPLICA(HOST 'second' PRIORITY 2) DB 'shop' TABLE 'cities' WHERE 'id = 10' INVALIDATE_QUERY 'SELECT 1' FAIL_ON_CONNECTION_LOSS 'true' SSL_MODE 'prefer')",
	"POSTGRESQL(PORT 5432 HOST 'db' USER 'reader' PASSWORD secret('env:P') DB 'shop' SCHEMA 'public' TABLE 'cities' WHERE 'id > 1' UPDATE_FIELD updated UPDATE_LAG 1)",
	"MONGODB(HOST 'db' PORT 27017 USER '' PASSWORD '' DB 'shop' COLLECTION 'cities' OPTIONS 'ssl=true')", "MONGODB(URI 'mongodb://db:27017/shop' COLLECTION 'cities')",
	"REDIS(HOST 'db' PORT 6379 STORAGE_TYPE 'simple' DB_INDEX 0 PASSWORD secret('env:P'))",
	"CASSANDRA(HOST 'db' PORT 9042 USER 'reader' PASSWORD secret('env:P') KEYSPACE 'shop' COLUMN_FAMILY 'cities' CONSISTENCY 'One' ALLOW_FILTERING 1 PARTITION_KEY_PREFIX 1)",
	"HTTP(URL 'http://db/cities.tsv' FORMAT 'TabSeparated' CREDENTIALS(USER 'reader' PASSWORD secret('env:P')) HEADERS(HEADER(NAME 'X-Key' VALUE secret('env:K')) HEADER(NAME 'Accept' VALUE 'text')))",
	"FILE(PATH './user_files/cities.tsv' FORMAT 'TabSeparated')", "EXECUTABLE(COMMAND 'cat cities.tsv' FORMAT 'TabSeparated' IMPLICIT_KEY 1 COMMAND_TERMINATION_TIMEOUT 5)",
	"EXECUTABLE_POOL(COMMAND 'loop' FORMAT 'TabSeparated' POOL_SIZE 10 MAX_COMMAND_EXECUTION_TIME 5)",
	"ODBC(CONNECTION_STRING 'DSN=cities' DB 'shop' TABLE 'cities' INVALIDATE_QUERY 'SELECT 1')", "JDBC(DATASOURCE 'cities' TABLE 'cities')",
	"NULL()", "LIBRARY(PATH '/libs/x.so' SETTINGS(SETTING_ONE 1))", "YAMLREGEXPTREE(PATH '/libs/tree.yaml')",
	"YTSAURUS(HTTP_PROXY_URLS 'http://db' CYPRESS_PATH '//cities' OAUTH_TOKEN secret('env:P'))",
	"CLICKHOUSE(NAME cities_source TABLE 'cities')", "MYSQL(NAME 'cities_source' DB 'shop')",
}

// TestADictionaryOfAnyLayoutAndSourceReadsBackAsDeclared makes each in the engine: what it prints is the same object, so that
// nothing is to be done.
func TestADictionaryOfAnyLayoutAndSourceReadsBackAsDeclared(t *testing.T) {
	book := release(t)
	s := &server{t: t, url: embeddedtest.Server(t), database: embeddedtest.Database(t)}
	keys := []struct{ attributes, key string }{
		{"id UInt64", "id"}, {"id Int32", "(id)"}, {"name String", "name"}, {"id UInt64, name String", "id, name"}, {"shape Array(Array(Array(Array(Float64))))", "shape"},
	}
	made, unmade := map[string]int{}, map[string]string{}
	try := func(what, definition string) {
		t.Helper()
		name := fmt.Sprintf("d%d", len(made)*1000+made[what])
		desired := inDatabase(t, fmt.Sprintf(definition, s.database+"."+name), ast.Name{Database: s.database, Name: name})
		sql := ast.WithoutSecrets(ast.Create(desired, ast.Style{}), desired)
		if _, err := s.send(sql); err != nil {
			unmade[what] = sql + "\n" + err.Error()
			return
		}
		made[what]++
		live := s.parse(s.column("SELECT create_table_query FROM system.tables WHERE database = '" + s.database + "' AND name = '" + name + "'")[0])
		doc := book.Plan([]rules.Pair{{Kind: desired.Kind(), Name: desired.ID(), Live: live, Desired: desired}}, rules.Options{Platform: rules.Embedded})
		if doc.Objects[0].Action != plan.ObjectNone {
			t.Errorf("%s\nreads back as %s:\n%s", ast.Create(desired, ast.Style{}), ast.Create(live, ast.Style{}), decisionsText(t, doc))
		}
		s.exec("DROP DICTIONARY " + s.database + "." + name)
	}
	for _, layout := range layouts {
		for _, key := range keys {
			lifetime, period := "LIFETIME(MIN 60 MAX 300)", ""
			if strings.Contains(layout, "DIRECT") {
				lifetime = ""
			}
			if strings.Contains(layout, "RANGE") {
				period = " RANGE(MIN since MAX till)"
			}
			try(layout, "CREATE DICTIONARY %s ("+key.attributes+", since Date DEFAULT '2020-01-01', till Date, v Nullable(String) DEFAULT 'none', n Decimal(10, 2) EXPRESSION 1) PRIMARY KEY "+key.key+
				" SOURCE(CLICKHOUSE(TABLE 'cities' DB 'shop')) LAYOUT("+layout+") "+lifetime+period+" SETTINGS(max_threads = 2) COMMENT 'cities'")
		}
		if made[layout] == 0 {
			t.Errorf("nothing was made with the layout %s: %s", layout, unmade[layout])
		}
	}
	for _, source := range sources {
		try(source, "CREATE DICTIONARY %s (id UInt64, v String INJECTIVE IS_OBJECT_ID) PRIMARY KEY id SOURCE("+source+") LAYOUT(HASHED) LIFETIME(300)")
		if made[source] == 0 {
			t.Errorf("nothing was made of the source %s", unmade[source])
		}
	}
}
