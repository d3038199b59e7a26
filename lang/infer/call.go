package infer

import (
	"strconv"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/ddl"
)

func decimal(n int) string { return strconv.Itoa(n) }

// fixed are functions with one result type that handle Nullable and LowCardinality the default way.
var fixed = map[string]string{
	"toUInt8": "UInt8", "toUInt16": "UInt16", "toUInt32": "UInt32", "toUInt64": "UInt64", "toInt8": "Int8", "toInt16": "Int16",
	"toInt32": "Int32", "toInt64": "Int64", "toFloat32": "Float32", "toFloat64": "Float64", "toDate": "Date", "toDate32": "Date32",
	"toUUID": "UUID", "toIPv4": "IPv4", "toIPv6": "IPv6", "toString": "String", "toBool": "Bool",
	"toUInt8OrZero": "UInt8", "toUInt16OrZero": "UInt16", "toUInt32OrZero": "UInt32", "toUInt64OrZero": "UInt64", "toInt8OrZero": "Int8",
	"toInt16OrZero": "Int16", "toInt32OrZero": "Int32", "toInt64OrZero": "Int64", "toFloat32OrZero": "Float32", "toFloat64OrZero": "Float64",
	"toUInt8OrNull": "Nullable(UInt8)", "toUInt16OrNull": "Nullable(UInt16)", "toUInt32OrNull": "Nullable(UInt32)", "toUInt64OrNull": "Nullable(UInt64)",
	"toInt8OrNull": "Nullable(Int8)", "toInt16OrNull": "Nullable(Int16)", "toInt32OrNull": "Nullable(Int32)", "toInt64OrNull": "Nullable(Int64)",
	"toFloat32OrNull": "Nullable(Float32)", "toFloat64OrNull": "Nullable(Float64)",
	"toYear": "UInt16", "toQuarter": "UInt8", "toMonth": "UInt8", "toDayOfYear": "UInt16", "toDayOfMonth": "UInt8", "toDayOfWeek": "UInt8",
	"toHour": "UInt8", "toMinute": "UInt8", "toSecond": "UInt8", "toISOYear": "UInt16", "toISOWeek": "UInt8", "toYYYYMM": "UInt32",
	"toYYYYMMDD": "UInt32", "toYYYYMMDDhhmmss": "UInt64", "toUnixTimestamp": "UInt32", "toWeek": "UInt8", "toYearWeek": "UInt32",
	"toIntervalSecond": "IntervalSecond", "toIntervalMinute": "IntervalMinute", "toIntervalHour": "IntervalHour", "toIntervalDay": "IntervalDay",
	"toIntervalWeek": "IntervalWeek", "toIntervalMonth": "IntervalMonth", "toIntervalQuarter": "IntervalQuarter", "toIntervalYear": "IntervalYear",
	"length": "UInt64", "lengthUTF8": "UInt64", "empty": "UInt8", "notEmpty": "UInt8", "lower": "String", "upper": "String", "lowerUTF8": "String",
	"upperUTF8": "String", "substring": "String", "substringUTF8": "String", "concat": "String", "replaceAll": "String", "replaceOne": "String",
	"replaceRegexpAll": "String", "replaceRegexpOne": "String", "trimBoth": "String", "trimLeft": "String", "trimRight": "String",
	"hex": "String", "base64Encode": "String", "domain": "String", "path": "String", "formatDateTime": "String", "match": "UInt8",
	"position": "UInt64", "startsWith": "UInt8", "endsWith": "UInt8", "splitByChar": "Array(String)", "splitByString": "Array(String)",
	"sqrt": "Float64", "exp": "Float64", "log": "Float64", "log2": "Float64", "log10": "Float64", "pow": "Float64", "sin": "Float64",
	"cos": "Float64", "tan": "Float64", "concatWithSeparator": "String", "repeat": "String",
	"dateDiff": "Int64", "toStartOfHour": "DateTime", "toStartOfMinute": "DateTime", "extract": "String", "JSONExtractString": "String",
	"isNaN": "UInt8", "isFinite": "UInt8", "xxHash32": "UInt32",
}

// constantResult are functions whose type no argument decides.
var constantResult = map[string]string{
	"now": "DateTime", "today": "Date", "yesterday": "Date", "rand": "UInt32", "rand64": "UInt64", "generateUUIDv4": "UUID",
	"cityHash64": "UInt64", "sipHash64": "UInt64", "xxHash64": "UInt64", "farmHash64": "UInt64", "metroHash64": "UInt64", "MD5": "FixedString(16)",
	"currentDatabase": "String", "hostName": "String", "version": "String", "currentUser": "String", "rowNumberInAllBlocks": "UInt64",
	"transactionID": "Tuple(UInt64, UInt64, UUID)", "generateUUIDv7": "UUID", "CURRENT_DATE": "Date", "murmurHash3_64": "UInt64", "murmurHash3_32": "UInt32",
	"intHash64": "UInt64", "intHash32": "UInt32", "sipHash128": "FixedString(16)", "FQDN": "String", "isNull": "UInt8", "isNotNull": "UInt8",
}

func (i *inferrer) call(n *ast.Node) (value, bool) {
	for _, k := range n.Kids {
		if k.Kind == ast.Clause || k.Kind == ast.Params {
			return i.fail("the result of %s does not follow from the text", n.Text)
		}
	}
	switch n.Text {
	case "CAST":
		if len(n.Kids) == 2 && n.Kids[1].Kind == ast.Type && whole(n.Kids[1]) {
			return value{typ: n.Kids[1], constant: n.Kids[0].Kind == ast.String || n.Kids[0].Kind == ast.Number}, true
		}
		return i.fail("the target of CAST is no type")
	case "if", "multiIf":
		return i.conditional(n)
	case "caseWithExpression":
		return i.caseOf(n)
	}
	if len(n.Kids) > 1 && n.Kids[0].Kind == ast.Lambda {
		return i.overArrays(n)
	}
	if spec, ok := constantResult[n.Text]; ok {
		for _, k := range n.Kids {
			if v, ok := i.value(k); !ok || v.typ.Text == "Nullable" || v.typ.Text == "LowCardinality" {
				return i.fail("the result of %s does not follow from the text", n.Text)
			}
		}
		if n.Text == "now" && len(n.Kids) > 0 {
			return i.fail("the time zone of now() does not follow from the text")
		}
		return value{typ: parsed(spec)}, true
	}
	values, ok := i.values(n.Kids)
	if !ok {
		return value{}, false
	}
	if spec, ok := fixed[n.Text]; ok {
		if reason := exception(n, values); reason != "" {
			return i.fail("%s", reason)
		}
		return ordinary(values, parsed(spec))
	}
	return i.shaped(n, values)
}

// exception is where a function of the fixed table has another result than its usual one.
func exception(n *ast.Node, values []value) string {
	if len(values) == 0 {
		return "the result of " + n.Text + "() does not follow from the text"
	}
	first := bare(values[0].typ)
	odd := false
	switch n.Text {
	case "concat", "concatWithSeparator":
		for _, v := range values {
			t := bare(v.typ)
			odd = odd || t.Text == "Array" || t.Text == "Map" || t.Text == "Tuple" || t.Text == "Nothing"
		}
	case "toStartOfHour", "toStartOfMinute":
		odd = first.Text != "DateTime" || len(first.Kids) > 0 || len(values) > 1
	case "toUnixTimestamp":
		odd = first.Text == "Date32" || first.Text == "DateTime64"
	case "substring", "replaceAll", "replaceOne", "lower", "upper", "hex":
		odd = first.Text != "String" && n.Text != "hex"
	case "splitByChar", "splitByString":
		odd = len(values) > 3
	case "length":
		odd = first.Text == "Tuple"
	case "JSONExtractString":
		for _, v := range values {
			odd = odd || v.typ.Text == "LowCardinality"
		}
	case "toDateTime":
		odd = len(values) > 1
	}
	if odd || first.Text == "Nothing" || first.Text == "Dynamic" || first.Text == "Variant" || first.Text == "JSON" {
		return "the result of " + n.Text + " over " + first.Text + " does not follow from the text"
	}
	return ""
}

// shaped are functions whose result takes its shape from the arguments.
func (i *inferrer) shaped(n *ast.Node, values []value) (value, bool) {
	unknown := func() (value, bool) {
		return i.fail("the result type of %s does not follow from the text", n.Text)
	}
	if len(values) == 0 {
		return unknown()
	}
	first := values[0]
	switch n.Text {
	case "identity", "materialize", "any", "min", "max", "anyLast", "reverse", "arrayReverse", "arraySort", "arrayDistinct":
		if len(values) == 1 && (n.Text == "identity" || n.Text == "materialize") {
			return value{typ: first.typ}, true
		}
		if strings.HasPrefix(n.Text, "array") && len(values) == 1 && first.typ.Text == "Array" {
			return first, true
		}
	case "toDateTime":
		switch len(values) {
		case 1:
			t := simple("DateTime")
			if from := bare(first.typ); from.Text == "DateTime" || from.Text == "DateTime64" {
				if zone := from.Kids; len(zone) > 0 && zone[len(zone)-1].Kind == ast.String {
					t = wrap("DateTime", zone[len(zone)-1])
				}
			}
			return ordinary(values, t)
		case 2:
			if n.Kids[1].Kind == ast.String {
				return ordinary(values[:1], wrap("DateTime", n.Kids[1]))
			}
		}
	case "toDateTime64":
		if len(values) == 2 && n.Kids[1].Kind == ast.Number && bare(first.typ).Text != "DateTime" && bare(first.typ).Text != "DateTime64" {
			return ordinary(values, wrap("DateTime64", n.Kids[1]))
		}
		if len(values) == 3 && n.Kids[1].Kind == ast.Number && n.Kids[2].Kind == ast.String {
			return ordinary(values[:1], wrap("DateTime64", n.Kids[1], n.Kids[2]))
		}
	case "now64":
		if len(values) == 1 && n.Kids[0].Kind == ast.Number {
			return value{typ: wrap("DateTime64", n.Kids[0])}, true
		}
	case "toDecimal32", "toDecimal64", "toDecimal128", "toDecimal256":
		precision := map[string]string{"toDecimal32": "9", "toDecimal64": "18", "toDecimal128": "38", "toDecimal256": "76"}[n.Text]
		if len(values) == 2 && n.Kids[1].Kind == ast.Number {
			return ordinary(values, wrap("Decimal", ast.N(ast.Number, precision), n.Kids[1]))
		}
	case "toFixedString":
		if len(values) == 2 && n.Kids[1].Kind == ast.Number {
			return ordinary(values, wrap("FixedString", n.Kids[1]))
		}
	case "toStartOfDay":
		if t := bare(first.typ); len(values) == 1 && len(t.Kids) == 0 && (t.Text == "Date" || t.Text == "DateTime") {
			return ordinary(values, simple("DateTime"))
		}
	case "toStartOfMonth", "toStartOfYear", "toStartOfQuarter", "toMonday":
		if t := bare(first.typ); len(values) == 1 && (t.Text == "Date" || t.Text == "DateTime") {
			return ordinary(values, simple("Date"))
		}
	case "intDiv", "bitAnd", "bitOr", "bitXor":
		return i.arithmetic(n.Text, values)
	case "map":
		return i.mapOf(values)
	case "mapKeys":
		if first.typ.Text == "Map" {
			return value{wrap("Array", first.typ.Kids[0]), first.constant}, true
		}
	case "mapValues":
		if first.typ.Text == "Map" {
			return value{wrap("Array", first.typ.Kids[1]), first.constant}, true
		}
	case "tupleElement":
		if len(n.Kids) == 2 {
			if t := tupleMember(first.typ, n.Kids[1]); t != nil {
				return value{t, first.constant}, true
			}
		}
	case "ifNull":
		if len(values) == 2 && first.typ.Text == "Nullable" {
			if t := supertype([]*ast.Node{first.typ.Kids[0], values[1].typ}); t != nil {
				return value{t, constants(values)}, true
			}
		}
	case "assumeNotNull":
		if first.typ.Text == "Nullable" {
			return value{first.typ.Kids[0], first.constant}, true
		}
		if first.typ.Text != "LowCardinality" {
			return first, true
		}
	case "toNullable":
		if first.typ.Text == "Nullable" {
			return first, true
		}
		if _, ok := numeric(first.typ); ok || first.typ.Text == "String" || isTime(first.typ) {
			return value{wrap("Nullable", first.typ), first.constant}, true
		}
	case "toLowCardinality":
		if first.typ.Text != "LowCardinality" && dictionaryType(bare(first.typ)) {
			return value{typ: wrap("LowCardinality", first.typ)}, true
		}
	case "abs":
		if a, ok := numeric(bare(first.typ)); ok {
			if !a.float {
				a.signed = false
			}
			return ordinary(values, a.typ())
		}
	}
	return i.choosing(n, values)
}

func (i *inferrer) mapOf(values []value) (value, bool) {
	if len(values)%2 != 0 {
		return i.fail("map takes keys and values in turn")
	}
	var keys, elements []*ast.Node
	for k, v := range values {
		if k%2 == 0 {
			keys = append(keys, v.typ)
		} else {
			elements = append(elements, v.typ)
		}
	}
	key, element := supertype(keys), supertype(elements)
	if key == nil || element == nil {
		return i.fail("the keys or values of a map have no common type that the text determines")
	}
	return value{wrap("Map", key, element), constants(values)}, true
}

// conditional is if(c, a, b) and multiIf(c, a, c, b, d).
func (i *inferrer) conditional(n *ast.Node) (value, bool) {
	values, ok := i.values(n.Kids)
	if !ok {
		return value{}, false
	}
	var results []*ast.Node
	for k, v := range values {
		if k%2 == 1 || k == len(values)-1 {
			results = append(results, v.typ)
			continue
		}
		if v.constant {
			return i.fail("a constant condition of %s decides its type at run time", n.Text)
		}
	}
	return i.branches(n, results)
}

func (i *inferrer) caseOf(n *ast.Node) (value, bool) {
	values, ok := i.values(n.Kids)
	if !ok {
		return value{}, false
	}
	var results []*ast.Node
	for k, v := range values {
		if k > 0 && (k%2 == 0 || k == len(values)-1) {
			results = append(results, v.typ)
		}
	}
	return i.branches(n, results)
}

func (i *inferrer) branches(n *ast.Node, results []*ast.Node) (value, bool) {
	for _, t := range results {
		if t.Text == "LowCardinality" {
			return i.fail("the result of %s over LowCardinality does not follow from the text", n.Text)
		}
	}
	if len(results) > 0 {
		if t := supertype(results); t != nil && bare(t).Text != "Nothing" {
			return value{typ: t}, true
		}
	}
	return i.fail("the branches of %s have no common type that the text determines", n.Text)
}

func parsed(spec string) *ast.Node {
	if !strings.ContainsRune(spec, '(') {
		return simple(spec)
	}
	t, err := ddl.ParseType(spec)
	if err != nil {
		panic("infer: " + spec + ": " + err.Error()) // the tables above hold types
	}
	return t
}
