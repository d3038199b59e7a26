package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine/embedded"
	"github.com/dfe-engine/dfe/lang/lex"
)

// A query over clusterAllReplicas is answered in two steps: the members' rows of the table are fetched, each with its
// member's name, and the engine here runs the query over them. hostName() in the same SELECT means that name, as a
// server evaluates it where the rows are.

// fan is one call of clusterAllReplicas.
type fan struct {
	from, to int // tokens of the call
	// first and last are the tokens of the SELECT it stands in, without its parentheses.
	first, last int
	cluster     string
	table       ast.Name
}

const (
	hostColumn = "_dfe_host"
	// hostHole becomes the name of the member that is asked.
	hostHole = "'<<dfe-host>>'"
)

// fansOf finds the calls in a text.
func fansOf(t *text) ([]*fan, error) {
	var fans []*fan
	for i := range t.tokens {
		if t.word(i) != "CLUSTERALLREPLICAS" || t.kind(i+1) != lex.LParen {
			continue
		}
		f := &fan{from: i, to: t.closing(i+1) + 1, cluster: t.value(i + 2)}
		if f.cluster == "" || t.kind(i+3) != lex.Comma {
			return nil, unsupported("clusterAllReplicas with these arguments")
		}
		next := 0
		f.table, next = t.full(i + 4)
		if t.kind(next) == lex.Comma && f.table.Database == "" && t.kind(i+4) != lex.EOF {
			f.table = ast.Name{Database: f.table.Name, Name: t.value(next + 1)}
			next += 2
		}
		if next != f.to-1 || f.table.Name == "" {
			return nil, unsupported("clusterAllReplicas with these arguments")
		}
		f.first, f.last = t.selectAround(i)
		fans = append(fans, f)
	}
	return fans, nil
}

// selectAround is the SELECT that a token stands in: tokens [first, last).
func (t *text) selectAround(i int) (first, last int) {
	d := t.depth[i]
	boundary := func(k int) bool {
		if t.depth[k] != d {
			return false
		}
		switch t.word(k) {
		case "UNION", "EXCEPT", "INTERSECT":
			return t.kind(k+1) != lex.LParen
		}
		return false
	}
	first, last = 0, len(t.tokens)
	for k := i; k >= 0; k-- {
		if t.depth[k] < d || boundary(k) {
			first = k + 1
			break
		}
	}
	for k := i; k < len(t.tokens); k++ {
		if t.depth[k] < d || boundary(k) {
			last = k
			break
		}
	}
	return first, last
}

func fanAt(fans []*fan, i int) *fan {
	for _, f := range fans {
		if f.from == i {
			return f
		}
	}
	return nil
}

// fanAround is the call whose SELECT a token belongs to, not counting those of subqueries around it.
func fanAround(t *text, fans []*fan, i int) *fan {
	for _, f := range fans {
		if i < f.first || i >= f.last {
			continue
		}
		// No subquery lies between: the nearest one that holds the token is the fan's own.
		inner := false
		for k := f.first; k < i; k++ {
			if t.kind(k) == lex.LParen && (t.word(k+1) == "SELECT" || t.word(k+1) == "WITH") && t.closing(k) > i {
				inner = true
			}
		}
		if !inner {
			return f
		}
	}
	return nil
}

// gather fetches the rows of a call and returns the table function that reads them.
func (m *member) gather(ctx context.Context, t *text, f *fan, skip bool, database string) (string, func(), error) {
	none := func() {}
	from, err := m.clusterMembers(f.cluster)
	if err != nil {
		return "", none, err
	}
	if f.table.Database == "" {
		f.table.Database = database
	}
	if f.table.Database == "" {
		return "", none, unsupported("a name without its database in a session")
	}
	names, types, err := m.columnsOf(ctx, f.table)
	if err != nil {
		return "", none, err
	}
	wanted := t.wanted(names)
	columns, structure := []string{hostHole + " AS " + ast.QuoteIdent(hostColumn)}, []string{ast.QuoteIdent(hostColumn) + " String"}
	for i, name := range names {
		if wanted[name] {
			columns, structure = append(columns, ast.QuoteIdent(name)), append(structure, ast.QuoteIdent(name)+" "+types[i])
		}
	}
	sql := "SELECT " + strings.Join(columns, ", ") + " FROM " + f.table.SQL()
	if where := t.pushed(f, names); where != "" {
		sql += " WHERE " + where
	}
	data, err := m.gatherAll(ctx, from, question{SQL: sql, Database: database}, skip)
	if err != nil {
		return "", none, err
	}
	id, free := m.rows.hold(data)
	return m.heldRows(id, "Native", strings.Join(structure, ", ")), free, nil
}

// columnsOf are the columns of a table and their types.
func (m *member) columnsOf(ctx context.Context, n ast.Name) (names, types []string, err error) {
	where := "database = " + quoted(n.Database) + " AND table = " + quoted(n.Name)
	list, err := known(&m.facts, "stored columns of "+n.SQL(), func() ([][]string, bool, error) {
		list, err := m.table(ctx, "SELECT name, type FROM system.columns WHERE "+where+" AND default_kind NOT IN ('ALIAS', 'EPHEMERAL') ORDER BY position")
		return list, len(list) > 0 && n.Database == "system", err
	})
	if err != nil {
		return nil, nil, err
	}
	if len(list) == 0 {
		return nil, nil, embedded.NewException(60, "UNKNOWN_TABLE", fmt.Sprintf("Table %s does not exist", n))
	}
	for _, r := range list {
		names, types = append(names, r[0]), append(types, r[1])
	}
	return names, types, nil
}

// wanted are the columns that a text may mean: those it names, or all where it has a star.
func (t *text) wanted(names []string) map[string]bool {
	wanted := map[string]bool{}
	all := false
	for i := range t.tokens {
		wanted[t.name(i)] = true
		star := t.kind(i) == lex.Star && (t.kind(i-1) == lex.Comma || t.kind(i-1) == lex.Dot || t.word(i-1) == "SELECT" || t.word(i-1) == "DISTINCT")
		all = all || star || t.word(i) == "COLUMNS"
	}
	for _, name := range names {
		// A column such as Settings.Names is written with a dot.
		head, _, dotted := strings.Cut(name, ".")
		wanted[name] = wanted[name] || all || dotted && wanted[head]
	}
	return wanted
}

// pushed is the WHERE of the call's SELECT where every name in it is a column's or a function's: then the members can
// leave out what nobody wants. Otherwise all rows come.
func (t *text) pushed(f *fan, names []string) string {
	d := t.depth[f.from]
	begin := -1
	for k := f.to; k < f.last; k++ {
		if t.depth[k] != d {
			continue
		}
		switch t.word(k) {
		case "JOIN", "ARRAY", "FINAL", "SAMPLE", "PREWHERE", "AS":
			return ""
		case "WHERE":
			begin = k + 1
		case "GROUP", "ORDER", "LIMIT", "HAVING", "SETTINGS", "FORMAT", "WINDOW", "QUALIFY", "OFFSET", "INTO":
			if begin >= 0 {
				return t.pushable(begin, k, names)
			}
			return ""
		}
	}
	if begin < 0 {
		return ""
	}
	return t.pushable(begin, f.last, names)
}

func (t *text) pushable(i, j int, names []string) string {
	for k := i; k < j; k++ {
		switch t.kind(k) {
		case lex.Arrow, lex.LBrace:
			return ""
		case lex.Word:
			switch t.word(k) {
			case "AND", "OR", "NOT", "IN", "LIKE", "ILIKE", "IS", "NULL", "BETWEEN":
				continue
			case "SELECT", "WITH", "AS":
				return ""
			}
			if t.kind(k+1) == lex.LParen && t.kind(k-1) != lex.Dot && !isHostName(strings.ToLower(t.name(k))) && !ofOneHost(strings.ToLower(t.name(k))) {
				continue
			}
		}
		if name := t.name(k); name != "" && (!slices.Contains(names, name) || t.kind(k-1) == lex.Dot || t.kind(k+1) == lex.Dot) {
			return ""
		}
	}
	return t.between(i, j)
}

// clusterMembers are the members of a cluster by name: the configured one, or a Replicated database's.
func (m *member) clusterMembers(name string) ([]peer, error) {
	name = m.expand(name)
	if name == m.Cluster && !m.without("remote_servers") {
		return m.Peers, nil
	}
	if db := m.dbs.find(name); db != nil {
		replicas, err := m.session.list(db.Path + "/replicas")
		if err != nil {
			return nil, err
		}
		var list []peer
		for _, p := range m.Peers {
			if slices.Contains(replicas, p.full()) {
				list = append(list, p)
			}
		}
		return list, nil
	}
	return nil, embedded.NewException(701, "CLUSTER_DOESNT_EXIST", fmt.Sprintf("Requested cluster '%s' not found", name))
}

// full is a member's name as a Replicated database has it.
func (p peer) full() string { return p.shardMacro() + "|" + p.Name }

// expand puts the macros' values in.
func (m *member) expand(text string) string {
	for name, value := range m.macros() {
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	return text
}
