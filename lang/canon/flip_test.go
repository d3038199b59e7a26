package canon_test

import (
	"reflect"
	"testing"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/canon"
)

// noPart are the fields that are by design no part of what an object is.
var noPart = map[string]string{
	"Node.Pos":                     "a place in a text",
	"Node.Quote":                   "printing decides on quotes again",
	"Name.Database":                "names bring two objects together, or are compared where a part holds one",
	"Name.Name":                    "names bring two objects together, or are compared where a part holds one",
	"Database.Name":                "names bring two objects together",
	"Function.Name":                "names bring two objects together",
	"Origin.File":                  "where an object was declared",
	"Origin.Line":                  "where an object was declared",
	"Origin.Column":                "where an object was declared",
	"NamedCollection.Name":         "names bring two objects together",
	"CollectionKey.Value":          "a server hides it, and the ledger remembers it",
	"NamedCollection.Configured":   "it says where a live collection stands, and no statement changes it",
	"NamedCollection.FlagsUnknown": "it says what a server does not show",
	"Secret.Source":                "a server hides what it names, and the ledger remembers that",
	"Secret.Name":                  "a server hides what it names, and the ledger remembers that",
	"Secret.Literal":               "a statement of access alone has it",
	"Engine.HasParens":             "MergeTree() and MergeTree are one engine",
	"Target.Kind":                  "it brings two inner tables together",
	"Source.HasParens":             "NULL() and NULL are one source",
	"Layout.HasParens":             "FLAT() and FLAT are one layout",
	"Table.Clone":                  "it says where data comes from once and leaves no trace",
	"Table.Empty":                  "it says where data comes from once and leaves no trace",
	"MaterializedView.Populate":    "it leaves no trace in the stored text",
	"MaterializedView.Empty":       "it leaves no trace in the stored text",
}

// conditional are fields that say something only beside another one; each has to be seen somewhere.
var conditional = map[string]string{
	"Projection.Type":        "of a projection that is an index",
	"Engine.ReplicationArgs": "of an engine with a Replicated or Shared prefix",
	"Security.Reason":        "of a security that is written",
	"Dictionary.LifetimeMin": "with a LIFETIME clause",
	"Dictionary.LifetimeMax": "with a LIFETIME clause",
}

var samples = []string{
	`CREATE TABLE shop.orders (id UInt64, note String DEFAULT concat('a', 'b') COMMENT 'free text' CODEC(ZSTD(3)) TTL at + INTERVAL 1 DAY
		SETTINGS (min_compress_block_size = 1000), at DateTime, price Decimal(10, 2) STATISTICS(tdigest), INDEX by_note (note, id) TYPE set(10) GRANULARITY 2,
		PROJECTION by_note INDEX note TYPE basic, PROJECTION by_price (SELECT id, price ORDER BY price) WITH SETTINGS (index_granularity = 128), CONSTRAINT positive CHECK price > 0)
		ENGINE = ReplicatedReplacingMergeTree('/other/path', '{replica}', at) PARTITION BY toYYYYMM(at) PRIMARY KEY id ORDER BY (id, at)
		UNIQUE KEY id SAMPLE BY id TTL at + INTERVAL 1 MONTH RECOMPRESS CODEC(ZSTD(9)) SETTINGS index_granularity = 1024 COMMENT 'orders'`,
	`CREATE TABLE shop.pulse ENGINE = TimeSeries SETTINGS store_min_time_and_max_time = 0 SAMPLES shop.beats
		TAGS INNER COLUMNS (id UInt64, label String) TAGS INNER ENGINE = MergeTree ORDER BY id`,
	`CREATE VIEW shop.recent (id UInt64 COMMENT 'the order') DEFINER = auditor SQL SECURITY DEFINER AS WITH 3 AS days SELECT o.id FROM shop.orders AS o
		LEFT JOIN shop.users AS u ON u.id = o.id WHERE o.at > now() - toIntervalDay(days) ORDER BY o.id DESC LIMIT 5 COMMENT 'newest'`,
	`CREATE MATERIALIZED VIEW shop.daily REFRESH EVERY 1 DAY OFFSET 2 HOUR RANDOMIZE FOR 10 MINUTE DEPENDS ON shop.orders SETTINGS refresh_retries = 3 APPEND
		(day Date, n UInt64, INDEX by_n n TYPE minmax GRANULARITY 1) ENGINE = SummingMergeTree(n) ORDER BY day DEFINER = auditor SQL SECURITY DEFINER
		AS SELECT toDate(at) AS day, count() AS n FROM shop.orders GROUP BY day COMMENT 'per day'`,
	`CREATE MATERIALIZED VIEW shop.feed TO shop.orders (id UInt64) AS SELECT id FROM shop.queue`,
	`CREATE DICTIONARY shop.names (id UInt64, name String DEFAULT 'nobody' INJECTIVE, parent UInt64 HIERARCHICAL, full String EXPRESSION concat(name, '!'),
		since Date, until Date) PRIMARY KEY id SOURCE(HTTP(URL 'http://names' FORMAT 'CSV' HEADERS(HEADER(NAME 'a' VALUE 'b'))))
		LAYOUT(RANGE_HASHED(RANGE_LOOKUP_STRATEGY 'max')) RANGE(MIN since MAX until) LIFETIME(MIN 1 MAX 10) SETTINGS(max_threads = 1) COMMENT 'names'`,
	`CREATE FUNCTION twice AS (x) -> x * 2`,
	`CREATE NAMED COLLECTION bus AS broker = secret('file:/run/broker') OVERRIDABLE, password = secret('env:P') NOT OVERRIDABLE`,
	`CREATE DATABASE shop ENGINE = Atomic COMMENT 'all of it'`,
}

func TestFlippingAnyFieldMakesADifference(t *testing.T) {
	flipped := map[string]int{}
	for _, text := range samples {
		object := canon.Object(mustParse(t, text), canon.Env{})
		if diffs := compare(object, deepCopy(object)); len(diffs) > 0 {
			t.Fatalf("%s differs from its copy", object.ID())
		}
		for n := 0; ; n++ {
			other := deepCopy(object)
			field := flip(other, n)
			if field == "" {
				break
			}
			if _, ok := noPart[field]; ok {
				continue
			}
			seen := len(compare(object, other)) > 0
			if seen {
				flipped[field]++
			}
			if _, ok := conditional[field]; !seen && !ok {
				t.Errorf("%s: flipping %s (%d) is not seen", object.ID(), field, n)
			}
		}
	}
	for field := range conditional {
		if flipped[field] == 0 {
			t.Errorf("no sample shows a flipped %s", field)
		}
	}
	if flipped["Column.Codec"] == 0 || flipped["Refresh.Append"] == 0 || flipped["Attribute.Expression"] == 0 || flipped["Node.Text"] < 100 {
		t.Error("the samples do not reach every kind of object")
	}
}

func deepCopy(o ast.Object) ast.Object {
	return copied(reflect.ValueOf(o)).Interface().(ast.Object)
}

func copied(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return v
		}
		out := reflect.New(v.Type().Elem())
		out.Elem().Set(copied(v.Elem()))
		return out
	case reflect.Struct:
		out := reflect.New(v.Type()).Elem()
		for i := range v.NumField() {
			out.Field(i).Set(copied(v.Field(i)))
		}
		return out
	case reflect.Slice:
		if v.IsNil() {
			return v
		}
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(copied(v.Index(i)))
		}
		return out
	}
	return v
}

// flip changes the n-th field below o, depth first, and returns its name; "" when there are fewer.
func flip(o ast.Object, n int) string {
	name := ""
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() {
				walk(v.Elem())
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if name != "" {
					return
				}
				field := v.Field(i)
				if field.Kind() != reflect.Struct {
					if n == 0 {
						name = v.Type().Name() + "." + v.Type().Field(i).Name
						change(field)
						return
					}
					n--
				}
				walk(field)
			}
		}
	}
	walk(reflect.ValueOf(o))
	return name
}

func change(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "_flipped")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(v.Uint() + 1)
	case reflect.Int, reflect.Int32:
		v.SetInt(v.Int() + 1)
	case reflect.Slice:
		if v.Len() > 0 {
			v.Set(v.Slice(0, v.Len()-1))
			return
		}
		v.Set(reflect.Append(v, fresh(v.Type().Elem())))
	case reflect.Pointer:
		if !v.IsNil() {
			v.SetZero()
			return
		}
		v.Set(fresh(v.Type()))
	}
}

func fresh(t reflect.Type) reflect.Value {
	node := ast.N(ast.Ident, "flipped")
	switch t {
	case reflect.TypeFor[*ast.Node]():
		return reflect.ValueOf(node)
	case reflect.TypeFor[ast.Setting]():
		return reflect.ValueOf(ast.Setting{Name: "flipped", Value: node})
	case reflect.TypeFor[ast.Name]():
		return reflect.ValueOf(ast.Name{Name: "flipped"})
	case reflect.TypeFor[string]():
		return reflect.ValueOf("flipped")
	case reflect.TypeFor[*ast.Column]():
		return reflect.ValueOf(&ast.Column{Name: "flipped", Type: node})
	case reflect.TypeFor[*ast.Refresh]():
		return reflect.ValueOf(&ast.Refresh{Kind: "EVERY", Period: node})
	case reflect.TypeFor[*ast.Table]():
		return reflect.ValueOf(&ast.Table{Comment: "flipped"})
	}
	out := reflect.New(t.Elem())
	if name := out.Elem().FieldByName("Name"); name.IsValid() && name.Kind() == reflect.String {
		name.SetString("flipped")
	}
	return out
}
