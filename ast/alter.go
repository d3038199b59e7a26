package ast

// Alter is an ALTER TABLE statement (which views and materialized views answer to as well).
type Alter struct {
	Name     Name
	Cluster  string
	Commands []*Command
	Settings []Setting
}

// CommandKind names a command of an [Alter] by its keywords.
type CommandKind string

// The commands. What a command uses of [Command] is said beside it; Name is always what it acts on.
const (
	AddColumn             CommandKind = "ADD COLUMN"             // Column, First, After, IfNotExists
	DropColumn            CommandKind = "DROP COLUMN"            // Name, IfExists
	ClearColumn           CommandKind = "CLEAR COLUMN"           // Name, Rest (IN PARTITION)
	ModifyColumn          CommandKind = "MODIFY COLUMN"          // Column (with what is written of it), First, After, IfExists
	RemoveFromColumn      CommandKind = "MODIFY COLUMN REMOVE"   // Name, Property
	ModifyColumnSetting   CommandKind = "MODIFY COLUMN SETTING"  // Name, Settings
	ResetColumnSetting    CommandKind = "MODIFY COLUMN RESET"    // Name, Names
	AddEnumValues         CommandKind = "MODIFY COLUMN ADD ENUM" // Name, Value (a List)
	RenameColumn          CommandKind = "RENAME COLUMN"          // Name, NewName, IfExists
	CommentColumn         CommandKind = "COMMENT COLUMN"         // Name, Comment, IfExists
	MaterializeColumn     CommandKind = "MATERIALIZE COLUMN"     // Name, Rest
	AddIndex              CommandKind = "ADD INDEX"              // Index, First, After, IfNotExists
	DropIndex             CommandKind = "DROP INDEX"             // Name, IfExists
	ClearIndex            CommandKind = "CLEAR INDEX"            // Name, Rest
	MaterializeIndex      CommandKind = "MATERIALIZE INDEX"      // Name, Rest
	AddProjection         CommandKind = "ADD PROJECTION"         // Projection, First, After, IfNotExists
	DropProjection        CommandKind = "DROP PROJECTION"        // Name, IfExists
	ClearProjection       CommandKind = "CLEAR PROJECTION"       // Name, Rest
	MaterializeProjection CommandKind = "MATERIALIZE PROJECTION" // Name, Rest
	AddConstraint         CommandKind = "ADD CONSTRAINT"         // Constraint, IfNotExists
	DropConstraint        CommandKind = "DROP CONSTRAINT"        // Name, IfExists
	AddStatistics         CommandKind = "ADD STATISTICS"         // Names, Value (a List), IfNotExists
	ModifyStatistics      CommandKind = "MODIFY STATISTICS"      // Names, Value (a List)
	DropStatistics        CommandKind = "DROP STATISTICS"        // Names (none: ALL), IfExists
	ClearStatistics       CommandKind = "CLEAR STATISTICS"       // Names, IfExists
	MaterializeStatistics CommandKind = "MATERIALIZE STATISTICS" // Names, IfExists
	ModifyOrderBy         CommandKind = "MODIFY ORDER BY"        // Value
	ModifySampleBy        CommandKind = "MODIFY SAMPLE BY"       // Value
	RemoveSampleBy        CommandKind = "REMOVE SAMPLE BY"       //
	ModifyTTL             CommandKind = "MODIFY TTL"             // Value (a List of rules)
	RemoveTTL             CommandKind = "REMOVE TTL"             //
	MaterializeTTL        CommandKind = "MATERIALIZE TTL"        // Rest
	ModifySetting         CommandKind = "MODIFY SETTING"         // Settings
	ResetSetting          CommandKind = "RESET SETTING"          // Names
	ModifyComment         CommandKind = "MODIFY COMMENT"         // Comment
	ModifyQuery           CommandKind = "MODIFY QUERY"           // Value
	ModifyRefresh         CommandKind = "MODIFY REFRESH"         // Refresh
	ModifySecurity        CommandKind = "MODIFY SQL SECURITY"    // Security
	Update                CommandKind = "UPDATE"                 // Value (a Clause WHERE), Settings as assignments
	Delete                CommandKind = "DELETE"                 // Value (a Clause WHERE)
	OtherCommand          CommandKind = "OTHER"                  // Rest: partitions, freezing, and what nobody reads
)

// Command is one command of an [Alter].
type Command struct {
	Kind        CommandKind
	Name        string
	NewName     string
	Names       []string
	IfExists    bool
	IfNotExists bool
	First       bool
	After       string
	Column      *Column
	Index       *Index
	Projection  *Projection
	Constraint  *Constraint
	Refresh     *Refresh
	Security    Security
	Settings    []Setting
	Property    string // "DEFAULT", "COMMENT", "CODEC", "TTL", ...
	Comment     string
	Value       *Node
	Rest        *Node // Opaque
}
