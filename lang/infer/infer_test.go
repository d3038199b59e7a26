package infer_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine/embedded/embeddedtest"
	"github.com/dfe-engine/dfe/lang/canon"
	"github.com/dfe-engine/dfe/lang/ddl"
)

func TestMain(m *testing.M) { embeddedtest.Main(m) }

const columns = "u8 UInt8, u64 UInt64, i8 Int8, i64 Int64, f Float64, f32 Float32, b Bool, s String, d Date, dt DateTime, dz DateTime('UTC'), " +
	"d64 DateTime64(3), ns Nullable(String), nu Nullable(UInt8), lc LowCardinality(String), lu LowCardinality(UInt8), list Array(UInt8), words Array(String), " +
	"m Map(String, UInt8), t Tuple(a UInt8, b String), dec Decimal(9, 2), id UUID, e Enum8('a' = 1)"

// expressions are such that the text alone says their type.
var expressions = strings.Split(strings.TrimSpace(`
0
255
256
65536
4294967296
-1
-129
-32769
1.5
'x'
true
inf
[1, 300]
[1, -1]
[1, NULL]
[[1], [2]]
(1, 'x')
map('a', 1, 'b', 300)
u8 + 1
u8 + u64
u64 - 1
u8 - 1
i8 * u8
u8 / 2
u64 % 3
i64 % 3
i8 % u8
u8 DIV 2
i64 DIV u8
-u8
-u64
-i8
-(1)
f32 + 1
f + f32
f % 2
nu + 1
dec + 1
2 - dec
dec * dec
dec / u64
dec % toDecimal64(3, 1)
toDecimal32(1, 3) / dec
toDecimal128(1, 3) + dec
dec * 1.5
-dec
dec + dec * b
lu + 1
u8 = 1
lc = 'x'
lc = s
nu = 1
u8 BETWEEN 1 AND 3
s LIKE 'x%'
u8 IN (1, 2)
nu IN (1, 2)
lc IN ('a')
b AND u8
u8 AND u8
NOT u8
NOT b
nu IS NULL
d + 1
d + INTERVAL 1 DAY
d + INTERVAL 1 HOUR
d - d
dt - dt
dt + INTERVAL 1 MONTH
dz + INTERVAL 1 SECOND
dt - 5
list[1]
m['a']
t.1
t.a
t.b
(1, 'x').2
list.size0
m.keys
m.values
ns.null
s || 'x'
lc || 'x'
ns || 'x'
concat(s, u8)
upper(s)
lower(lc)
length(s)
length(lc)
length(list)
substring(s, 1, 2)
substring(ns, 1, 2)
replaceAll(s, 'a', 'b')
splitByChar(',', s)
toString(u8)
toString(nu)
toString(lc)
toUInt8(s)
toUInt64(lc)
toInt32(nu)
toDate(dt)
toDate(lc)
toDateTime(s)
toDateTime(dz)
toDateTime(s, 'UTC')
toDateTime64(s, 3)
toDecimal64(s, 4)
toFixedString(s, 4)
toUInt8OrNull(s)
toYear(dt)
toMonth(d)
toYYYYMM(dt)
toStartOfHour(dt)
toStartOfDay(dt)
toStartOfMonth(dt)
toMonday(d)
toUnixTimestamp(dt)
toStartOfInterval(dt, INTERVAL 5 MINUTE)
toIntervalDay(1)
dateDiff('day', dt, d)
now()
now64(3)
today()
rand()
generateUUIDv4()
currentDatabase()
cityHash64(s, u8)
CAST(u8, 'String')
u8::Nullable(UInt32)
CAST(s AS DateTime64(3, 'UTC'))
if(u8, 1, 300)
if(u8, -1, 1)
if(u8, s, NULL)
u8 ? f32 : 1
multiIf(u8 = 1, 'a', u8 = 2, 'b', 'c')
CASE u8 WHEN 1 THEN 'x' END
CASE WHEN u8 = 1 THEN 1 ELSE -300 END
ifNull(nu, 1)
ifNull(ns, 'x')
coalesce(nu, 1)
coalesce(ns, s)
assumeNotNull(ns)
toNullable(u8)
toLowCardinality(s)
identity(e)
materialize(id)
abs(i8)
arrayMap(x -> x + 1, list)
arrayMap((x, y) -> concat(y, 'x'), list, words)
arrayFilter(x -> x > 1, list)
arrayExists(x -> x = 1, list)
arraySum(list)
arrayJoin(words)
has(list, 1)
round(f)
tuple(u8, s)
mapKeys(m)
`), "\n")

func TestTheInferredTypeIsTheEnginesOwn(t *testing.T) {
	var definition, selection strings.Builder
	for i, e := range expressions {
		fmt.Fprintf(&definition, ", x%d DEFAULT %s", i, e)
		if i > 0 {
			selection.WriteString(", ")
		}
		fmt.Fprintf(&selection, "%s AS x%d", e, i)
	}
	object, err := ddl.ParseStatement("CREATE TABLE probe.t (" + columns + definition.String() + ") ENGINE = Memory")
	if err != nil {
		t.Fatal(err)
	}
	table := canon.Object(object, canon.Env{}).(*ast.Table)

	db := embeddedtest.Database(t)
	query(t, "CREATE TABLE "+db+".t ("+columns+") ENGINE = Memory SETTINGS allow_suspicious_low_cardinality_types = 1")
	answer := query(t, "DESCRIBE (SELECT "+selection.String()+" FROM "+db+".t) SETTINGS enable_analyzer = 1, print_pretty_type_names = 0 FORMAT TSVRaw")
	for i, line := range strings.Split(strings.TrimSpace(answer), "\n") {
		name, rest, _ := strings.Cut(line, "\t")
		want, _, _ := strings.Cut(rest, "\t")
		column := table.Column(fmt.Sprintf("x%d", i))
		if name != column.Name {
			t.Fatalf("column %d is %s", i, name)
		}
		if column.Type.Kind == ast.Unknown {
			t.Errorf("%s is %s: %s", expressions[i], want, column.Type.Text)
		} else if got := canon.TypeText(column.Type); got != want {
			t.Errorf("%s: inferred %s, is %s", expressions[i], got, want)
		}
	}
}

// TestWhatTheTextDoesNotSayHasAReason: no guess where a column, a function or a branch is not known.
func TestWhatTheTextDoesNotSayHasAReason(t *testing.T) {
	for _, c := range []struct{ expression, reason string }{
		{"nobody + 1", "the text does not say what nobody is"},
		{"mystery(u8)", "the result type of mystery does not follow from the text"},
		{"if(u8, 'x', 1)", "the branches of if have no common type that the text determines"},
		{"s + dec", "the result of + over String, Decimal does not follow from the text"},
		{"[u64, i64]", "the elements of an array have no common type that the text determines"},
		{"if(1, 2, 300)", "a constant condition of if decides its type at run time"},
		{"CAST(u8, 'Array')", "the target of CAST is no type"},
		{"x", "the columns that define x define each other"},
	} {
		object, err := ddl.ParseStatement("CREATE TABLE probe.t (" + columns + ", x DEFAULT " + c.expression + ") ENGINE = Memory")
		if err != nil {
			t.Fatal(err)
		}
		got := canon.Object(object, canon.Env{}).(*ast.Table).Column("x").Type
		if got.Kind != ast.Unknown || !strings.HasSuffix(got.Text, c.reason) {
			t.Errorf("%s: %s", c.expression, got.Text)
		}
	}
}

func query(t *testing.T, sql string) string {
	t.Helper()
	response, err := http.Post(embeddedtest.Server(t), "text/plain", strings.NewReader(sql))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		t.Fatalf("%.200s: %s", sql, body)
	}
	return string(body)
}
