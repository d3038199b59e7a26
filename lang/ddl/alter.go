package ddl

import (
	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/lex"
)

// alter reads ALTER TABLE name commands.
func (p *parser) alter(st *Statement) *ast.Alter {
	p.i++
	if !p.skipWord(lex.KwTable) && !p.skipWord(lex.KwTemporary) {
		p.fail("TABLE")
		return nil
	}
	p.skipWord(lex.KwTable)
	p.skipWords(lex.KwIf, lex.KwExists)
	name, ok := p.name()
	if !ok {
		return nil
	}
	a := &ast.Alter{Name: name}
	if p.atWord(lex.KwOn) {
		if !p.placement(st) {
			return nil
		}
		a.Cluster = st.Cluster
	}
	for {
		a.Commands = append(a.Commands, p.command())
		if !p.skip(lex.Comma) {
			break
		}
	}
	if p.skipWord(lex.KwSettings) {
		if a.Settings, ok = p.settings(); !ok {
			return nil
		}
	}
	if !p.atStatementEnd(st) {
		p.fail("a comma or the end of the statement")
		return nil
	}
	return a
}

// atCommandEnd reports where a command of an ALTER ends.
func atCommandEnd(p *parser) bool {
	return p.at(lex.Comma) || p.at(lex.RParen) || p.atEnd() || p.atWord(lex.KwSettings) || p.atFormat()
}

// command reads one command; one it cannot read keeps its tokens.
func (p *parser) command() *ast.Command {
	start := p.i
	if p.skip(lex.LParen) { // as ClickHouse itself writes commands into its logs
		c := &ast.Command{}
		if p.commandInto(c) && p.skip(lex.RParen) && atCommandEnd(p) {
			return c
		}
	} else {
		c := &ast.Command{}
		if p.commandInto(c) && atCommandEnd(p) {
			return c
		}
	}
	p.i = start
	if p.atDataCommand() {
		return &ast.Command{Kind: ast.OtherCommand, Rest: p.rest()}
	}
	return &ast.Command{Kind: ast.OtherCommand, Rest: p.opaque(atCommandEnd)}
}

// atDataCommand reports whether the command moves or rewrites data and leaves the definition as it is.
func (p *parser) atDataCommand() bool {
	switch p.tok().Word {
	case lex.KwDetach, lex.KwAttach, lex.KwFreeze, lex.KwUnfreeze, lex.KwFetch, lex.KwMove, lex.KwReplace, lex.KwForget, lex.KwApply,
		lex.KwExport, lex.KwRewrite:
		return true
	case lex.KwDrop:
		w := p.peek(1).Word
		return w == lex.KwPartition || w == lex.KwPart || w == lex.KwDetached
	}
	return false
}

// rest takes the tokens up to the end of the command.
func (p *parser) rest() *node {
	start, depth := p.i, 0
	for ; !p.atEnd(); p.i++ {
		if depth == 0 && p.i > start && atCommandEnd(p) {
			break
		}
		switch p.tok().Kind {
		case lex.LParen, lex.LBracket, lex.LBrace:
			depth++
		case lex.RParen, lex.RBracket, lex.RBrace:
			depth--
		}
	}
	return p.opaqueSpan(start)
}

func (p *parser) commandInto(c *ast.Command) bool {
	verb := p.word()
	switch verb {
	case lex.KwAdd:
		return p.addCommand(c)
	case lex.KwDrop, lex.KwClear, lex.KwMaterialize:
		return p.dropCommand(c, verb)
	case lex.KwModify, lex.KwAlter:
		return p.modifyCommand(c)
	case lex.KwRename:
		return p.renameCommand(c)
	case lex.KwComment:
		return p.commentCommand(c)
	case lex.KwRemove:
		switch {
		case p.skipWord(lex.KwTtl):
			c.Kind = ast.RemoveTTL
			return true
		case p.skipWords(lex.KwSample, lex.KwBy):
			c.Kind = ast.RemoveSampleBy
			return true
		}
	case lex.KwReset:
		c.Kind = ast.ResetSetting
		return p.wantWord(lex.KwSetting, "SETTING") && p.names(&c.Names)
	case lex.KwDelete:
		c.Kind = ast.Delete
		return p.where(c)
	case lex.KwUpdate:
		c.Kind = ast.Update
		return p.assignments(&c.Settings) && p.where(c)
	}
	p.fail("a command of ALTER TABLE")
	return false
}

func (p *parser) where(c *ast.Command) bool {
	if p.atWords(lex.KwIn, lex.KwPartition) {
		c.Rest = p.rest() // with the WHERE behind it
		return true
	}
	if !p.atWord(lex.KwWhere) {
		p.fail("WHERE")
		return false
	}
	c.Value = p.condition("WHERE")
	return c.Value != nil
}

func (p *parser) assignments(into *[]ast.Setting) bool {
	for {
		name, ok := p.dottedName()
		if !ok || !p.want(lex.Equal, "an equals sign") {
			return false
		}
		value := p.expr()
		if value == nil {
			return false
		}
		*into = append(*into, ast.Setting{Name: name, Value: value})
		if !p.skip(lex.Comma) {
			return true
		}
	}
}

// names reads a, b.
func (p *parser) names(into *[]string) bool {
	for {
		name, ok := p.dottedName()
		if !ok {
			return false
		}
		*into = append(*into, name)
		if !p.skip(lex.Comma) {
			return true
		}
	}
}

// addCommand reads what follows ADD.
func (p *parser) addCommand(c *ast.Command) bool {
	what := p.word()
	c.IfNotExists = p.skipIfNotExists()
	switch what {
	case lex.KwColumn:
		c.Kind = ast.AddColumn
		return p.commandColumn(c)
	case lex.KwIndex:
		c.Kind = ast.AddIndex
		c.Index = p.index()
		return c.Index != nil && p.namedAndPlaced(c, &c.Name, c.Index.Name)
	case lex.KwProjection:
		c.Kind = ast.AddProjection
		c.Projection = p.projection()
		return c.Projection != nil && p.namedAndPlaced(c, &c.Name, c.Projection.Name)
	case lex.KwConstraint:
		c.Kind = ast.AddConstraint
		if c.Constraint = p.constraint(); c.Constraint == nil {
			return false
		}
		c.Name = c.Constraint.Name
		return true
	case lex.KwStatistics:
		c.Kind = ast.AddStatistics
		return p.statisticsCommand(c)
	}
	p.fail("what to add")
	return false
}

func (p *parser) skipIfNotExists() bool {
	if p.atWords(lex.KwIf, lex.KwNot) && p.peek(2).Word == lex.KwExists {
		p.i += 3
		return true
	}
	return false
}

// statisticsCommand reads a, b TYPE x, y.
func (p *parser) statisticsCommand(c *ast.Command) bool {
	if !p.names(&c.Names) || !p.wantWord(lex.KwType, "TYPE") {
		return false
	}
	c.Value = p.bareCallList(lex.KwStatistics, "a kind of statistics")
	return c.Value != nil
}

// namedAndPlaced sets the command's name and reads FIRST or AFTER name.
func (p *parser) namedAndPlaced(c *ast.Command, into *string, name string) bool {
	*into = name
	switch {
	case p.skipWord(lex.KwFirst):
		c.First = true
	case p.skipWord(lex.KwAfter):
		after, ok := p.dottedName()
		c.After = after
		return ok
	}
	return true
}

// commandColumn reads the column of ADD COLUMN and MODIFY COLUMN with its position.
func (p *parser) commandColumn(c *ast.Command) bool {
	name, ok := p.dottedName()
	if !ok {
		return false
	}
	c.Name = name
	c.Column = &ast.Column{Name: name}
	if p.atWord(lex.KwType) && isName(p.peek(1)) { // ALTER COLUMN a TYPE t
		p.i++
	}
	if p.atType() {
		if c.Column.Type = p.dataType(); c.Column.Type == nil {
			return false
		}
	}
	for !atCommandEnd(p) && !p.atWord(lex.KwFirst) && !p.atWord(lex.KwAfter) || p.atWord(lex.KwSettings) && p.peek(1).Kind == lex.LParen {
		if !p.columnClause(c.Column) {
			return false
		}
	}
	return p.namedAndPlaced(c, &c.Name, name)
}

// dropCommand reads what follows DROP, CLEAR and MATERIALIZE.
func (p *parser) dropCommand(c *ast.Command, verb lex.Keyword) bool {
	what := p.word()
	kinds := map[lex.Keyword][3]ast.CommandKind{
		lex.KwColumn:     {ast.DropColumn, ast.ClearColumn, ast.MaterializeColumn},
		lex.KwIndex:      {ast.DropIndex, ast.ClearIndex, ast.MaterializeIndex},
		lex.KwProjection: {ast.DropProjection, ast.ClearProjection, ast.MaterializeProjection},
		lex.KwConstraint: {ast.DropConstraint, "", ""},
		lex.KwStatistics: {ast.DropStatistics, ast.ClearStatistics, ast.MaterializeStatistics},
		lex.KwTtl:        {"", "", ast.MaterializeTTL},
	}[what]
	switch verb {
	case lex.KwDrop:
		c.Kind = kinds[0]
	case lex.KwClear:
		c.Kind = kinds[1]
	default:
		c.Kind = kinds[2]
	}
	if c.Kind == "" {
		p.fail("what to drop, clear or materialize")
		return false
	}
	c.IfExists = p.skipWords(lex.KwIf, lex.KwExists)
	switch what {
	case lex.KwTtl:
	case lex.KwStatistics:
		if !p.skipWord(lex.KwAll) && !p.names(&c.Names) {
			return false
		}
	default:
		name, ok := p.dottedName()
		if !ok {
			return false
		}
		c.Name = name
	}
	if verb != lex.KwDrop && p.atWord(lex.KwIn) {
		c.Rest = p.rest()
	}
	return true
}

func (p *parser) renameCommand(c *ast.Command) bool {
	if !p.wantWord(lex.KwColumn, "COLUMN") {
		return false
	}
	c.Kind = ast.RenameColumn
	c.IfExists = p.skipWords(lex.KwIf, lex.KwExists)
	var ok bool
	if c.Name, ok = p.dottedName(); !ok || !p.wantWord(lex.KwTo, "TO and the new name") {
		return false
	}
	c.NewName, ok = p.dottedName()
	return ok
}

func (p *parser) commentCommand(c *ast.Command) bool {
	if !p.wantWord(lex.KwColumn, "COLUMN") {
		return false
	}
	c.Kind = ast.CommentColumn
	c.IfExists = p.skipWords(lex.KwIf, lex.KwExists)
	var ok bool
	if c.Name, ok = p.dottedName(); !ok {
		return false
	}
	c.Comment, ok = p.str()
	return ok
}
