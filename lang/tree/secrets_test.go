package tree_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dfe-engine/dfe/lang/tree"
)

// withSecret are definitions that hold a secret, one of each way to write one.
var withSecret = []struct{ entry, file, text string }{
	{`user "u"`, "u.sql", "CREATE USER u IDENTIFIED WITH sha256_password BY 'open sesame' HOST LOCAL DEFAULT ROLE NONE"},
	{`user "u"`, "u.sql", "CREATE USER u\nIDENTIFIED WITH\n  bcrypt_password\n  BY\n  'open sesame'\nHOST LOCAL"},
	{`user "u"`, "u.hcl", "authentication \"sha256_password\" {\n  password = \"open sesame\"\n}\n"},
	{`user "u"`, "u.hcl", "authentication \"sha256_password\" {\n  secret_env = \"open sesame\"\n}\n"},
	{`named_collection "c"`, "c.sql", "CREATE NAMED COLLECTION c AS url = 'https://example.com',\n  password =\n 'open sesame' OVERRIDABLE"},
	{`named_collection "c"`, "c.hcl", "keys = { url = \"https://example.com\", password = \"open sesame\" }\n"},
	{`named_collection "c"`, "c.hcl", "key \"secret_key\" {\n  value       = \"open sesame\"\n  overridable = true\n}\n"},
	{`dictionary "shop.d"`, "d.sql", "CREATE DICTIONARY shop.d (id UInt64) PRIMARY KEY id\nSOURCE(MYSQL(HOST 'db' USER 'u' PASSWORD\n 'open sesame' TABLE 't')) LAYOUT(FLAT()) LIFETIME(1)"},
	{`dictionary "shop.d"`, "d.hcl", "attribute \"id\" { type = \"UInt64\" }\nprimary_key = [\"id\"]\nsource = \"MYSQL(HOST 'db' USER 'u' PASSWORD 'open sesame' TABLE 't')\"\nlayout = \"FLAT()\"\nlifetime = 1\n"},
	{`table "shop.t"`, "t.sql", "CREATE TABLE shop.t (a UInt8) ENGINE = Kafka SETTINGS kafka_broker_list = 'b', kafka_sasl_password = 'open sesame'"},
	{`table "shop.t"`, "t.hcl", "column \"a\" { type = \"UInt8\" }\nengine = \"Kafka\"\nsettings = {\n  kafka_sasl_password = \"open sesame\"\n}\n"},
}

// TestNoFaultShowsASecretHoweverTheDefinitionIsBroken leaves out one word after the other of each definition, and cuts it
// off behind each: whatever is said about what is left, the secret is not in it. The word that says what the secret is stays.
func TestNoFaultShowsASecretHoweverTheDefinitionIsBroken(t *testing.T) {
	for _, c := range withSecret {
		words := strings.SplitAfter(strings.NewReplacer("(", "( ", ")", " )", ",", " ,").Replace(strings.ReplaceAll(c.text, "open sesame", "open-sesame")), " ")
		refused := 0
		for i := -1; i < len(words); i++ {
			if i >= 0 && strings.Contains(strings.ToLower(words[i]), "pass") {
				continue
			}
			for _, cut := range []bool{false, true} {
				broken := strings.Join(words, "")
				switch {
				case i < 0:
				case cut:
					broken = strings.Join(words[:i], "")
				default:
					broken = strings.Join(words[:i], "") + strings.Join(words[i+1:], "")
				}
				files := fstest.MapFS{
					"manifest.hcl": {Data: []byte("release = \"1.0.0\"\ndatabase \"shop\" {}\n" + c.entry + " { from = \"" + c.file + "\" }\n")},
					c.file:         {Data: []byte(broken)},
				}
				loaded, diags := tree.Load(files, tree.Options{})
				var out bytes.Buffer
				if err := tree.WriteDiagnostics(&out, loaded.Files(), diags, false, 100); err != nil {
					t.Fatal(err)
				}
				plain, err := json.Marshal(tree.Plain(loaded.Files(), diags))
				if err != nil {
					t.Fatal(err)
				}
				out.Write(plain)
				if strings.Contains(out.String(), "sesame") {
					t.Fatalf("%s\nis told of as\n%s", broken, out.String())
				}
				if i < 0 {
					for _, d := range diags {
						if tree.CodeOf(d) == tree.CodeSecret {
							refused++
						}
					}
				}
			}
		}
		if refused == 0 {
			t.Errorf("%s\nis taken", c.text)
		}
	}
}
