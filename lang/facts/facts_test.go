package facts_test

import (
	"testing"

	"github.com/dfe-engine/dfe/lang/facts"
)

func TestNamesResolveAsTheServerResolvesThem(t *testing.T) {
	for _, c := range []struct {
		what      string
		look      func(string) (string, bool)
		name, use string
	}{
		{"type", facts.TypeName, "UInt8", "UInt8"},
		{"type", facts.TypeName, "varchar", "String"},
		{"type", facts.TypeName, "DOUBLE PRECISION", "Float64"},
		{"type", facts.TypeName, "bigint unsigned", "UInt64"},
		{"type", facts.TypeName, "uint8", ""},
		{"function", function, "NOW", "now"},
		{"function", function, "substr", "substring"},
		{"function", function, "CONNECTION_ID", "connectionId"},
		{"function", function, "cityHash64", "cityHash64"},
		{"function", function, "CITYHASH64", ""},
		{"function", function, "first_value", "any"},
		{"table function", facts.TableFunction, "numbers", "numbers"},
		{"table function", facts.TableFunction, "now", ""},
	} {
		got, ok := c.look(c.name)
		if !ok {
			got = ""
		}
		if got != c.use {
			t.Errorf("%s %s is %q, want %q", c.what, c.name, got, c.use)
		}
	}
}

func function(name string) (string, bool) {
	f, ok := facts.FindFunction(name)
	return f.Name, ok
}

func TestAggregatesAndCombinatorsAreTold(t *testing.T) {
	if f, _ := facts.FindFunction("sum"); !f.Aggregate {
		t.Error("sum is an aggregate function")
	}
	if f, _ := facts.FindFunction("lower"); f.Aggregate {
		t.Error("lower is no aggregate function")
	}
	if base, combinator := facts.Combinator("sumOrNullIf"); base != "sumOrNull" || combinator != "If" {
		t.Errorf("sumOrNullIf is %s and %s", base, combinator)
	}
}

func TestSettingsBelongToTablesOrToSessions(t *testing.T) {
	for _, c := range []struct {
		engine, setting string
		kept            bool
	}{
		{"MergeTree", "index_granularity", true},
		{"ReplacingMergeTree", "max_threads", false},
		{"MergeTree", "a_setting_of_a_later_release", true},
		{"Memory", "max_rows_to_keep", true},
		{"Memory", "allow_suspicious_low_cardinality_types", false},
		{"Join", "join_use_nulls", true},
		{"Join", "max_threads", false},
		{"Kafka", "format_csv_delimiter", true},
		{"File", "output_format_parquet_use_custom_encoder", true}, // obsolete, and stored like any other
		{"Kafka", "output_format_parquet_use_custom_encoder", true},
		{"S3", "input_format_csv_empty_as_default", true},
		{"S3", "s3_truncate_on_insert", false},
	} {
		if got := facts.KeepsSetting(c.engine, c.setting); got != c.kept {
			t.Errorf("a table of %s keeps %s: %t, want %t", c.engine, c.setting, got, c.kept)
		}
	}
	granularity, ok := facts.MergeTreeSetting("index_granularity")
	if !ok || granularity.Default != "8192" || !granularity.ReadOnly || granularity.Type != "UInt64" {
		t.Errorf("index_granularity is %+v", granularity)
	}
}

func TestEnginesLayoutsCodecsAndSourcesAreKnown(t *testing.T) {
	if e, ok := facts.FindEngine("MergeTree"); !ok || !e.Projections || !e.TTL || e.Replication {
		t.Errorf("MergeTree is %+v", e)
	}
	if e, ok := facts.FindEngine("Kafka"); !ok || e.SkippingIndexes || !e.Settings {
		t.Errorf("Kafka is %+v", e)
	}
	if l, ok := facts.DictionaryLayout("COMPLEX_KEY_HASHED"); !ok || !l.Complex {
		t.Errorf("COMPLEX_KEY_HASHED is %+v", l)
	}
	if !facts.Codec("ZSTD") || facts.Codec("zstd") || !facts.DictionarySource("ClickHouse") || facts.DictionarySource("nowhere") {
		t.Error("codecs are case-sensitive, sources are not")
	}
	if facts.Version() == "" {
		t.Error("the facts do not say where they come from")
	}
}
