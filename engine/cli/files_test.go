package cli_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dfe-engine/dfe/engine/cli"
)

// pair makes a certificate and its key, as PEM files.
func pair(t *testing.T, dir, name string) (certificate, key string) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	public, err := x509.CreateCertificate(rand.Reader, template, template, &secret.PublicKey, secret)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalECPrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	certificate, key = filepath.Join(dir, name+".pem"), filepath.Join(dir, name+".key")
	if err := errors.Join(os.WriteFile(certificate, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: public}), 0o600),
		os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private}), 0o600)); err != nil {
		t.Fatal(err)
	}
	return certificate, key
}

// A service that found out at its first pass would be up with a cause nobody looks for, and a command at its first
// connection.
func TestAFileThatCannotBeUsedIsNamedWithItsVariableBeforeAnythingIsConnectedTo(t *testing.T) {
	const content = "hidden-content"
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(os.WriteFile(at("text"), []byte(content), 0o600), os.WriteFile(at("empty"), []byte("\n"), 0o600), os.Mkdir(at("directory"), 0o700)); err != nil {
		t.Fatal(err)
	}
	certificate, key := pair(t, dir, "a")
	_, stranger := pair(t, dir, "b")
	source := "../../examples/deployment/sources/web-access.hcl"
	server := []string{"schema plan", "schema apply", "schema status", "schema inspect", "schema grants", "source plan " + source, "tenant plan ../../examples/deployment/tenants.hcl", "serve"}
	topics := []string{"schema plan", "schema apply", "source plan " + source, "topic plan", "topic status", "serve"}
	for _, c := range []struct {
		prefix   string
		commands []string
		base     map[string]string
	}{
		{"DFE_ENGINE_CLICKHOUSE_", server, map[string]string{"DFE_ENGINE_CLICKHOUSE_URL": "https://127.0.0.1:1"}},
		{"DFE_ENGINE_KAFKA_", topics, map[string]string{"DFE_ENGINE_CLICKHOUSE_URL": "http://127.0.0.1:1", "DFE_ENGINE_KAFKA_BROKERS": "127.0.0.1:1",
			"DFE_ENGINE_KAFKA_SASL_MECHANISM": "PLAIN", "DFE_ENGINE_KAFKA_USER": "u"}},
	} {
		for _, fault := range []struct {
			files map[string]string // by the variable, without the prefix
			words []string
		}{
			{map[string]string{"PASSWORD_FILE": at("none")}, []string{"PASSWORD_FILE: ", at("none"), "no such file"}},
			{map[string]string{"PASSWORD_FILE": at("directory")}, []string{"PASSWORD_FILE: ", at("directory"), "neither a file nor a pipe"}},
			{map[string]string{"PASSWORD_FILE": at("empty")}, []string{"PASSWORD_FILE: ", at("empty"), "is empty"}},
			{map[string]string{"TLS_CA_FILE": at("none")}, []string{"TLS_CA_FILE: ", at("none"), "no such file"}},
			{map[string]string{"TLS_CA_FILE": at("text")}, []string{"TLS_CA_FILE: ", at("text"), "holds no PEM certificate"}},
			{map[string]string{"TLS_CERT_FILE": certificate, "TLS_KEY_FILE": at("none")}, []string{"TLS_KEY_FILE: ", at("none"), "no such file"}},
			{map[string]string{"TLS_CERT_FILE": at("none"), "TLS_KEY_FILE": key}, []string{"TLS_CERT_FILE: ", at("none"), "no such file"}},
			{map[string]string{"TLS_CERT_FILE": certificate, "TLS_KEY_FILE": stranger}, []string{"TLS_CERT_FILE and ", "TLS_KEY_FILE: ", "does not match"}},
			{map[string]string{"TLS_CERT_FILE": at("text"), "TLS_KEY_FILE": at("text")}, []string{"TLS_CERT_FILE and ", "TLS_KEY_FILE: ", "PEM"}},
			{map[string]string{"TLS_CA_FILE": at("none"), "PASSWORD_FILE": at("empty")}, []string{"TLS_CA_FILE: ", "PASSWORD_FILE: "}},
		} {
			variables := map[string]string{"DFE_ENGINE_KAFKA_PASSWORD": "p"}
			for name, value := range c.base {
				variables[name] = value
			}
			for name, file := range fault.files {
				variables[c.prefix+name] = file
			}
			if c.prefix != "DFE_ENGINE_KAFKA_" || variables["DFE_ENGINE_KAFKA_PASSWORD_FILE"] != "" {
				delete(variables, "DFE_ENGINE_KAFKA_PASSWORD")
			}
			words := []string{}
			for _, word := range fault.words {
				if strings.HasSuffix(word, "FILE: ") || strings.HasSuffix(word, "and ") {
					word = c.prefix + word
				}
				words = append(words, word)
			}
			for _, command := range c.commands {
				r := run(t, variables, strings.Fields(command)...)
				r.demand(t, cli.ExitUsage, words...)
				if strings.Contains(r.err+r.out, content) || strings.Contains(r.err, "nothing listens there") {
					t.Errorf("%s with %v says %s", command, fault.files, r.err)
				}
			}
		}
	}
}

func TestTheFilesOfAServerOrABusThatACommandIsNotAboutAreNotLookedAt(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	run(t, map[string]string{"DFE_ENGINE_CLICKHOUSE_PASSWORD_FILE": none}, "topic", "plan").demand(t, cli.ExitDone)
	run(t, map[string]string{"DFE_ENGINE_KAFKA_TLS_CA_FILE": none}, "topic", "plan").demand(t, cli.ExitDone)
	run(t, map[string]string{"DFE_ENGINE_KAFKA_BROKERS": "127.0.0.1:1", "DFE_ENGINE_KAFKA_TLS_CA_FILE": none, "DFE_ENGINE_KAFKA_BOOTSTRAP_TOPICS": "false"},
		"schema", "plan", "--url", "http://127.0.0.1:1").demand(t, cli.ExitFailed, "nothing listens there")
	run(t, map[string]string{"DFE_ENGINE_KAFKA_BROKERS": "127.0.0.1:1", "DFE_ENGINE_KAFKA_TLS_CA_FILE": none}, "schema", "inspect", "--url", "http://127.0.0.1:1").demand(t, cli.ExitFailed, "nothing listens there")
}

func TestATokensFileThatCannotBeUsedIsNamedWithItsVariableOrFlag(t *testing.T) {
	dir := t.TempDir()
	faulty := filepath.Join(dir, "faulty.hcl")
	if err := os.WriteFile(faulty, []byte("token \"ci\" { hash = \"hidden-content\" }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{faulty, filepath.Join(dir, "none", "tokens.hcl"), dir} {
		started := run(t, map[string]string{"DFE_ENGINE_API_TOKENS_FILE": file}, "serve", "--url", "http://127.0.0.1:1")
		started.demand(t, cli.ExitUsage, "DFE_ENGINE_API_TOKENS_FILE: ", file)
		added := run(t, nil, "token", "new", "x", "--permission", "source.plan", "--file", file)
		added.demand(t, cli.ExitUsage, "--file: ", file)
		if strings.Contains(started.err+added.err+added.out, "hidden-content") {
			t.Errorf("the file is shown: %s%s", started.err, added.err)
		}
	}
	run(t, nil, "embedded", "--password-file", filepath.Join(dir, "none")).demand(t, cli.ExitUsage, "--password-file: the password file ", "no such file")
}

// TestATokenThatDoesNotFitOnTheDiskLeavesTheFileAsItWas has a file that may grow to one block, and no further: half an
// entry would be a fault of the file, and nobody would have access any more.
func TestATokenThatDoesNotFitOnTheDiskLeavesTheFileAsItWas(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens.hcl")
	if _, err := exec.Command(program, "token", "new", "ci", "--permission", "source.plan", "--file", file).Output(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("sh", "-c", `ulimit -f 1 && exec "$0" "$@"`, program, "token", "new", "long", "--permission", "source.plan",
		"--organisation", strings.Repeat("a", 2000), "--file", file).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "nothing was added to "+file) {
		t.Errorf("%v: %s", err, out)
	}
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("the file is now, %v:\n%s", err, after)
	}
}
