package kafka_test

import (
	"slices"
	"testing"

	"github.com/dfe-engine/dfe/lang/kafka"
)

func TestTheConfigurationsAreSortedByName(t *testing.T) {
	if names := kafka.ConfigNames(); !slices.IsSorted(names) {
		t.Errorf("%q", names)
	}
}

// The values are those a broker 4.2 answered with, or that it refused.
func TestAValueTakesTheSpellingOfABroker(t *testing.T) {
	for _, c := range []struct{ name, given, want string }{
		{"cleanup.policy", "compact, delete", "compact,delete"},
		{"cleanup.policy", "delete,compact", "compact,delete"},
		{"cleanup.policy", "delete", "delete"},
		{"cleanup.policy", "deleted", ""},
		{"cleanup.policy", "", ""},
		{"cleanup.policy", "compact,compact", ""},
		{"min.cleanable.dirty.ratio", "0.10", "0.1"},
		{"min.cleanable.dirty.ratio", "1", "1.0"},
		{"min.cleanable.dirty.ratio", "0", "0.0"},
		{"min.cleanable.dirty.ratio", "0.0005", "5.0E-4"},
		{"min.cleanable.dirty.ratio", "1.1", ""},
		{"min.cleanable.dirty.ratio", "NaN", ""},
		{"preallocate", "FALSE", "false"},
		{"preallocate", "yes", ""},
		{"retention.ms", "-1", "-1"},
		{"retention.ms", "-2", ""},
		{"retention.ms", "1e3", ""},
		{"retention.ms", "0100", "100"},
		{"local.retention.ms", "-2", "-2"},
		{"max.message.bytes", "2147483648", ""},
		{"compression.type", "zstd", "zstd"},
		{"compression.type", "ZSTD", ""},
		{"compression.gzip.level", "0", ""},
		{"compression.gzip.level", "-1", "-1"},
		{"leader.replication.throttled.replicas", "", ""},
		{"leader.replication.throttled.replicas", "0:1, 1:2", "0:1,1:2"},
	} {
		known, found := kafka.LookupConfig(c.name)
		if !found {
			t.Fatalf("%s is not known", c.name)
		}
		if got, _ := known.Canonical(c.given); got != c.want {
			t.Errorf("%s = %q is %q, want %q", c.name, c.given, got, c.want)
		}
	}
}
