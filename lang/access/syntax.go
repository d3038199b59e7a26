package access

import (
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// The grammar of the statements as participle reads them. It is loose where ClickHouse is: clauses come in any order, and
// what must not stand twice is found afterwards.

type syntax struct {
	Define *defineSyntax `parser:"( @@"`
	Drop   *dropSyntax   `parser:"| @@"`
	Grant  *grantSyntax  `parser:"| @@ ) ';'?"`
}

type word struct {
	Pos  lexer.Position
	Text string `parser:"@( Ident | Quoted | String | Param )"`
}

// userName is name or name@host.
type userName struct {
	Name word  `parser:"@@"`
	Host *word `parser:"( '@' @@ )?"`
}

type defineSyntax struct {
	Verb    string         `parser:"@( 'CREATE' | 'ALTER' | 'ATTACH' )"`
	Role    *roleSyntax    `parser:"( 'ROLE' @@"`
	User    *userSyntax    `parser:"| 'USER' @@"`
	Profile *profileSyntax `parser:"| 'SETTINGS'? 'PROFILE' @@"`
	Quota   *quotaSyntax   `parser:"| 'QUOTA' @@"`
	Policy  *policySyntax  `parser:"| 'ROW'? 'POLICY' @@ )"`
}

type condition struct {
	Replace     bool `parser:"( @( 'OR' 'REPLACE' )"`
	IfNotExists bool `parser:"| @( 'IF' 'NOT' 'EXISTS' )"`
	IfExists    bool `parser:"| @( 'IF' 'EXISTS' ) )?"`
}

type roleSyntax struct {
	Condition condition     `parser:"@@"`
	Names     []userName    `parser:"@@ ( ',' @@ )*"`
	Clauses   []*roleClause `parser:"@@*"`
}

type roleClause struct {
	Common   *commonClause   `parser:"( @@"`
	Settings *settingsClause `parser:"| @@ )"`
}

// commonClause is what every kind takes.
type commonClause struct {
	Pos     lexer.Position
	Cluster *word `parser:"( 'ON' 'CLUSTER' @@"`
	Storage *word `parser:"| 'IN' @@"`
	Rename  *word `parser:"| 'RENAME' 'TO' @@ )"`
}

// settingsClause is SETTINGS with a list, or one of the steps by which ALTER prints it.
type settingsClause struct {
	Pos          lexer.Position
	None         bool             `parser:"','? ( 'SETTINGS' ( @'NONE'"`
	List         []*settingSyntax `parser:"  | @@ ( ',' @@ )* )"`
	DropAll      string           `parser:"| 'DROP' 'ALL' @( 'SETTINGS' | 'PROFILES' )"`
	DropSettings []settingName    `parser:"| 'DROP' ( 'SETTINGS' | 'SETTING' ) @@ ( ',' (?! 'ADD' | 'DROP' | 'MODIFY' ) @@ )*"`
	DropProfiles []word           `parser:"| 'DROP' ( 'PROFILES' | 'PROFILE' ) @@ ( ',' (?! 'ADD' | 'DROP' | 'MODIFY' ) @@ )*"`
	AddProfiles  []word           `parser:"| 'ADD' ( 'PROFILES' | 'PROFILE' ) @@ ( ',' (?! 'ADD' | 'DROP' | 'MODIFY' ) @@ )*"`
	Step         string           `parser:"| @( 'ADD' | 'MODIFY' ) ( 'SETTINGS' | 'SETTING' )"`
	Stepped      []*settingSyntax `parser:"  @@ ( ',' (?! 'ADD' | 'DROP' | 'MODIFY' ) @@ )* )"`
}

type settingName struct {
	Pos   lexer.Position
	Parts []string `parser:"@( Ident | Quoted ) ( '.' @( Ident | Quoted ) )*"`
}

type settingSyntax struct {
	Profile *word          `parser:"( ( 'PROFILE' | 'INHERIT' ) @@"`
	Name    *settingName   `parser:"| @@"`
	Mods    []*settingMods `parser:"  @@* )"`
}

type settingMods struct {
	Value       *value `parser:"( '=' @@"`
	Min         *value `parser:"| 'MIN' '='? @@"`
	Max         *value `parser:"| 'MAX' '='? @@"`
	Writability string `parser:"| @( 'READONLY' | 'CONST' | 'WRITABLE' | 'CHANGEABLE_IN_READONLY' ) )"`
}

// value is a literal.
type value struct {
	Pos    lexer.Position
	Minus  bool   `parser:"@'-'?"`
	Number string `parser:"( @Number"`
	Text   string `parser:"| @String"`
	Word   string `parser:"| @Ident )"`
}

type profileSyntax struct {
	Condition condition        `parser:"@@"`
	Names     []word           `parser:"@@ ( ',' @@ )*"`
	Clauses   []*profileClause `parser:"@@*"`
}

type profileClause struct {
	Common   *commonClause   `parser:"( @@"`
	Settings *settingsClause `parser:"| @@"`
	To       *recipients     `parser:"| 'TO' @@ )"`
}

// recipients is a list of names, ALL, ANY or NONE among them, and EXCEPT with another.
type recipients struct {
	Pos    lexer.Position
	Names  []userName `parser:"@@ ( ',' @@ )*"`
	Except []userName `parser:"( 'EXCEPT' @@ ( ',' @@ )* )?"`
}

type userSyntax struct {
	Condition condition     `parser:"@@"`
	Names     []userName    `parser:"@@ ( ',' @@ )*"`
	Clauses   []*userClause `parser:"@@*"`
}

type userClause struct {
	Pos             lexer.Position
	NotIdentified   bool            `parser:"( @( 'NOT' 'IDENTIFIED' )"`
	AddAuth         bool            `parser:"| @'ADD'? "`
	Auth            []*authSyntax   `parser:"  'IDENTIFIED' 'WITH'? @@ ( ',' 'WITH'? @@ )*"`
	ResetAuth       bool            `parser:"| @( 'RESET' 'AUTHENTICATION' 'METHODS' 'TO' 'NEW' )"`
	HostStep        string          `parser:"| @( 'ADD' | 'DROP' )?"`
	Hosts           []*hostSyntax   `parser:"  'HOST' @@ ( ',' @@ )*"`
	ValidUntil      *word           `parser:"| 'VALID' 'UNTIL' @@"`
	DefaultRole     *recipients     `parser:"| 'DEFAULT' 'ROLE' @@"`
	DefaultDatabase *word           `parser:"| 'DEFAULT' 'DATABASE' @@"`
	Grantees        *recipients     `parser:"| 'GRANTEES' @@"`
	Common          *commonClause   `parser:"| @@"`
	Settings        *settingsClause `parser:"| @@ )"`
}

type authSyntax struct {
	Pos    lexer.Position
	Method string `parser:"( (?! 'BY' ) @Ident )?"`
	// A password, a hash or a key: the value itself, a query parameter, or our reference.
	By         *word       `parser:"( 'BY' ( 'SECRET' '(' @@ ')'"`
	Literal    *word       `parser:"  | (?! 'KEY' ) @@"`
	Keys       []*sshKey   `parser:"  | @@ ( ',' @@ )* ) )?"`
	Salt       *word       `parser:"( 'SALT' @@ )?"`
	Values     []*authWord `parser:"@@*"`
	ValidUntil *word       `parser:"( 'VALID' 'UNTIL' @@ )?"`
}

type sshKey struct {
	Key  word `parser:"'KEY' @@"`
	Type word `parser:"'TYPE' @@"`
}

type authWord struct {
	Name string `parser:"@( 'SERVER' | 'REALM' | 'SCHEME' | 'CN' | 'SAN' )"`
	Text []word `parser:"@@ ( ',' (?= String ) @@ )*"`
}

type hostSyntax struct {
	Pos  lexer.Position
	Kind string `parser:"@( 'ANY' | 'NONE' | 'LOCAL' | 'IP' | 'NAME' | 'REGEXP' | 'LIKE' )"`
	Text []word `parser:"( (?= String ) @@ ( ',' (?= String ) @@ )* )?"`
}

type quotaSyntax struct {
	Condition condition      `parser:"@@"`
	Names     []word         `parser:"@@ ( ',' @@ )*"`
	Clauses   []*quotaClause `parser:"@@*"`
}

type quotaClause struct {
	Pos      lexer.Position
	NotKeyed bool              `parser:"( @( 'NOT' 'KEYED' )"`
	Keys     []word            `parser:"| ( 'KEYED' | 'KEY' ) 'BY' @@ ( ',' @@ )*"`
	IPv4     string            `parser:"| 'IPV4_PREFIX_BITS' @Number"`
	IPv6     string            `parser:"| 'IPV6_PREFIX_BITS' @Number"`
	Interval []*intervalSyntax `parser:"| @@ ( ',' @@ )*"`
	To       *recipients       `parser:"| 'TO' @@"`
	Common   *commonClause     `parser:"| @@ )"`
}

type intervalSyntax struct {
	Pos        lexer.Position
	Randomized bool           `parser:"'FOR' @'RANDOMIZED'? 'INTERVAL'?"`
	Amount     string         `parser:"@Number"`
	Unit       string         `parser:"@Ident"`
	NoLimits   bool           `parser:"( @( 'NO' 'LIMITS' )"`
	Tracking   bool           `parser:"| @( 'TRACKING' 'ONLY' )"`
	Limits     []*limitSyntax `parser:"| @@ ( ',' (?! 'FOR' ) @@ )* )"`
}

type limitSyntax struct {
	Pos   lexer.Position
	Lead  bool     `parser:"@'MAX'?"`
	Words []string `parser:"( (?! 'MAX' | 'TO' | 'ON' | 'IN' | 'RENAME' | 'KEYED' | 'KEY' | 'NOT' ) @Ident )+"`
	Late  bool     `parser:"@'MAX'?"`
	Value value    `parser:"'='? @@"`
}

type policySyntax struct {
	Condition condition       `parser:"@@"`
	Names     []word          `parser:"@@ ( ',' @@ )*"`
	Cluster   *word           `parser:"( 'ON' 'CLUSTER' @@ )?"`
	Tables    []*policyTable  `parser:"'ON' @@ ( ',' (?! ( Ident | Quoted | String ) 'ON' ) @@ )*"`
	More      []*policyOn     `parser:"( ',' @@ )*"`
	Clauses   []*policyClause `parser:"@@*"`
}

// policyOn is a further policy on a table of its own.
type policyOn struct {
	Name  word         `parser:"@@"`
	Table *policyTable `parser:"'ON' @@"`
}

type policyTable struct {
	Pos   lexer.Position
	Any   bool  `parser:"( @'*'"`
	First *word `parser:"| @@"`
	All   bool  `parser:"  ( '.' ( @'*'"`
	Table *word `parser:"  | @@ ) )? )"`
}

type policyClause struct {
	Pos    lexer.Position
	As     string        `parser:"( 'AS' @( 'PERMISSIVE' | 'RESTRICTIVE' )"`
	For    bool          `parser:"| @( 'FOR' 'SELECT' )"`
	None   bool          `parser:"| 'USING' ( @'NONE'"`
	Filter *filterSyntax `parser:"  | @@ )"`
	To     *recipients   `parser:"| 'TO' @@"`
	Common *commonClause `parser:"| @@ )"`
}

// filterSyntax is the condition: every token up to the next clause, whole parentheses included. Package ddl reads it.
type filterSyntax struct {
	Pos    lexer.Position
	EndPos lexer.Position
	Items  []*filterItem `parser:"@@+"`
}

type filterItem struct {
	Inner *filterParens `parser:"( @@"`
	Token string        `parser:"| (?! 'TO' | 'AS' ( 'PERMISSIVE' | 'RESTRICTIVE' ) | 'FOR' 'SELECT' | ';' ) @( Ident | Quoted | String | Param | Number | Operator | '.' | ',' | '*' | '=' | '-' | '@' ) )"`
}

type filterParens struct {
	Items []*filterInside `parser:"'(' @@* ')'"`
}

type filterInside struct {
	Inner *filterParens `parser:"( @@"`
	Token string        `parser:"| @( Ident | Quoted | String | Param | Number | Operator | '.' | ',' | '*' | '=' | '-' | '@' ) )"`
}

type dropSyntax struct {
	Kind     string         `parser:"'DROP' ( @( 'ROLE' | 'USER' | 'QUOTA' ) | 'SETTINGS'? @'PROFILE' | 'ROW'? @'POLICY' )"`
	IfExists bool           `parser:"@( 'IF' 'EXISTS' )?"`
	Names    []userName     `parser:"@@ ( ',' @@ )*"`
	Cluster  *word          `parser:"( 'ON' 'CLUSTER' @@ )?"`
	Tables   []*policyTable `parser:"( 'ON' @@ ( ',' @@ )* )?"`
	Storage  *word          `parser:"( ( 'FROM' | 'IN' ) @@ )?"`
}

type grantSyntax struct {
	Verb        string         `parser:"@( 'GRANT' | 'REVOKE' )"`
	Cluster     *word          `parser:"( 'ON' 'CLUSTER' @@ )?"`
	GrantOption bool           `parser:"( @( 'GRANT' 'OPTION' 'FOR' )"`
	AdminOption bool           `parser:"| @( 'ADMIN' 'OPTION' 'FOR' ) )?"`
	Entries     []*grantEntry  `parser:"@@ ( ',' @@ )*"`
	To          *recipients    `parser:"( 'TO' | 'FROM' ) @@"`
	Options     []*grantOption `parser:"@@*"`
}

type grantOption struct {
	Word string `parser:"'WITH' @( 'GRANT' | 'ADMIN' | 'REPLACE' ) 'OPTION'"`
}

type grantEntry struct {
	Pos     lexer.Position
	Current *currentGrants `parser:"( 'CURRENT' 'GRANTS' @@"`
	Words   []word         `parser:"| ( (?! 'ON' | 'TO' | 'FROM' ) @@ )+"`
	Columns []word         `parser:"  ( '(' @@ ( ',' @@ )* ')' )?"`
	On      *grantTarget   `parser:"  ( 'ON' @@ )? )"`
}

type currentGrants struct {
	Entries []*grantEntry `parser:"( '(' @@ ( ',' @@ )* ')'"`
	On      *grantTarget  `parser:"| 'ON' @@ )"`
}

// grantTarget is *, *.*, db.*, db.t, db.t*, db*.*, t, name*, S3('regexp').
type grantTarget struct {
	Pos        lexer.Position
	Any        bool  `parser:"( @'*'"`
	AnyAny     bool  `parser:"  @( '.' '*' )?"`
	First      *word `parser:"| @@"`
	FirstStar  bool  `parser:"  @'*'?"`
	AllTables  bool  `parser:"  ( '.' ( @'*'"`
	Second     *word `parser:"  | @@"`
	SecondStar bool  `parser:"    @'*'? ) )? )"`
	Filter     *word `parser:"( '(' @@ ')' )?"`
}

type grammar struct {
	parser *participle.Parser[syntax]
	words  *lexer.StatefulDefinition
}

// lookahead is how many tokens an alternative may be wrong for before it is taken: ADD IDENTIFIED, ADD HOST and ADD
// SETTING begin alike.
const lookahead = 16

var accessGrammar = sync.OnceValue(func() grammar {
	words := lexer.MustSimple([]lexer.SimpleRule{
		{Name: "Space", Pattern: `\s+`},
		{Name: "Comment", Pattern: `--[^\n]*|#!?[^\n]*|/\*([^*]|\*+[^*/])*\*+/`},
		{Name: "String", Pattern: `'([^'\\]|\\[\s\S]|'')*'`},
		{Name: "Quoted", Pattern: "`([^`\\\\]|\\\\[\\s\\S]|``)*`|\"([^\"\\\\]|\\\\[\\s\\S]|\"\")*\""},
		{Name: "Param", Pattern: `\{\s*[A-Za-z_][A-Za-z0-9_]*\s*:[^}]*\}`},
		// A name may begin with a digit; 1e5 and 0xFF are numbers.
		{Name: "Ident", Pattern: `[A-Za-z_][A-Za-z0-9_]*|[0-9]+([A-DF-WYZa-df-wyz_]|[Ee][A-Za-z_])[A-Za-z0-9_]*|([1-9][0-9]*|0[0-9]+)[Xx][A-Za-z0-9_]*`},
		{Name: "Number", Pattern: `0[xX][0-9a-fA-F]+|[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?`},
		{Name: "Punct", Pattern: `[().,;*=@-]`},
		{Name: "Operator", Pattern: `[^\s\w]`},
	})
	return grammar{participle.MustBuild[syntax](
		participle.Lexer(words), participle.Elide("Space", "Comment"), participle.CaseInsensitive("Ident"), participle.UseLookahead(lookahead)), words}
})
