package main

import (
	"slices"
	"strings"
)

// privileges prints the tree of privileges, their aliases, and the sources that READ and WRITE are granted on. The
// server has no table of the sources: a word is one where it parses a READ on it and prints the source's old privilege.
func (g *generator) privileges() error {
	rows, err := g.query("SELECT privilege, ifNull(toString(level), ''), ifNull(toString(parent_group), ''), arrayStringConcat(aliases, '|') FROM system.privileges ORDER BY toString(privilege)")
	if err != nil {
		return err
	}
	var aliases []entry
	var sources []string
	g.printf("var privileges = [...]Privilege{\n")
	for _, r := range rows {
		g.printf("{%q, %q, %q},\n", r[0], r[1], r[2])
		aliases = append(aliases, entry{strings.ToUpper(r[0]), r[0], "0"})
		for alias := range strings.SplitSeq(r[3], "|") {
			if alias != "" {
				aliases = append(aliases, entry{strings.ToUpper(alias), r[0], "0"})
			}
		}
		if r[1] != "GLOBAL" {
			continue
		}
		word := "`" + r[0] + "`"
		printed, err := g.query("SELECT formatQuerySingleLineOrNull('GRANT READ ON " + word + " TO x')")
		if err != nil {
			return err
		}
		if printed[0][0] == "GRANT "+r[0]+" ON *.* TO x" {
			sources = append(sources, r[0])
		}
	}
	g.printf("}\n\n")
	slices.Sort(sources)
	g.printf("var accessSources = [...]string{")
	for _, s := range sources {
		g.printf("%q, ", s)
	}
	g.printf("}\n\n")
	g.table("privilegeNames", aliases)
	return nil
}
