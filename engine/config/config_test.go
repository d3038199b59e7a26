package config_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/config"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if "DFE_ENGINE_CLICKHOUSE_"+pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestAnEmptyEnvironmentGivesTheDefaults(t *testing.T) {
	got, err := config.Load(env())
	if err != nil {
		t.Fatal(err)
	}
	want := config.Config{Platform: "auto", Wait: 180 * time.Second, MaxQuerySize: 16 << 20}
	if got != want {
		t.Error(cmp.Diff(want, got))
	}
}

func TestEveryVariableIsTaken(t *testing.T) {
	got, err := config.Load(env("URL", "https://h:8443/d", "USER", "u", "PASSWORD_FILE", "p", "TLS_CA_FILE", "ca", "TLS_CERT_FILE", "c", "TLS_KEY_FILE", "k",
		"PLATFORM", "self_hosted", "BOOTSTRAP_WAIT_SECONDS", "0", "DDL_MAX_QUERY_SIZE", "1048576"))
	if err != nil {
		t.Fatal(err)
	}
	want := config.Config{
		Target:   catalog.Target{URL: "https://h:8443/d", User: "u", PasswordFile: "p", CAFile: "ca", CertFile: "c", KeyFile: "k"},
		Platform: "self_hosted", MaxQuerySize: 1 << 20,
	}
	if got != want {
		t.Errorf("loaded %+v", got)
	}
}

func TestAnUnusableValueNamesTheVariableAndWhatItAccepts(t *testing.T) {
	for _, v := range []struct{ name, value string }{
		{"URL", "localhost"}, {"PLATFORM", "embedded"}, {"PLATFORM", "AUTO"},
		{"BOOTSTRAP_WAIT_SECONDS", "-1"}, {"BOOTSTRAP_WAIT_SECONDS", "3m"}, {"BOOTSTRAP_WAIT_SECONDS", "86401"},
		{"DDL_MAX_QUERY_SIZE", "16MB"}, {"DDL_MAX_QUERY_SIZE", "1000"}, {"DDL_MAX_QUERY_SIZE", "9223372036854775808"},
	} {
		_, err := config.Load(env(v.name, v.value))
		var fault *config.Error
		if !errors.As(err, &fault) || fault.Variable != "DFE_ENGINE_CLICKHOUSE_"+v.name || !strings.Contains(err.Error(), fault.Accepts) {
			t.Errorf("%s=%s gives %v", v.name, v.value, err)
		}
	}
}

func TestAllUnusableValuesAreNamedAtOnceAndNoSecretIsShown(t *testing.T) {
	_, err := config.Load(env("URL", "ftp://u:secret@h", "PLATFORM", "x", "PASSWORD", "secret", "PASSWORD_FILE", "f"))
	if err == nil {
		t.Fatal("no error")
	}
	for _, name := range []string{"_URL", "_PLATFORM", "_PASSWORD"} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%q does not name %s", err, name)
		}
	}
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("%q shows a secret", err)
	}
}
