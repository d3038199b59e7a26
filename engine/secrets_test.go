package engine_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/lang/ddl"
)

func TestTheSecretsOfADefinitionAreKnown(t *testing.T) {
	for _, c := range []struct {
		sql  string
		want []string
	}{
		{"CREATE TABLE d.t (password String DEFAULT 'none', token String) ENGINE = MergeTree ORDER BY token", nil},
		{"CREATE DICTIONARY d.t (id UInt64) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'c' USER 'u' PASSWORD 'p4ss')) LAYOUT(FLAT()) LIFETIME(1)", []string{"p4ss"}},
		{"CREATE DICTIONARY d.t (id UInt64) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'c' USER 'u' PASSWORD secret('env:P'))) LAYOUT(FLAT()) LIFETIME(1)", nil},
		{"CREATE DICTIONARY d.t (id UInt64) PRIMARY KEY id SOURCE(HTTP(url 'http://h' format 'CSV' credentials(user 'user1' password 'p4ss'))) LAYOUT(FLAT()) LIFETIME(1)", []string{"user1", "p4ss"}},
		{"CREATE TABLE d.t (a UInt8) ENGINE = MySQL('h:3306', 'db', 't', 'u', 'p4ss')", []string{"p4ss"}},
		{"CREATE TABLE d.t (a UInt8) ENGINE = S3('http://h/f', 'key1', 'p4ss', 'CSV')", []string{"key1", "p4ss"}},
		{"CREATE TABLE d.t (a UInt8) ENGINE = Redis('h:6379', 0, 'p4ss')", []string{"p4ss"}},
		{"CREATE TABLE d.t (a UInt8) ENGINE = Kafka SETTINGS kafka_broker_list = 'h:9092', kafka_sasl_password = 'p4ss'", []string{"p4ss"}},
		{"CREATE TABLE d.t (a UInt8) ENGINE = MySQL(named, password = 'p4ss')", []string{"p4ss"}},
		{"CREATE VIEW d.v AS SELECT * FROM remote('h', 'db', 't', 'u', 'p4ss')", []string{"p4ss"}},
		{"CREATE VIEW d.v AS SELECT * FROM postgresql('h:5432', 'db', 't', 'u', 'p4ss')", []string{"p4ss"}},
		{"CREATE VIEW d.v AS SELECT decrypt('aes-128-ecb', body, 'p4ss') AS b FROM d.t", []string{"p4ss"}},
	} {
		o, err := ddl.ParseStatement(c.sql)
		if err != nil {
			t.Fatalf("%s: %v", c.sql, err)
		}
		if diff := cmp.Diff(c.want, engine.SecretsOf(o), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", c.sql, diff)
		}
	}
}

func TestASecretOfADefinitionIsInNoReportAndNoLedger(t *testing.T) {
	s := newStage(t)
	t.Setenv("DFE_TEST_CANARY", "canary")
	const tree = `
-- manifest.hcl --
release = "1.0.0"
database "DB" {}
table      "DB.c" { from = "c.sql" }
dictionary "DB.d" { from = "d.sql" }
-- c.sql --
CREATE TABLE DB.c (id UInt64, name String) ENGINE = MergeTree ORDER BY id
-- d.sql --
CREATE DICTIONARY DB.d (id UInt64, name String) PRIMARY KEY %s SOURCE(CLICKHOUSE(TABLE 'c' DB 'DB' USER 'default' PASSWORD secret('env:DFE_TEST_CANARY'))) LAYOUT(%s()) LIFETIME(300)
`
	for _, key := range [][2]string{{"id", "FLAT"}, {"id, name", "COMPLEX_KEY_HASHED"}} {
		s.tree(fmt.Sprintf(tree, key[0], key[1]))
		r := s.pass(engine.Options{})
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "canary") || !strings.Contains(string(text), "PASSWORD secret('env:DFE_TEST_CANARY')") {
			t.Errorf("the report reads %s", text)
		}
		if got := s.value("SELECT countIf(statement LIKE '%canary%' OR toString(decisions) LIKE '%canary%' OR error LIKE '%canary%') FROM dfe.schema_migrations"); got != "0" {
			t.Errorf("%s rows of the ledger hold the secret", got)
		}
	}
}
