package canon

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dfe-engine/dfe/ast"
)

func (f *form) dictionary(d *ast.Dictionary) *ast.Dictionary {
	c := *d
	c.Attributes = make([]*ast.Attribute, len(d.Attributes))
	for i, a := range d.Attributes {
		attribute := *a
		attribute.Type, attribute.Default, attribute.Expression = f.typ(a.Type), f.expr(a.Default), f.expr(a.Expression)
		c.Attributes[i] = &attribute
	}
	if d.Source != nil {
		c.Source = &ast.Source{Kind: strings.ToUpper(d.Source.Kind), Args: f.keyValues(d.Source.Args)}
	}
	if d.Layout != nil {
		c.Layout = &ast.Layout{Kind: layout(strings.ToUpper(d.Layout.Kind), &c), Args: f.keyValues(d.Layout.Args)}
	}
	c.Settings = f.settingList(d.Settings, nil)
	return &c
}

// keyValues is a source or a layout as the map it is: keys in upper case, in order of name (case S86).
func (f *form) keyValues(args []ast.Setting) []ast.Setting {
	out := make([]ast.Setting, len(args))
	for i, a := range args {
		out[i] = ast.Setting{Name: strings.ToUpper(a.Name), Value: f.keyValue(a.Value)}
	}
	slices.SortStableFunc(out, func(a, b ast.Setting) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func (f *form) keyValue(n *ast.Node) *ast.Node {
	if n == nil {
		return nil
	}
	if n.Kind == ast.List {
		kids := make([]*ast.Node, len(n.Kids))
		for i, k := range n.Kids {
			kids[i] = at(k, k.Kind, strings.ToUpper(k.Text), each(k.Kids, f.keyValue)...)
		}
		slices.SortStableFunc(kids, func(a, b *ast.Node) int { return strings.Compare(a.Text, b.Text) })
		return at(n, ast.List, "", kids...)
	}
	if n.Kind == ast.Func && n.Text == "tcpPort" && len(n.Kids) == 0 {
		return f.port(n)
	}
	return f.constant(n)
}

const defaultPort = "9000"

// port is what tcpPort() is: the server's own, and where that is not given ClickHouse's default, unless the live object shows
// another, which then decides nothing.
func (f *form) port(n *ast.Node) *ast.Node {
	if f.env.TCPPort != 0 {
		return at(n, ast.Number, strconv.Itoa(int(f.env.TCPPort)))
	}
	if live, ok := f.facing.(*ast.Dictionary); ok && live.Source != nil {
		for _, a := range live.Source.Args {
			if strings.EqualFold(a.Name, "PORT") && a.Value.Text != defaultPort {
				return n
			}
		}
	}
	return at(n, ast.Number, defaultPort)
}

// layout: a layout for numbers becomes its COMPLEX_KEY form where the key is none (case S85).
func layout(kind string, d *ast.Dictionary) string {
	switch kind {
	case "HASHED", "SPARSE_HASHED", "HASHED_ARRAY", "CACHE", "SSD_CACHE", "DIRECT", "RANGE_HASHED":
	default:
		return kind
	}
	if len(d.PrimaryKey) != 1 {
		return "COMPLEX_KEY_" + kind
	}
	for _, a := range d.Attributes {
		if a.Name == d.PrimaryKey[0] && a.Type != nil {
			if numeric(a.Type.Text) {
				return kind
			}
			return "COMPLEX_KEY_" + kind
		}
	}
	return kind
}

// numeric reports whether the type family is one of numbers.
func numeric(family string) bool {
	switch family {
	case "UInt8", "UInt16", "UInt32", "UInt64", "UInt128", "UInt256", "Int8", "Int16", "Int32", "Int64", "Int128", "Int256",
		"Float32", "Float64", "BFloat16", "Decimal", "Bool":
		return true
	}
	return false
}
