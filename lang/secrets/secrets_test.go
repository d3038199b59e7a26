package secrets_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/dfe-engine/dfe/lang/ddl"
	"github.com/dfe-engine/dfe/lang/secrets"
)

func TestALiteralSecretIsFoundAndNothingElse(t *testing.T) {
	for _, c := range []struct {
		sql  string
		want []string
	}{
		// Dictionaries.
		{"CREATE DICTIONARY d.t (id UInt64) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'c' USER 'u' PASSWORD 'p4ss')) LAYOUT(FLAT()) LIFETIME(1)", []string{"p4ss"}},
		{"CREATE DICTIONARY d.t (id UInt64) PRIMARY KEY id SOURCE(MYSQL(user u password 12345 table 'c')) LAYOUT(FLAT()) LIFETIME(1)", []string{"12345"}},
		{"CREATE DICTIONARY d.t (id UInt64) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'c' USER 'u' PASSWORD '')) LAYOUT(FLAT()) LIFETIME(1)", nil},
		{"CREATE DICTIONARY d.t (id UInt64) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'c' USER 'u' PASSWORD secret('env:P'))) LAYOUT(FLAT()) LIFETIME(1)", nil},
		{"CREATE DICTIONARY d.t (id UInt64) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'c' USER 'u' PASSWORD '[HIDDEN]')) LAYOUT(FLAT()) LIFETIME(1)", nil},
		{"CREATE DICTIONARY d.t (id UInt64) PRIMARY KEY id SOURCE(HTTP(url 'http://h' format 'CSV' credentials(user 'user1' password 'p4ss') headers(header(name 'X-Api-Key' value 'k3y') header(name 'Accept' value 'text')))) LAYOUT(FLAT()) LIFETIME(1)", []string{"p4ss", "k3y"}},
		{"CREATE DICTIONARY d.t (id UInt64) PRIMARY KEY id SOURCE(MONGODB(uri 'mongodb://u:p4ss@h/db' collection 'c')) LAYOUT(FLAT()) LIFETIME(1)", []string{"mongodb://u:p4ss@h/db"}},
		{"CREATE DICTIONARY d.t (id UInt64) PRIMARY KEY id SOURCE(ODBC(connection_string 'DSN=x;Password=p4ss' table 'c')) LAYOUT(FLAT()) LIFETIME(1)", []string{"DSN=x;Password=p4ss"}},
		{"CREATE DICTIONARY d.t (id UInt64) PRIMARY KEY id SOURCE(MYSQL(USER 'u' PASSWORD 'p4ss' 'more')) LAYOUT(FLAT()) LIFETIME(1)", []string{"SOURCE ( MYSQL ( USER 'u' PASSWORD 'p4ss' 'more' ) )"}},
		// Engines.
		{"CREATE TABLE d.t (a UInt8) ENGINE = MySQL('h:3306', 'db', 't', 'u', 'p4ss')", []string{"p4ss"}},
		{"CREATE TABLE d.t (a UInt8) ENGINE = MySQL('h:3306', 'db', 't', 'u', secret('env:P'))", nil},
		{"CREATE TABLE d.t (a UInt8) ENGINE = MySQL(named, password = 'p4ss')", []string{"p4ss"}},
		{"CREATE TABLE d.t (a UInt8) ENGINE = MySQL(named, table = 't')", nil},
		{"CREATE TABLE d.t (a UInt8) ENGINE = S3('http://h/f', 'key1', 'p4ss', 'CSV')", []string{"p4ss"}},
		{"CREATE TABLE d.t (a UInt8) ENGINE = S3('http://h/f', 'CSV', 'gzip')", nil},
		{"CREATE TABLE d.t (a UInt8) ENGINE = S3('http://h/f', NOSIGN, 'CSV')", nil},
		{"CREATE TABLE d.t (a UInt8) ENGINE = Redis('h:6379', 0, 'p4ss')", []string{"p4ss"}},
		{"CREATE TABLE d.t (a UInt8) ENGINE = Kafka SETTINGS kafka_broker_list = 'h:9092', kafka_sasl_password = 'p4ss', kafka_sasl_mechanism = 'PLAIN'", []string{"p4ss"}},
		{"CREATE TABLE d.t (a UInt8) ENGINE = URL('https://u:p4ss@h/x', 'CSV')", []string{"https://u:p4ss@h/x"}},
		{"CREATE TABLE d.t (a UInt8) ENGINE = URL('https://h/x?a=b:c@d', 'CSV')", nil},
		{"CREATE DATABASE d ENGINE = MaterializedPostgreSQL('h:1', 'db', 'u', 'p')", nil},
		// Queries.
		{"CREATE VIEW d.v AS SELECT * FROM remote('h', 'db', 't', 'u', 'p4ss')", []string{"p4ss"}},
		{"CREATE VIEW d.v AS SELECT * FROM remote('h', db.t, 'u', 'p4ss')", []string{"p4ss"}},
		{"CREATE VIEW d.v AS SELECT * FROM postgresql('h:5432', 'db', 't', 'u', 'p4ss')", []string{"p4ss"}},
		{"CREATE VIEW d.v AS SELECT * FROM s3('http://h/f', 'CSV', 'a UInt8, b String', 'gzip')", nil},
		{"CREATE VIEW d.v AS SELECT decrypt('aes-128-ecb', body, 'p4ss') AS b FROM d.t", []string{"p4ss"}},
		{"CREATE VIEW d.v AS SELECT a FROM d.t WHERE token = 'abc' AND password = 'x'", nil},
		{"CREATE TABLE d.t (password String DEFAULT 'none', token String, INDEX i token TYPE text(tokenizer = 'splitByNonAlpha')) ENGINE = MergeTree ORDER BY token", nil},
		// Collections.
		{"CREATE NAMED COLLECTION c AS url = 'https://h/x', user = 'u', password = 'p4ss', access_key_id = 'AK', secret_access_key = secret('env:K')", []string{"p4ss"}},
		{"CREATE NAMED COLLECTION c AS url = 'https://u:p4ss@h/x', password = 'p', pwd_file = '/x', use_secret = true", []string{"https://u:p4ss@h/x", "p"}},
		{"CREATE NAMED COLLECTION c AS password = '[HIDDEN]', token = ''", nil},
		{"CREATE NAMED COLLECTION c AS password = 1234", []string{"1234"}},
	} {
		o, err := ddl.ParseStatement(c.sql)
		if err != nil {
			t.Fatalf("%s: %v", c.sql, err)
		}
		var got []string
		for _, l := range secrets.In(o) {
			got = append(got, l.Node.Text)
		}
		if diff := cmp.Diff(c.want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", c.sql, diff)
		}
	}
}
