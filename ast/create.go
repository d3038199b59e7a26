package ast

import "strings"

// Style says how a CREATE statement is written around its object.
type Style struct {
	// Lines lays the statement out on several lines, as SHOW CREATE does; queries stay on one.
	Lines       bool
	Attach      bool
	OrReplace   bool
	IfNotExists bool
	Temporary   bool
	Cluster     string // ON CLUSTER
	UUID        string
	// Values prints the values of a named collection that stand in its definition. Nothing that is told to anybody or kept
	// does: it is for definitions.
	Values bool
}

// Create returns the statement that creates the object, without a semicolon. It panics for a kind that has no CREATE
// statement of its own here.
func Create(obj Object, style Style) string { return string(AppendCreate(nil, obj, style)) }

// AppendCreate appends what [Create] returns.
func AppendCreate(dst []byte, obj Object, style Style) []byte {
	w := statement{dst: dst, style: style}
	switch o := obj.(type) {
	case *Table:
		w.table(o)
	case *View:
		w.view(o)
	case *MaterializedView:
		w.materializedView(o)
	case *Dictionary:
		w.dictionary(o)
	case *Database:
		w.database(o)
	case *Function:
		w.function(o)
	case *NamedCollection:
		w.namedCollection(o)
	case *Role:
		w.role(o)
	case *User:
		w.user(o)
	case *SettingsProfile:
		w.settingsProfile(o)
	case *Quota:
		w.quota(o)
	case *RowPolicy:
		w.rowPolicy(o)
	case *Grant:
		// A grant is made by the statements that give its rights.
		w.add(strings.Join(GrantSQL(o.Rights, o.To, false), ";\n"))
	default:
		panic("ast: no CREATE statement for " + string(obj.Kind()))
	}
	return w.dst
}

// statement collects the text of one statement.
type statement struct {
	dst   []byte
	style Style
}

func (w *statement) add(s string) { w.dst = append(w.dst, s...) }

// clause begins a clause: on a line of its own, or behind a space.
func (w *statement) clause(s string) {
	if w.style.Lines {
		w.dst = append(w.dst, '\n')
	} else {
		w.dst = append(w.dst, ' ')
	}
	w.add(s)
}

// head appends CREATE and what stands up to the end of the name.
func (w *statement) head(kind string, name Name) {
	switch {
	case w.style.Attach:
		w.add("ATTACH ")
	default:
		w.add("CREATE ")
	}
	if w.style.OrReplace {
		w.add("OR REPLACE ")
	}
	if w.style.Temporary {
		w.add("TEMPORARY ")
	}
	w.add(kind)
	w.dst = append(w.dst, ' ')
	if w.style.IfNotExists {
		w.add("IF NOT EXISTS ")
	}
	w.name(name)
	if w.style.UUID != "" {
		w.add(" UUID ")
		w.dst = appendString(w.dst, w.style.UUID)
	}
	if w.style.Cluster != "" {
		w.add(" ON CLUSTER ")
		w.dst = appendIdent(w.dst, w.style.Cluster)
	}
}

func (w *statement) name(name Name) {
	if name.Database != "" {
		w.dst = appendIdent(w.dst, name.Database)
		w.dst = append(w.dst, '.')
	}
	w.dst = appendIdent(w.dst, name.Name)
}

// value begins a clause with a node behind it; nothing where there is none.
func (w *statement) value(keyword string, n *Node) {
	if n == nil {
		return
	}
	w.clause(keyword)
	w.dst = append(w.dst, ' ')
	w.dst = n.Append(w.dst)
}

func (w *statement) comment(text string) {
	if text == "" {
		return
	}
	w.clause("COMMENT ")
	w.dst = appendString(w.dst, text)
}

func (w *statement) settings(settings []Setting) {
	if len(settings) == 0 {
		return
	}
	w.clause("SETTINGS ")
	w.dst = appendSettings(w.dst, settings)
}

func (w *statement) engine(e *Engine) {
	if e == nil {
		return
	}
	w.clause("ENGINE = ")
	w.dst = e.Append(w.dst)
}

func (w *statement) unread(nodes []*Node) {
	for _, n := range nodes {
		w.clause(n.Text)
	}
}

func (w *statement) security(s Security) {
	if s.Definer != "" {
		w.clause("DEFINER = ")
		if s.Definer == "CURRENT_USER" {
			w.add(s.Definer)
		} else {
			w.dst = appendIdent(w.dst, s.Definer)
		}
	}
	if s.Mode != "" {
		if s.Definer != "" {
			w.add(" SQL SECURITY ")
		} else {
			w.clause("SQL SECURITY ")
		}
		w.add(s.Mode)
	}
}

// list writes the elements of a list in parentheses, each on its line or all on one.
type list struct {
	w     *statement
	count int
}

func (w *statement) open() list { return list{w: w} }

// item begins an element.
func (l *list) item() {
	switch {
	case l.count == 0 && l.w.style.Lines:
		l.w.add("\n(\n    ")
	case l.count == 0:
		l.w.add(" (")
	case l.w.style.Lines:
		l.w.add(",\n    ")
	default:
		l.w.add(", ")
	}
	l.count++
}

func (l *list) close() {
	switch {
	case l.count == 0:
	case l.w.style.Lines:
		l.w.add("\n)")
	default:
		l.w.add(")")
	}
}
