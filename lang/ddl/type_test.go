package ddl_test

import (
	"testing"

	"github.com/dfe-engine/dfe/lang/ddl"
)

func TestTypesOfAllFormsAreRead(t *testing.T) {
	checkPrinted(t, ddl.ParseType, []printed{
		{src: "UInt8", tree: "(Type `UInt8`)"},
		{src: "Array(Nullable(DateTime64(3, 'UTC')))"},
		{src: "Decimal(10,2)", want: "Decimal(10, 2)"},
		{src: "Tuple()", want: "Tuple"},
		{src: "Tuple(a UInt8, `b c` Tuple(UInt8, String))", tree: "(Type `Tuple` (NamedType `a` (Type `UInt8`)) (NamedType `b c` (Type `Tuple` (Type `UInt8`) (Type `String`))))"},
		{src: "Nested(id UInt64, tags Array(String))"},
		{src: "Enum8('a'=1,'b'=-2)", want: "Enum8('a' = 1, 'b' = -2)", tree: "(Type `Enum8` (Equals `a` 1) (Equals `b` (Operator `-` 2)))"},
		{src: "Enum('a', 'b\\'c')"},
		{src: "Map(LowCardinality(String), Array(UInt8))"},
		{src: "JSON(max_dynamic_paths = 16, a.b UInt32, SKIP a.c, SKIP REGEXP '^x')", want: "JSON(max_dynamic_paths = 16, `a.b` UInt32, SKIP `a.c`, SKIP REGEXP '^x')"},
		{src: "Dynamic(max_types = 8)", tree: "(Type `Dynamic` (Equals `max_types` 8))"},
		{src: "Object(Nullable('json'))"},
		{src: "AggregateFunction(1, sumMap, Array(UInt8), Array(UInt64))", tree: "(Type `AggregateFunction` 1 sumMap (Type `Array` (Type `UInt8`)) (Type `Array` (Type `UInt64`)))"},
		{src: "AggregateFunction(quantiles(0.5, 0.9), Float64)"},
		{src: "SimpleAggregateFunction(anyLast, Nullable(String))"},
		{src: "Variant(String, Array(UInt8))"},
		{src: "QBit(Float32, 16)"},
		{src: "double precision", want: "DOUBLE PRECISION"},
		{src: "national character large object", want: "NATIONAL CHARACTER LARGE OBJECT"},
		{src: "char varying(10)", want: "CHAR VARYING(10)"},
		{src: "binary varying", want: "BINARY VARYING"},
		{src: "int(11) unsigned", want: "INT UNSIGNED(11)", tree: "(Type `INT UNSIGNED` 11)"},
		{src: "BIGINT signed", want: "BIGINT SIGNED"},
		{src: "UInt8 NULL", want: "Nullable(UInt8)"},
		{src: "UInt8 NOT NULL", want: "UInt8"},
		{src: "Array(", err: "line 1, column 7: expected a data type, found the end of the text"},
		{src: "Enum8('a' = b)", err: "line 1, column 13: expected the number of the enum's element, found b"},
		{src: "5", err: "line 1, column 1: expected a data type, found 5"},
	})
}
