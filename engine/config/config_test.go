package config_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/config"
	"github.com/dfe-engine/dfe/engine/topics"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if "DFE_ENGINE_"+pairs[i] == name || "DFE_ENGINE_CLICKHOUSE_"+pairs[i] == name {
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
	want := config.Config{
		Platform: "auto", Wait: 180 * time.Second, MaxQuerySize: 16 << 20, BootstrapTables: true,
		Kafka: config.Kafka{BootstrapTopics: true}, Listen: "127.0.0.1:8480", LogFormat: "json", LogLevel: "info",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestEveryVariableIsTaken(t *testing.T) {
	overlay := t.TempDir()
	got, err := config.Load(env("URL", "https://h:8443/d", "USER", "u", "PASSWORD_FILE", "p", "TLS_CA_FILE", "ca", "TLS_CERT_FILE", "c", "TLS_KEY_FILE", "k",
		"PLATFORM", "self_hosted", "BOOTSTRAP_WAIT_SECONDS", "0", "DDL_MAX_QUERY_SIZE", "1048576", "BOOTSTRAP_TABLES", "false",
		"KAFKA_BROKERS", "a:9092, [::1]:9093", "KAFKA_TLS", "true", "KAFKA_TLS_CA_FILE", "kca", "KAFKA_TLS_CERT_FILE", "kc", "KAFKA_TLS_KEY_FILE", "kk",
		"KAFKA_SASL_MECHANISM", "SCRAM-SHA-512", "KAFKA_USER", "ku", "KAFKA_PASSWORD_FILE", "kp", "KAFKA_BOOTSTRAP_TOPICS", "false", "KAFKA_TIERED_STORAGE", "true", "KAFKA_TOPIC_MAX_MESSAGE_BYTES", "2097152",
		"SCHEMAS_OVERLAY_DIR", overlay, "LISTEN", ":8080", "LOG_FORMAT", "text", "LOG_LEVEL", "debug"))
	if err != nil {
		t.Fatal(err)
	}
	want := config.Config{
		Target:   catalog.Target{URL: "https://h:8443/d", User: "u", PasswordFile: "p", CAFile: "ca", CertFile: "c", KeyFile: "k"},
		Platform: "self_hosted", MaxQuerySize: 1 << 20, Overlay: overlay,
		Kafka: config.Kafka{Brokers: []string{"a:9092", "[::1]:9093"}, TieredStorage: true, MaxMessageBytes: 2 << 20,
			TLS:  topics.TLS{On: true, CAFile: "kca", CertFile: "kc", KeyFile: "kk"},
			SASL: topics.SASL{Mechanism: "SCRAM-SHA-512", User: "ku", PasswordFile: "kp"}},
		Listen: ":8080", LogFormat: "text", LogLevel: "debug",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAnUnusableValueNamesTheVariableAndWhatItAccepts(t *testing.T) {
	for _, v := range []struct{ name, value string }{
		{"URL", "localhost"}, {"PLATFORM", "embedded"}, {"PLATFORM", "AUTO"},
		{"BOOTSTRAP_WAIT_SECONDS", "-1"}, {"BOOTSTRAP_WAIT_SECONDS", "3m"}, {"BOOTSTRAP_WAIT_SECONDS", "86401"},
		{"DDL_MAX_QUERY_SIZE", "16MB"}, {"DDL_MAX_QUERY_SIZE", "1000"}, {"DDL_MAX_QUERY_SIZE", "9223372036854775808"},
		{"BOOTSTRAP_TABLES", "yes"}, {"KAFKA_BOOTSTRAP_TOPICS", "0"}, {"KAFKA_TIERED_STORAGE", "True"},
		{"KAFKA_TOPIC_MAX_MESSAGE_BYTES", "1MB"}, {"KAFKA_TOPIC_MAX_MESSAGE_BYTES", "0"}, {"KAFKA_TOPIC_MAX_MESSAGE_BYTES", "2147483648"},
		{"KAFKA_BROKERS", "broker"}, {"KAFKA_BROKERS", "a:9092,"}, {"KAFKA_BROKERS", ":9092"}, {"KAFKA_BROKERS", "a:0"},
		{"KAFKA_BROKERS", "kafka://a:9092"}, {"KAFKA_TLS", "on"}, {"KAFKA_SASL_MECHANISM", "SCRAM"},
		{"SCHEMAS_OVERLAY_DIR", filepath.Join(t.TempDir(), "absent")}, {"SCHEMAS_OVERLAY_DIR", "config_test.go"},
		{"LISTEN", "8080"}, {"LISTEN", "h:65536"}, {"LISTEN", "h:http"}, {"LOG_FORMAT", "xml"}, {"LOG_LEVEL", "INFO"},
	} {
		_, err := config.Load(env(v.name, v.value))
		var fault *config.Error
		if !errors.As(err, &fault) || !strings.HasSuffix(fault.Variable, "_"+v.name) || !strings.Contains(err.Error(), fault.Accepts) {
			t.Errorf("%s=%s gives %v", v.name, v.value, err)
		}
	}
}

func TestADirectoryThatCannotBeUsedIsToldWithTheReason(t *testing.T) {
	for path, reason := range map[string]string{filepath.Join(t.TempDir(), "absent"): "there is no such directory", "config_test.go": "it is no directory"} {
		_, err := config.Load(env("SCHEMAS_OVERLAY_DIR", path))
		if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: %v", path, err)
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
	if _, err := config.Load(env("KAFKA_BROKERS", "u:secret@broker:9092")); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v: it shows a secret", err)
	}
}

func TestVariablesOfTheBusThatDoNotFitTogetherAreNamed(t *testing.T) {
	for _, pairs := range [][]string{
		{"KAFKA_USER", "u", "KAFKA_PASSWORD", "hidden"},
		{"KAFKA_SASL_MECHANISM", "PLAIN", "KAFKA_PASSWORD", "hidden"},
		{"KAFKA_SASL_MECHANISM", "PLAIN", "KAFKA_USER", "u"},
		{"KAFKA_SASL_MECHANISM", "PLAIN", "KAFKA_USER", "u", "KAFKA_PASSWORD", "hidden", "KAFKA_PASSWORD_FILE", "f"},
		{"KAFKA_TLS_CERT_FILE", "c"},
	} {
		if _, err := config.Load(env(pairs...)); err == nil || !strings.Contains(err.Error(), "DFE_ENGINE_KAFKA_") || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%q gives %v", pairs, err)
		}
	}
}
