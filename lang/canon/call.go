package canon

import (
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/facts"
)

// maxInlining is how deep SQL functions may call each other; ClickHouse refuses recursive ones.
const maxInlining = 32

// functionName resolves case and aliases (case S19), under aggregate function combinators too. A name ClickHouse does not
// know stays as it is.
func functionName(s string) string {
	switch len(s) {
	case len("TRIM"), len("LTRIM"): // syntax of ClickHouse's parser, in any case
		switch {
		case strings.EqualFold(s, "TRIM"):
			return "trimBoth"
		case strings.EqualFold(s, "LTRIM"):
			return "trimLeft"
		case strings.EqualFold(s, "RTRIM"):
			return "trimRight"
		}
	}
	if f, ok := facts.FindFunction(s); ok {
		return f.Name
	}
	suffix := ""
	for base, combinator := facts.Combinator(s); base != ""; base, combinator = facts.Combinator(base) {
		suffix = combinator + suffix
		if f, ok := facts.FindFunction(base); ok && f.Aggregate {
			return f.Name + suffix
		}
	}
	return s
}

// knownFunction reports whether ClickHouse itself has the function.
func knownFunction(s string) bool {
	if _, ok := facts.FindFunction(s); ok {
		return true
	}
	for base, _ := facts.Combinator(s); base != ""; base, _ = facts.Combinator(base) {
		if _, ok := facts.FindFunction(base); ok {
			return true
		}
	}
	return false
}

// operators are the functions ClickHouse's operators stand for, by the operator the canonical form has.
var operators = map[string]string{
	"plus": "+", "minus": "-", "multiply": "*", "divide": "/", "modulo": "%", "equals": "=", "notEquals": "!=", "less": "<",
	"greater": ">", "lessOrEquals": "<=", "greaterOrEquals": ">=", "like": "LIKE", "notLike": "NOT LIKE", "ilike": "ILIKE",
	"notILike": "NOT ILIKE", "in": "IN", "notIn": "NOT IN", "globalIn": "GLOBAL IN", "globalNotIn": "GLOBAL NOT IN",
	"isNotDistinctFrom": "<=>", "isDistinctFrom": "IS DISTINCT FROM", "arrayElement": "[]",
	"and": "AND", "or": "OR", "not": "NOT", "negate": "-", "isNull": "IS NULL", "isNotNull": "IS NOT NULL",
}

func (f *form) call(n *ast.Node) *ast.Node {
	if modified(n) {
		n = f.modifiers(n)
	}
	switch n.Text {
	case "toDate", "toDateTime", "now", "cityHash64", "lower", "upper", "concat", "if", "multiIf", "count", "sum", "toString", "toIntervalDay", "toYYYYMM":
		return with(n, each(n.Kids, f.expr))
	}
	if special := f.special(n); special != nil {
		return special
	}
	name := functionName(n.Text)
	if name == n.Text && f.env.Function != nil && !knownFunction(name) {
		if body := f.inline(n); body != nil {
			return body
		}
	}
	switch name {
	case "CAST":
		return f.castCall(n)
	case "tuple":
		return at(n, ast.Tuple, "", each(n.Kids, f.expr)...)
	case "array":
		return at(n, ast.Array, "", each(n.Kids, f.expr)...)
	case "tupleElement":
		if len(n.Kids) == 2 {
			return f.tupleElement(n)
		}
	case "lambda":
		if len(n.Kids) == 2 {
			return f.lambdaCall(n)
		}
	}
	if name == "negate" && len(n.Kids) == 1 && n.Kids[0].Kind == ast.Number { // -(1), no literal
		n = at(n, ast.Func, name, at(n.Kids[0], ast.Paren, "", n.Kids[0]))
	}
	if op, ok := operators[name]; ok && len(n.Kids) == arity(op, name, len(n.Kids)) {
		return f.operator(at(n, ast.Operator, op, n.Kids...))
	}
	if f.query || strings.HasPrefix(name, "dict") {
		if c := f.dictionaryCall(n, name); c != nil {
			return c
		}
	}
	kids := each(n.Kids, f.expr)
	if name == "countIf" && len(kids) == 2 && kids[0].Kind == ast.Star {
		kids = kids[1:] // ClickHouse makes countIf(c) of count(*) FILTER (WHERE c), and COUNTIf(*, c) of COUNT(*)
	}
	return renamedCall(n, name, kids)
}

// arity is how many arguments the operator form of a function takes.
func arity(op, name string, written int) int {
	switch name {
	case "and", "or":
		return max(written, 2)
	case "not", "negate", "isNull", "isNotNull":
		return 1
	}
	return 2
}

func renamedCall(n *ast.Node, name string, kids []*ast.Node) *ast.Node {
	if n.Text == name && same(n.Kids, kids) {
		return n
	}
	return at(n, ast.Func, name, kids...)
}

// modified reports whether DISTINCT or FILTER stands in the call.
func modified(n *ast.Node) bool {
	for _, k := range n.Kids {
		if k.Kind == ast.Clause && (k.Text == "DISTINCT" || k.Text == "FILTER") {
			return true
		}
	}
	return false
}

// modifiers makes count(DISTINCT x) countDistinct(x) and sum(x) FILTER (WHERE c) sumIf(x, c), as ClickHouse's parser does.
func (f *form) modifiers(n *ast.Node) *ast.Node {
	name := functionName(n.Text)
	kids := make([]*ast.Node, 0, len(n.Kids))
	var condition *ast.Node
	last := 0
	for _, k := range n.Kids {
		switch {
		case k.Kind == ast.Clause && k.Text == "DISTINCT":
			name += "Distinct"
			continue
		case k.Kind == ast.Clause && k.Text == "FILTER":
			condition = k.Kids[0]
			continue
		}
		kids = append(kids, k)
		if k.Kind != ast.Clause {
			last = len(kids)
		}
	}
	if condition != nil {
		name += "If"
		kids = slices.Insert(kids, last, condition)
	}
	return at(n, ast.Func, name, kids...)
}

// special handles the calls with a syntax of their own.
func (f *form) special(n *ast.Node) *ast.Node {
	if len(n.Kids) == 0 {
		return nil
	}
	first := n.Kids[0]
	switch {
	case first.Kind == ast.Clause && strings.EqualFold(n.Text, "EXTRACT") && len(first.Kids) == 1:
		return f.extract(n, first.Text, f.expr(first.Kids[0]))
	case first.Kind == ast.Clause && strings.EqualFold(n.Text, "TRIM"):
		name := map[string]string{"BOTH": "trimBoth", "LEADING": "trimLeft", "TRAILING": "trimRight"}[first.Text]
		return at(n, ast.Func, name, each(first.Kids, f.expr)...)
	case first.Kind == ast.Keyword && len(n.Kids) == 3 && isUnit(first.Text):
		return f.dateFunction(n, first.Text)
	case len(n.Kids) == 2 && first.Kind != ast.Keyword:
		switch op := dateOperator(n.Text); op {
		case "+", "-":
			return f.operator(at(n, ast.Operator, op, n.Kids...))
		}
	}
	return nil
}

// dateOperator is + for DATE_ADD and its like, - for DATE_SUB, "d" for DATE_DIFF.
func dateOperator(name string) string {
	switch strings.ToLower(strings.ReplaceAll(name, "_", "")) {
	case "dateadd", "timestampadd":
		return "+"
	case "datesub", "timestampsub":
		return "-"
	case "datediff", "timestampdiff":
		return "d"
	}
	return ""
}

func isUnit(word string) bool {
	switch strings.TrimPrefix(strings.ToUpper(word), "SQL_TSI_") {
	case "NANOSECOND", "MICROSECOND", "MILLISECOND", "SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR":
		return true
	}
	return false
}

// dateFunction is DATE_ADD(DAY, 1, d) and its like, whose first argument is a bare unit.
func (f *form) dateFunction(n *ast.Node, unit string) *ast.Node {
	unit = strings.TrimPrefix(strings.ToUpper(unit), "SQL_TSI_")
	a, b := f.expr(n.Kids[1]), f.expr(n.Kids[2])
	switch op := dateOperator(n.Text); op {
	case "+", "-":
		return at(n, ast.Operator, op, b, at(n, ast.Func, intervalFunction(unit), a))
	case "d":
		return at(n, ast.Func, "dateDiff", at(n, ast.String, strings.ToLower(unit)), a, b)
	}
	return nil
}

// extract is EXTRACT(unit FROM x), by ClickHouse's ParserExtractExpression.
func (f *form) extract(n *ast.Node, unit string, x *ast.Node) *ast.Node {
	name := ""
	switch unit {
	case "NANOSECOND", "MICROSECOND", "MILLISECOND", "SECOND", "MINUTE", "HOUR", "MONTH", "QUARTER", "YEAR":
		name = "to" + unit[:1] + strings.ToLower(unit[1:])
	case "DAY":
		name = "toDayOfMonth"
	case "WEEK":
		name = "toISOWeek"
	case "EPOCH":
		name = "toUnixTimestamp"
	case "DOY":
		name = "toDayOfYear"
	case "ISODOW":
		name = "toDayOfWeek"
	case "ISOYEAR":
		name = "toISOYear"
	case "DOW":
		return at(n, ast.Func, "toDayOfWeek", x, literal(2))
	case "DECADE":
		return at(n, ast.Func, "intDiv", at(n, ast.Func, "__toYearCalendarOnly", x), literal(10))
	case "CENTURY", "MILLENNIUM":
		years := map[string]uint64{"CENTURY": 100, "MILLENNIUM": 1000}[unit]
		before := at(n, ast.Operator, "-", at(n, ast.Func, "__toYearCalendarOnly", x), literal(1))
		return at(n, ast.Operator, "+", at(n, ast.Func, "intDiv", before, literal(years)), literal(1))
	case "TIMEZONE_HOUR":
		return at(n, ast.Func, "intDiv", at(n, ast.Func, "timezoneOffset", x), int64Of(n, 3600))
	case "TIMEZONE_MINUTE":
		return at(n, ast.Func, "intDiv", at(n, ast.Operator, "%", at(n, ast.Func, "timezoneOffset", x), int64Of(n, 3600)), int64Of(n, 60))
	default:
		return at(n, ast.Func, "EXTRACT", at(n, ast.Clause, unit, x))
	}
	return at(n, ast.Func, name, x)
}

func int64Of(n *ast.Node, u uint64) *ast.Node { return at(n, ast.Func, "toInt64", literal(u)) }

// tupleElement(t, 1) is t.1.
func (f *form) tupleElement(n *ast.Node) *ast.Node {
	index := n.Kids[1]
	if index.Kind == ast.Number {
		return f.operator(at(n, ast.Operator, ".", n.Kids...))
	}
	return renamedCall(n, "tupleElement", each(n.Kids, f.expr))
}

// lambdaCall is lambda(tuple(x), body), the form of x -> body in calls.
func (f *form) lambdaCall(n *ast.Node) *ast.Node {
	parameters := n.Kids[0]
	for parameters.Kind == ast.Paren {
		parameters = parameters.Kids[0]
	}
	if parameters.Kind != ast.Tuple && (parameters.Kind != ast.Func || parameters.Text != "tuple") {
		return renamedCall(n, "lambda", each(n.Kids, f.expr))
	}
	return f.expr(at(n, ast.Lambda, "", append(slices.Clone(parameters.Kids), n.Kids[1])...))
}

// inline replaces a call of a SQL function by its body, as the server does when it stores a definition (case S92). Nil:
// there is no such function.
func (f *form) inline(n *ast.Node) *ast.Node {
	udf := f.env.function(n.Text)
	if udf == nil || udf.Lambda == nil || udf.Lambda.Kind != ast.Lambda || f.inlining >= maxInlining {
		return nil
	}
	parameters := udf.Lambda.Kids[:len(udf.Lambda.Kids)-1]
	if len(parameters) != len(n.Kids) {
		return nil
	}
	args := make(map[string]*ast.Node, len(parameters))
	for i, p := range parameters {
		args[p.Text] = n.Kids[i]
	}
	f.inlining++
	defer func() { f.inlining-- }()
	return f.expr(substitute(udf.Lambda.Kids[len(parameters)], args))
}

func substitute(n *ast.Node, args map[string]*ast.Node) *ast.Node {
	if n.Kind == ast.Ident && len(n.Kids) == 0 {
		if arg, ok := args[n.Text]; ok {
			return arg
		}
		return n
	}
	return with(n, each(n.Kids, func(k *ast.Node) *ast.Node { return substitute(k, args) }))
}

// dictionaryCall qualifies the dictionary that dictGet and its like read. Nil: nothing to do.
func (f *form) dictionaryCall(n *ast.Node, name string) *ast.Node {
	if !strings.HasPrefix(name, "dictGet") && name != "dictHas" && name != "dictIsIn" || len(n.Kids) == 0 || f.db == "" {
		return nil
	}
	first := n.Kids[0]
	var text string
	switch {
	case first.Kind == ast.String && !strings.Contains(first.Text, "."):
		text = f.db + "." + first.Text
	case first.Kind == ast.Ident && len(first.Kids) == 0:
		text = f.db + "." + first.Text
	case first.Kind == ast.Ident && len(first.Kids) == 2:
		text = first.Kids[0].Text + "." + first.Kids[1].Text
	default:
		return nil
	}
	kids := make([]*ast.Node, len(n.Kids))
	kids[0] = at(first, ast.String, text)
	for i, k := range n.Kids[1:] {
		kids[i+1] = f.expr(k)
	}
	return at(n, ast.Func, name, kids...)
}
