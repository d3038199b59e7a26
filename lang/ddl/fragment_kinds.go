package ddl

import "github.com/dfe-engine/dfe/ast"

// ParsePeriod reads a period of time, 1 HOUR 30 MINUTE, as an Interval or a List of several.
func ParsePeriod(src string) (*ast.Node, error) { return nodeFragment(src, (*parser).period) }

// ParseSource reads the source of a dictionary, CLICKHOUSE(TABLE 't'), without the word SOURCE.
func ParseSource(src string) (*ast.Source, error) {
	return fragment(src, func(p *parser) (*ast.Source, bool) {
		kind, args, parens, ok := p.kindCall()
		return &ast.Source{Kind: kind, Args: args, HasParens: parens}, ok
	})
}

// ParseLayout reads the layout of a dictionary, HASHED() or FLAT, without the word LAYOUT.
func ParseLayout(src string) (*ast.Layout, error) {
	return fragment(src, func(p *parser) (*ast.Layout, bool) {
		kind, args, parens, ok := p.kindCall()
		return &ast.Layout{Kind: kind, Args: args, HasParens: parens}, ok
	})
}
