package ast

// RowPolicy lets somebody see only those rows of a table for which a condition holds.
type RowPolicy struct {
	Short string
	// Table is the table; with an empty Name every table of the database.
	Table Name
	// Filter is the condition of USING; nil for none.
	Filter *Node
	// Restrictive policies are joined by AND with the others, the rest by OR among themselves.
	Restrictive bool
	To          *Recipients // nil: nobody
	Origin      Origin
}

// RowPolicyName is the name by which ClickHouse knows a row policy: "short ON db.table", "short ON db.*".
func RowPolicyName(short string, table Name) string {
	if table.Name == "" {
		return QuoteIdent(short) + " ON " + QuoteIdent(table.Database) + ".*"
	}
	return QuoteIdent(short) + " ON " + table.SQL()
}

// Kind returns [KindRowPolicy].
func (p *RowPolicy) Kind() Kind { return KindRowPolicy }

// ID returns "short ON db.table", in no database.
func (p *RowPolicy) ID() Name { return Name{Name: RowPolicyName(p.Short, p.Table)} }

// Parts lists the condition, how it joins others, and those the policy is for.
func (p *RowPolicy) Parts() []Part {
	parts := appendNode(nil, "filter", p.Filter)
	as := "PERMISSIVE"
	if p.Restrictive {
		as = "RESTRICTIVE"
	}
	parts = appendNode(parts, "as", N(Keyword, as))
	return appendNode(parts, "to", p.To.node())
}

func (w *statement) rowPolicy(p *RowPolicy) {
	w.add("CREATE ROW POLICY ")
	if w.style.OrReplace {
		w.add("OR REPLACE ")
	}
	if w.style.IfNotExists {
		w.add("IF NOT EXISTS ")
	}
	w.add(QuoteIdent(p.Short))
	if w.style.Cluster != "" {
		w.add(" ON CLUSTER ")
		w.dst = appendIdent(w.dst, w.style.Cluster)
	}
	w.add(" ON ")
	w.policyTable(p)
	w.policyBody(p, false)
	w.to(p.To)
}

func (w *statement) policyTable(p *RowPolicy) {
	if p.Table.Name == "" {
		w.dst = appendIdent(w.dst, p.Table.Database)
		w.add(".*")
		return
	}
	w.name(p.Table)
}

// policyBody writes the condition. ALTER says PERMISSIVE and NONE too, because it leaves what it does not say.
func (w *statement) policyBody(p *RowPolicy, alter bool) {
	switch {
	case p.Restrictive:
		w.clause("AS RESTRICTIVE")
	case alter:
		w.clause("AS PERMISSIVE")
	}
	switch {
	case p.Filter != nil:
		w.clause("FOR SELECT USING ")
		w.dst = p.Filter.Append(w.dst)
	case alter:
		w.clause("FOR SELECT USING NONE")
	}
}
