package cluster

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine/embedded"
	"github.com/dfe-engine/dfe/engine/internal/jvm"
	"github.com/dfe-engine/dfe/lang/lex"
)

// definition is a statement that makes, changes or drops an object, as far as the front end has to know it.
type definition struct {
	text *text
	verb string
	kind string // TABLE, VIEW, MATERIALIZED VIEW, DICTIONARY, DATABASE, FUNCTION, NAMED COLLECTION, ACCESS
	// names are those of the objects: two for RENAME and EXCHANGE, one otherwise.
	names []ast.Name
	// after is the token after the (last) name.
	after     int
	temporary bool
	replace   bool
	notExists bool // IF NOT EXISTS
	// cluster is the ON CLUSTER clause: its tokens and its name; empty without one.
	cluster              string
	clusterAt, clusterTo int
	// engine is the ENGINE clause at depth 0: the token of the engine's name, -1 without one.
	engine int
}

// readDefinition reads a statement of these verbs; nil where the front end does not know its form.
func readDefinition(t *text) *definition {
	d := &definition{text: t, verb: t.word(0), engine: -1}
	i := d.readKind(1)
	if d.kind == "" {
		return nil
	}
	for skipping := true; skipping; {
		skipping = false
		for _, words := range [][]string{{"IF", "NOT", "EXISTS"}, {"IF", "EXISTS"}, {"IF", "EMPTY"}} {
			if t.words(i, words...) {
				d.notExists = d.notExists || len(words) == 3
				i += len(words)
				skipping = true
			}
		}
	}
	if d.kind == "ACCESS" {
		d.after = i
		d.findCluster(i)
		return d
	}
	for {
		n, next := t.full(i)
		if n.Name == "" {
			return nil
		}
		d.names, d.after = append(d.names, n), next
		more := t.kind(next) == lex.Comma && d.verb != "ALTER" || t.word(next) == "TO" && d.verb == "RENAME" || t.word(next) == "AND" && d.verb == "EXCHANGE"
		if !more {
			break
		}
		i = next + 1
	}
	d.findCluster(d.after)
	d.findEngine()
	return d
}

// readKind reads what stands between the verb and the name.
func (d *definition) readKind(i int) int {
	t := d.text
	switch d.verb {
	case "TRUNCATE", "OPTIMIZE", "DELETE", "UPDATE":
		d.kind = "TABLE"
		if t.word(i) == "DATABASE" || t.word(i) == "ALL" {
			d.kind = ""
		}
		if t.word(i) == "TABLE" || t.word(i) == "FROM" {
			i++
		}
		return i
	}
	for {
		switch t.word(i) {
		case "OR": // REPLACE
			d.replace = true
			i += 2
			continue
		case "TEMPORARY":
			d.temporary = true
			i++
			continue
		}
		break
	}
	for _, k := range []struct {
		kind  string
		words []string
	}{
		{"MATERIALIZED VIEW", []string{"MATERIALIZED", "VIEW"}}, {"TABLE", []string{"TABLE"}}, {"TABLE", []string{"TABLES"}}, {"VIEW", []string{"VIEW"}},
		{"DICTIONARY", []string{"DICTIONARY"}}, {"DICTIONARY", []string{"DICTIONARIES"}}, {"DATABASE", []string{"DATABASE"}},
		{"FUNCTION", []string{"FUNCTION"}}, {"NAMED COLLECTION", []string{"NAMED", "COLLECTION"}},
		{"ACCESS", []string{"USER"}}, {"ACCESS", []string{"ROLE"}}, {"ACCESS", []string{"ROW", "POLICY"}}, {"ACCESS", []string{"POLICY"}},
		{"ACCESS", []string{"QUOTA"}}, {"ACCESS", []string{"SETTINGS", "PROFILE"}}, {"ACCESS", []string{"PROFILE"}},
	} {
		if t.words(i, k.words...) {
			d.kind = k.kind
			return i + len(k.words)
		}
	}
	return i
}

func (d *definition) findCluster(i int) {
	t := d.text
	for ; i < t.len(); i++ {
		if t.depth[i] == 0 && t.words(i, "ON", "CLUSTER") {
			d.cluster, d.clusterAt, d.clusterTo = t.value(i+2), i, i+3
			return
		}
		if t.depth[i] == 0 && (t.word(i) == "AS" || t.word(i) == "ENGINE") {
			return
		}
	}
}

func (d *definition) findEngine() {
	t := d.text
	if d.verb != "CREATE" && d.verb != "REPLACE" && d.verb != "ATTACH" {
		return
	}
	for i := d.after; i < t.len(); i++ {
		if t.depth[i] != 0 {
			continue
		}
		if t.word(i) == "AS" && (t.word(i+1) == "SELECT" || t.word(i+1) == "WITH" || t.kind(i+1) == lex.LParen) {
			return
		}
		if t.word(i) == "ENGINE" {
			d.engine = i + 1
			if t.kind(i+1) == lex.Equal {
				d.engine++
			}
			return
		}
	}
}

// bare is the statement without ON CLUSTER.
func (d *definition) bare() string {
	if d.clusterAt == d.clusterTo {
		return d.text.apply(nil)
	}
	return d.text.apply([]edit{d.text.replace(d.clusterAt, d.clusterTo, "")})
}

// engineName is the name in the ENGINE clause.
func (d *definition) engineName() string {
	if d.engine < 0 {
		return ""
	}
	return d.text.name(d.engine)
}

// storageEnd is the token after the last clause of the storage: where SETTINGS go, or what follows.
func (d *definition) storageEnd(i int) (end int, settings int) {
	t := d.text
	settings = -1
	for ; i < t.len(); i++ {
		if t.depth[i] != 0 {
			continue
		}
		switch w := t.word(i); {
		case w == "SETTINGS":
			settings = i
		case w == "COMMENT" && t.kind(i+1) == lex.String, w == "EMPTY", w == "POPULATE", w == "DEFINER", w == "CLONE", w == "FORMAT" && settings < 0,
			w == "SQL" && t.word(i+1) == "SECURITY", w == "AS":
			return i, settings
		}
	}
	return t.len(), settings
}

// replication is what a definition says about the replication of one table.
type replication struct {
	UUID string `json:"uuid"`
	// Arguments as they are shown: the path in Keeper and the replica's name. "-": shown without. Empty: not replicated.
	Arguments string `json:"arguments,omitempty"`
	// Shown is the UUID that is shown in UUID's place: see [member.keeperMap].
	Shown string `json:"shown,omitempty"`
	// Path and Replica with all macros expanded; empty for what only wears the name.
	Path    string `json:"path,omitempty"`
	Replica string `json:"replica,omitempty"`
}

// defaultArguments are a server's default_replica_path and default_replica_name.
const defaultArguments = "'/clickhouse/tables/{uuid}/{shard}', '{replica}'"

// local is a statement as the engine of one member runs it.
type local struct {
	sql        string
	replicated []replication
}

// plain takes off a definition what one engine cannot have: the replication of its tables. uuids are those for the
// object and, of a materialized view, its inner table; they are put in where the statement has none.
func (m *member) plain(d *definition) (local, error) {
	t := d.text
	var edits []edit
	if d.clusterAt != d.clusterTo {
		edits = append(edits, t.replace(d.clusterAt, d.clusterTo, ""))
	}
	if d.verb == "CREATE" && d.engineName() == "KeeperMap" && len(d.uuids()) > 0 {
		return m.keeperMap(d, edits), nil
	}
	made := d.verb == "CREATE" && d.engine >= 0 && (d.kind == "TABLE" || d.kind == "MATERIALIZED VIEW")
	family, replicates := m.family(d.engineName())
	if !made || !replicates {
		if d.verb == "CREATE" && d.kind == "TABLE" && d.engine < 0 && m.Cloud {
			return local{}, unsupported("CREATE TABLE without an ENGINE on the cloud personality")
		}
		return local{sql: t.apply(edits)}, nil
	}
	if d.replace {
		return local{}, unsupported("CREATE OR REPLACE of a replicated table")
	}
	uuids := d.uuids()
	want := 1
	if d.kind == "MATERIALIZED VIEW" {
		want = 2
	}
	if len(uuids) < want {
		return local{}, embedded.NewException(36, "BAD_ARGUMENTS", "Macro 'uuid' in engine arguments is only supported when the UUID is explicitly specified")
	}
	r := replication{UUID: uuids[want-1], Arguments: defaultArguments}
	// The engine's name and arguments.
	e := d.engine
	end := e + 1
	rest := ""
	if t.kind(end) == lex.LParen {
		close := t.closing(end)
		first := end + 1
		if t.kind(first) == lex.String && t.kind(first+1) == lex.Comma && t.kind(first+2) == lex.String {
			r.Arguments = t.between(first, first+3)
			first += 3
			if t.kind(first) == lex.Comma {
				first++
			}
		}
		rest = t.between(first, close)
		end = close + 1
	}
	with := family
	if rest != "" {
		with += "(" + rest + ")"
	}
	edits = append(edits, t.replace(e, end, with))
	stop, settings := d.storageEnd(end)
	if settings >= 0 {
		edits = append(edits, t.insertAt(settings+1, markerSetting+","))
	} else {
		edits = append(edits, t.insertAt(stop, "SETTINGS "+markerSetting))
	}
	path, replica := r.literals()
	fill := strings.NewReplacer("{uuid}", r.UUID, "{database}", d.names[0].Database, "{table}", d.names[0].Name)
	r.Path, r.Replica = m.expand(fill.Replace(path)), m.expand(fill.Replace(replica))
	out := local{sql: t.apply(edits), replicated: []replication{r}}
	if want == 2 {
		out.replicated = append(out.replicated, replication{UUID: uuids[0], Arguments: "-"})
	}
	return out, nil
}

// keeperMap gives a KeeperMap table a UUID of this member's own: the engine tells the tables over one path in Keeper apart
// by UUID and server, and all engines in a process take themselves for the same server. What is shown is the UUID that
// the table has everywhere.
func (m *member) keeperMap(d *definition, edits []edit) local {
	shown := d.uuids()[0]
	own := jvm.Digest([]byte(shown), []byte(m.Name))
	id := fmt.Sprintf("%s-%s-4%s-a%s-%s", own[0:8], own[8:12], own[13:16], own[17:20], own[20:32])
	for i := d.after; i < d.text.len(); i++ {
		if d.text.word(i) == "UUID" {
			edits = append(edits, d.text.replace(i+1, i+2, quoted(id)))
			break
		}
	}
	return local{sql: d.text.apply(edits), replicated: []replication{{UUID: id, Shown: shown}}}
}

// literals are the two arguments without quotes.
func (r replication) literals() (path, replica string) {
	t, err := readText(r.Arguments)
	if err != nil || t.len() < 3 {
		return "", ""
	}
	return t.value(0), t.value(2)
}

// family is the plain engine behind the name of a replicated one.
func (m *member) family(engine string) (plain string, replicates bool) {
	if !strings.HasSuffix(engine, "MergeTree") {
		return engine, false
	}
	for _, prefix := range []string{"Replicated", "Shared"} {
		if rest, ok := strings.CutPrefix(engine, prefix); ok && (prefix == "Replicated" || m.Cloud) {
			return rest, true
		}
	}
	return engine, m.Cloud // a service makes every MergeTree a shared one
}

// uuids are the UUID clauses after the name, in order.
func (d *definition) uuids() []string {
	t := d.text
	var found []string
	for i := d.after; i < t.len() && i < d.after+8; i++ {
		if t.word(i) == "UUID" && t.kind(i+1) == lex.String {
			found = append(found, t.value(i+1))
		}
	}
	return found
}

// identified is the statement with UUIDs, for all members to give the object the same.
func (d *definition) identified() string {
	if d.verb != "CREATE" || len(d.uuids()) > 0 || !slices.Contains([]string{"TABLE", "VIEW", "MATERIALIZED VIEW", "DICTIONARY"}, d.kind) {
		return d.text.apply(nil)
	}
	with := "UUID '" + newUUID() + "'"
	if d.kind == "MATERIALIZED VIEW" && d.engine >= 0 {
		with += " TO INNER UUID '" + newUUID() + "'"
	}
	return d.text.apply([]edit{d.text.insertAt(d.after, with)})
}

func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // crypto/rand does not fail
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:16])
}

// ofRows reports an ALTER, TRUNCATE, DELETE or UPDATE that changes rows and not the definition: on a replicated table it
// goes the way of the rows.
func (d *definition) ofRows() bool {
	t := d.text
	switch d.verb {
	case "TRUNCATE", "DELETE", "UPDATE":
		return true
	case "ALTER":
	default:
		return false
	}
	for i := d.after; i < t.len(); i++ {
		if t.depth[i] != 0 || i > d.after && t.kind(i-1) != lex.Comma && i != d.clusterTo {
			continue
		}
		switch t.word(i) {
		case "DELETE", "UPDATE", "DETACH", "ATTACH", "MOVE", "FETCH", "FREEZE", "UNFREEZE", "MATERIALIZE", "APPLY", "CLEAR":
			return true
		case "DROP", "REPLACE":
			if w := t.word(i + 1); w == "PARTITION" || w == "PART" || w == "DETACHED" {
				return true
			}
		}
	}
	return false
}
