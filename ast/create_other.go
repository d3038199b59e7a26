package ast

import "strconv"

func (w *statement) database(d *Database) {
	w.head("DATABASE", Name{Name: d.Name})
	w.engine(d.Engine)
	w.settings(d.Settings)
	w.unread(d.Unread)
	w.comment(d.Comment)
}

func (w *statement) function(f *Function) {
	w.head("FUNCTION", Name{Name: f.Name})
	w.add(" AS ")
	w.dst = f.Lambda.Append(w.dst)
}

// String returns the engine as it stands behind ENGINE =. The prefix that replication adds is part of the name, its
// arguments come first.
func (e *Engine) String() string { return string(e.Append(nil)) }

// Append appends what [Engine.String] returns.
func (e *Engine) Append(dst []byte) []byte {
	if !plainWord(e.Replication + e.Name) {
		dst = appendEscaped(dst, e.Replication+e.Name, '`')
	} else {
		dst = append(dst, e.Replication...)
		dst = append(dst, e.Name...)
	}
	if len(e.Args)+len(e.ReplicationArgs) == 0 && !e.HasParens {
		return dst
	}
	dst = append(dst, '(')
	dst = appendList(dst, e.ReplicationArgs, PrecAlias)
	if len(e.ReplicationArgs) > 0 && len(e.Args) > 0 {
		dst = append(dst, ", "...)
	}
	dst = appendList(dst, e.Args, PrecAlias)
	return append(dst, ')')
}

// String returns name = value.
func (s Setting) String() string { return string(s.Append(nil)) }

// Append appends what [Setting.String] returns.
func (s Setting) Append(dst []byte) []byte {
	dst = appendSettingName(dst, s.Name)
	dst = append(dst, " = "...)
	return appendOperand(dst, s.Value, PrecNegate)
}

func appendSettings(dst []byte, settings []Setting) []byte {
	for i, s := range settings {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = s.Append(dst)
	}
	return dst
}

func appendUint(dst []byte, n uint64) []byte { return strconv.AppendUint(dst, n, 10) }
