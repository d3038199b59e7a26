package embedded

// statement is what the front end has to know of a query's text, and no more:
// whether data follows it, which format it names, and whether it may be streamed.
type statement struct {
	insert     bool   // an INSERT with data, not INSERT ... SELECT
	textEnd    int    // of an INSERT with data: where its own text ends, before FORMAT or VALUES
	dataFormat string // of an INSERT with data; empty when it names none
	dataStart  int    // of an INSERT with data
	format     string // the trailing FORMAT clause of a query
	streamable bool   // a plain SELECT
	input      bool   // INSERT ... SELECT from input(), the table function
	clientFile bool   // INTO OUTFILE or FROM INFILE: work of a client, not of a server
	second     int    // offset of a second statement, 0 without one
}

// inspect reads the text of a query. complete says that nothing follows text.
// Without it the answer may be unsettled (false): more text is needed.
func inspect(text []byte, complete bool) (statement, bool) {
	l := lexer{text: text}
	first := l.next()
	if first.word(text, "INSERT") {
		return inspectInsert(l, complete)
	}
	return inspectQuery(l, first), complete
}

// inspectInsert finds where the text of an INSERT ends and its data begins:
//
//	INSERT INTO [TABLE | FUNCTION] name [(columns)] [SETTINGS ...] VALUES | FORMAT name | SELECT ...
func inspectInsert(l lexer, complete bool) (statement, bool) {
	text := l.text
	t := l.next()
	if t.word(text, "INTO") {
		t = l.next()
	}
	if t.word(text, "TABLE") || t.word(text, "FUNCTION") {
		l.next()
	}
	// The table's name is behind us, which may be any word; a database before it ends in a dot.
	t = l.next()
	for t.is(text, ".") {
		l.next()
		t = l.next()
	}
	depth := 0
	for last := (token{}); t.kind != tokenEnd; last, t = t, l.next() {
		switch {
		case t.is(text, "("):
			depth++
		case t.is(text, ")"):
			depth--
		case (t.word(text, "SELECT") || t.word(text, "WITH")) && (depth == 0 || last.is(text, "(")):
			return statement{input: callsInput(l)}, complete
		case depth > 0:
		case t.word(text, "INFILE"):
			return statement{clientFile: true}, true
		case t.word(text, "VALUES"):
			s := statement{insert: true, textEnd: t.start, dataFormat: "Values", dataStart: t.end}
			return s, complete || t.end < len(text)
		case t.word(text, "FORMAT"):
			name := l.next()
			start := dataAfterFormat(text, name.end)
			s := statement{insert: true, textEnd: t.start, dataFormat: string(text[name.start:name.end]), dataStart: start}
			return s, complete || start < len(text)
		}
	}
	return statement{insert: true, textEnd: len(text), dataStart: len(text)}, complete
}

// callsInput reports whether what is left of a text calls input().
func callsInput(l lexer) bool {
	for last, t := (token{}), l.next(); t.kind != tokenEnd; last, t = t, l.next() {
		if last.word(l.text, "input") && t.is(l.text, "(") {
			return true
		}
	}
	return false
}

// dataAfterFormat skips what separates a format's name from the data: blanks,
// then one line end. (ClickHouse, Parsers/ParserInsertQuery.cpp)
func dataAfterFormat(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t' || text[at] == '\f') {
		at++
	}
	if at < len(text) && text[at] == '\r' {
		at++
	}
	if at < len(text) && text[at] == '\n' {
		at++
	}
	return at
}

// inspectQuery reads a statement without data.
func inspectQuery(l lexer, first token) statement {
	text := l.text
	var s statement
	s.streamable = first.word(text, "SELECT") || first.word(text, "WITH") || first.is(text, "(")
	depth := 0
	var named token // the format, while nothing but SETTINGS has followed it
	for last, t := (token{}), first; t.kind != tokenEnd; last, t = t, l.next() {
		if last.is(text, ";") && s.second == 0 && !t.is(text, ";") {
			s.second = t.start
		}
		if last == named && !t.word(text, "SETTINGS") && !t.is(text, ";") {
			s.format = "" // a column called format
		}
		switch {
		case t.is(text, "("), t.is(text, "["), t.is(text, "{"):
			depth++
		case t.is(text, ")"), t.is(text, "]"), t.is(text, "}"):
			depth--
		case t.word(text, "TOTALS"), t.word(text, "INSERT"):
			s.streamable = false
		case depth > 0:
		case t.word(text, "OUTFILE") && last.word(text, "INTO"):
			s.clientFile = true
		case last.word(text, "FORMAT") && t.kind == tokenWord && !t.word(text, "SETTINGS"):
			s.format, named = string(text[t.start:t.end]), t
		}
	}
	return s
}

// streams reports whether the pieces of a streamed result, put one after the
// other, are the whole result: formats that write no head and no foot.
func streams(format string) bool {
	switch format {
	case "Native", "RowBinary", "TabSeparated", "TSV", "TabSeparatedRaw", "TSVRaw", "CSV",
		"JSONEachRow", "JSONLines", "NDJSON", "JSONCompactEachRow":
		return true
	}
	return false
}
