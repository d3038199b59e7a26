package ast

// String returns the statement, without a semicolon.
func (a *Alter) String() string { return string(a.Append(nil)) }

// Append appends what [Alter.String] returns.
func (a *Alter) Append(dst []byte) []byte {
	dst = append(dst, "ALTER TABLE "...)
	dst = a.Name.node().Append(dst)
	if a.Cluster != "" {
		dst = append(dst, " ON CLUSTER "...)
		dst = appendIdent(dst, a.Cluster)
	}
	for i, c := range a.Commands {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, ' ')
		dst = c.Append(dst)
	}
	if len(a.Settings) > 0 {
		dst = append(dst, " SETTINGS "...)
		dst = appendSettings(dst, a.Settings)
	}
	return dst
}

// String returns the command as it stands in an ALTER TABLE.
func (c *Command) String() string { return string(c.Append(nil)) }

// Append appends what [Command.String] returns.
func (c *Command) Append(dst []byte) []byte {
	switch c.Kind {
	case OtherCommand:
		return c.Rest.Append(dst)
	case Update, Delete:
		return c.appendMutation(dst)
	case RemoveFromColumn, ModifyColumnSetting, ResetColumnSetting, AddEnumValues:
		return c.appendColumnChange(dst)
	case ModifyRefresh:
		dst = append(dst, "MODIFY "...)
		return c.Refresh.append(dst)
	case ModifySecurity:
		w := statement{dst: append(dst, "MODIFY"...)}
		w.security(c.Security)
		return w.dst
	case AddIndex:
		return c.appendPosition(c.Index.appendBody(c.appendVerb(dst)))
	case AddProjection:
		return c.appendPosition(c.Projection.appendBody(c.appendVerb(dst)))
	case AddConstraint:
		return c.Constraint.appendBody(c.appendVerb(dst))
	}
	dst = c.appendVerb(dst)
	switch {
	case c.Column != nil:
		dst = c.Column.Append(dst)
		return c.appendPosition(dst)
	case c.Name != "":
		dst = appendEscaped(dst, c.Name, '`')
	}
	dst = appendNames(dst, c.Names)
	switch c.Kind {
	case RenameColumn:
		dst = append(dst, " TO "...)
		dst = appendEscaped(dst, c.NewName, '`')
	case CommentColumn:
		dst = append(dst, ' ')
		dst = appendString(dst, c.Comment)
	case ModifyComment:
		dst = appendString(dst, c.Comment)
	case AddStatistics, ModifyStatistics:
		dst = append(dst, " TYPE "...)
	case DropStatistics:
		if len(c.Names) == 0 {
			dst = append(dst, "ALL"...)
		}
	case ModifySetting:
		dst = appendSettings(dst, c.Settings)
	}
	if c.Value != nil {
		dst = c.Value.Append(dst)
	}
	if c.Rest != nil {
		dst = append(dst, ' ')
		dst = c.Rest.Append(dst)
	}
	if n := len(dst); n > 0 && dst[n-1] == ' ' {
		dst = dst[:n-1]
	}
	return dst
}

// appendVerb appends the keywords, IF [NOT] EXISTS, and a space.
func (c *Command) appendVerb(dst []byte) []byte {
	dst = append(dst, c.Kind...)
	if c.IfExists {
		dst = append(dst, " IF EXISTS"...)
	}
	if c.IfNotExists {
		dst = append(dst, " IF NOT EXISTS"...)
	}
	return append(dst, ' ')
}

func (c *Command) appendPosition(dst []byte) []byte {
	if c.First {
		dst = append(dst, " FIRST"...)
	}
	if c.After != "" {
		dst = append(dst, " AFTER "...)
		dst = appendEscaped(dst, c.After, '`')
	}
	return dst
}

func (c *Command) appendColumnChange(dst []byte) []byte {
	dst = append(dst, "MODIFY COLUMN "...)
	if c.IfExists {
		dst = append(dst, "IF EXISTS "...)
	}
	dst = appendEscaped(dst, c.Name, '`')
	switch c.Kind {
	case RemoveFromColumn:
		dst = append(dst, " REMOVE "...)
		return append(dst, c.Property...)
	case ModifyColumnSetting:
		dst = append(dst, " MODIFY SETTING "...)
		return appendSettings(dst, c.Settings)
	case ResetColumnSetting:
		dst = append(dst, " RESET SETTING "...)
		return appendNames(dst, c.Names)
	}
	dst = append(dst, " ADD ENUM VALUES ("...)
	for i, kid := range c.Value.Kids {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		if kid.Kind == Equals {
			dst = appendEnumElement(dst, kid)
		} else {
			dst = kid.Append(dst)
		}
	}
	return append(dst, ')')
}

func (c *Command) appendMutation(dst []byte) []byte {
	dst = append(dst, c.Kind...)
	for i, s := range c.Settings {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, ' ')
		dst = appendIdent(dst, s.Name)
		dst = append(dst, " = "...)
		dst = appendOperand(dst, s.Value, PrecLambda)
	}
	for _, n := range []*Node{c.Rest, c.Value} {
		if n != nil {
			dst = append(dst, ' ')
			dst = n.Append(dst)
		}
	}
	return dst
}

func appendNames(dst []byte, names []string) []byte {
	for i, name := range names {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = appendSettingName(dst, name)
	}
	return dst
}
