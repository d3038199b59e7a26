package format

import (
	"errors"
	"path"

	"github.com/dfe-engine/dfe/lang/rulelang"
)

// ErrKind says that a file is of no kind this package formats.
var ErrKind = errors.New("only .hcl, .rules and .sql files have a layout")

// Known reports a file of a kind that has a layout.
func Known(name string) bool {
	switch path.Ext(name) {
	case ".hcl", ".rules", ".sql":
		return true
	}
	return false
}

// File formats a file by the kind its name says. The error is that of [HCL], [Rules] or [SQL], or [ErrKind].
func File(name string, src []byte) ([]byte, error) {
	switch path.Ext(name) {
	case ".hcl":
		return HCL(name, src)
	case ".rules":
		return Rules(name, src)
	case ".sql":
		return SQL(src)
	}
	return nil, ErrKind
}

// Rules formats a .rules file. The error is an hcl.Diagnostics for a text with a syntax error.
func Rules(name string, src []byte) ([]byte, error) {
	file, diags := rulelang.Parse(name, src)
	if diags.HasErrors() {
		return nil, diags
	}
	return rulelang.Format(file), nil
}
