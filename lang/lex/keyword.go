package lex

// Keyword numbers the words that mean something to the grammar; 0 is no keyword.
type Keyword uint16

// The keywords, by their names in lower case after Kw.
const (
	_ Keyword = iota
	KwAdd
	KwAfter
	KwAlias
	KwAll
	KwAlter
	KwAnd
	KwAnti
	KwAny
	KwAppend
	KwApply
	KwArray
	KwAs
	KwAsc
	KwAscending
	KwAsof
	KwAssume
	KwAst
	KwAttach
	KwAutoIncrement
	KwBetween
	KwBidirectional
	KwBigint
	KwBinary
	KwBoth
	KwBy
	KwCase
	KwCast
	KwChar
	KwCharacter
	KwCheck
	KwClear
	KwClone
	KwCluster
	KwCodec
	KwCollate
	KwColumn
	KwColumns
	KwComment
	KwConstraint
	KwCreate
	KwCross
	KwCube
	KwCurrent
	KwCurrentUser
	KwDatabase
	KwDate
	KwDateadd
	KwDatediff
	KwDatesub
	KwDateAdd
	KwDateDiff
	KwDateSub
	KwDefault
	KwDefiner
	KwDelete
	KwDepends
	KwDesc
	KwDescending
	KwDetach
	KwDetached
	KwDictionary
	KwDisk
	KwDistinct
	KwDiv
	KwDouble
	KwDrop
	KwElse
	KwEmpty
	KwEnd
	KwEngine
	KwEnum
	KwEphemeral
	KwEscape
	KwEstimate
	KwEvery
	KwExcept
	KwExists
	KwExplain
	KwExport
	KwExpression
	KwExtract
	KwFalse
	KwFetch
	KwFill
	KwFilter
	KwFinal
	KwFirst
	KwFollowing
	KwFor
	KwForeign
	KwForget
	KwFormat
	KwFreeze
	KwFrom
	KwFull
	KwFunction
	KwGlobal
	KwGranularity
	KwGroup
	KwGrouping
	KwGroups
	KwHaving
	KwHierarchical
	KwIf
	KwIgnore
	KwIlike
	KwIn
	KwIndex
	KwInf
	KwInfinity
	KwInjective
	KwInner
	KwInt
	KwInt1
	KwInteger
	KwInterpolate
	KwIntersect
	KwInterval
	KwInto
	KwInvoker
	KwIs
	KwIsObjectId
	KwJoin
	KwKey
	KwLarge
	KwLast
	KwLayout
	KwLeading
	KwLeft
	KwLifetime
	KwLike
	KwLimit
	KwLive
	KwLocal
	KwLocate
	KwMaterialize
	KwMaterialized
	KwMax
	KwMediumint
	KwMid
	KwMin
	KwMod
	KwModify
	KwMove
	KwNan
	KwNational
	KwNchar
	KwNatural
	KwNext
	KwNone
	KwNot
	KwNull
	KwNulls
	KwObject
	KwOffset
	KwOn
	KwOnly
	KwOr
	KwOrder
	KwOuter
	KwOver
	KwOverlay
	KwParallel
	KwPart
	KwPartition
	KwPaste
	KwPipeline
	KwPlacing
	KwPlan
	KwPopulate
	KwPosition
	KwPreceding
	KwPrecision
	KwPrewhere
	KwPrimary
	KwProjection
	KwQualify
	KwQuery
	KwRandomize
	KwRange
	KwRecompress
	KwRecursive
	KwRefresh
	KwRegexp
	KwRemove
	KwRename
	KwReplace
	KwReset
	KwRespect
	KwRewrite
	KwRight
	KwRollup
	KwRow
	KwRows
	KwSample
	KwSecurity
	KwSelect
	KwSemi
	KwSet
	KwSets
	KwSetting
	KwSettings
	KwSigned
	KwSkip
	KwSmallint
	KwSome
	KwSource
	KwSql
	KwStaleness
	KwStatistics
	KwStep
	KwStrict
	KwSubstr
	KwSubstring
	KwSyntax
	KwTable
	KwTemporary
	KwThen
	KwTies
	KwTimestamp
	KwTimestampadd
	KwTimestampdiff
	KwTimestampsub
	KwTimestampAdd
	KwTimestampDiff
	KwTimestampSub
	KwTinyint
	KwTo
	KwTop
	KwTotals
	KwTrailing
	KwTree
	KwTrim
	KwTrue
	KwTtl
	KwType
	KwUnbounded
	KwUnfreeze
	KwUnion
	KwUnique
	KwUnknown
	KwUnsigned
	KwUpdate
	KwUsing
	KwUuid
	KwValues
	KwVarying
	KwView
	KwVolume
	KwWhen
	KwWhere
	KwWindow
	KwWith
	keywordCount
)

// spellings are the keywords in upper case, in the order of their numbers.
var spellings = [keywordCount]string{
	KwAdd:           "ADD",
	KwAfter:         "AFTER",
	KwAlias:         "ALIAS",
	KwAll:           "ALL",
	KwAlter:         "ALTER",
	KwAnd:           "AND",
	KwAnti:          "ANTI",
	KwAny:           "ANY",
	KwAppend:        "APPEND",
	KwApply:         "APPLY",
	KwArray:         "ARRAY",
	KwAs:            "AS",
	KwAsc:           "ASC",
	KwAscending:     "ASCENDING",
	KwAsof:          "ASOF",
	KwAssume:        "ASSUME",
	KwAst:           "AST",
	KwAttach:        "ATTACH",
	KwAutoIncrement: "AUTO_INCREMENT",
	KwBetween:       "BETWEEN",
	KwBidirectional: "BIDIRECTIONAL",
	KwBigint:        "BIGINT",
	KwBinary:        "BINARY",
	KwBoth:          "BOTH",
	KwBy:            "BY",
	KwCase:          "CASE",
	KwCast:          "CAST",
	KwChar:          "CHAR",
	KwCharacter:     "CHARACTER",
	KwCheck:         "CHECK",
	KwClear:         "CLEAR",
	KwClone:         "CLONE",
	KwCluster:       "CLUSTER",
	KwCodec:         "CODEC",
	KwCollate:       "COLLATE",
	KwColumn:        "COLUMN",
	KwColumns:       "COLUMNS",
	KwComment:       "COMMENT",
	KwConstraint:    "CONSTRAINT",
	KwCreate:        "CREATE",
	KwCross:         "CROSS",
	KwCube:          "CUBE",
	KwCurrent:       "CURRENT",
	KwCurrentUser:   "CURRENT_USER",
	KwDatabase:      "DATABASE",
	KwDate:          "DATE",
	KwDateadd:       "DATEADD",
	KwDatediff:      "DATEDIFF",
	KwDatesub:       "DATESUB",
	KwDateAdd:       "DATE_ADD",
	KwDateDiff:      "DATE_DIFF",
	KwDateSub:       "DATE_SUB",
	KwDefault:       "DEFAULT",
	KwDefiner:       "DEFINER",
	KwDelete:        "DELETE",
	KwDepends:       "DEPENDS",
	KwDesc:          "DESC",
	KwDescending:    "DESCENDING",
	KwDetach:        "DETACH",
	KwDetached:      "DETACHED",
	KwDictionary:    "DICTIONARY",
	KwDisk:          "DISK",
	KwDistinct:      "DISTINCT",
	KwDiv:           "DIV",
	KwDouble:        "DOUBLE",
	KwDrop:          "DROP",
	KwElse:          "ELSE",
	KwEmpty:         "EMPTY",
	KwEnd:           "END",
	KwEngine:        "ENGINE",
	KwEnum:          "ENUM",
	KwEphemeral:     "EPHEMERAL",
	KwEscape:        "ESCAPE",
	KwEstimate:      "ESTIMATE",
	KwEvery:         "EVERY",
	KwExcept:        "EXCEPT",
	KwExists:        "EXISTS",
	KwExplain:       "EXPLAIN",
	KwExport:        "EXPORT",
	KwExpression:    "EXPRESSION",
	KwExtract:       "EXTRACT",
	KwFalse:         "FALSE",
	KwFetch:         "FETCH",
	KwFill:          "FILL",
	KwFilter:        "FILTER",
	KwFinal:         "FINAL",
	KwFirst:         "FIRST",
	KwFollowing:     "FOLLOWING",
	KwFor:           "FOR",
	KwForeign:       "FOREIGN",
	KwForget:        "FORGET",
	KwFormat:        "FORMAT",
	KwFreeze:        "FREEZE",
	KwFrom:          "FROM",
	KwFull:          "FULL",
	KwFunction:      "FUNCTION",
	KwGlobal:        "GLOBAL",
	KwGranularity:   "GRANULARITY",
	KwGroup:         "GROUP",
	KwGrouping:      "GROUPING",
	KwGroups:        "GROUPS",
	KwHaving:        "HAVING",
	KwHierarchical:  "HIERARCHICAL",
	KwIf:            "IF",
	KwIgnore:        "IGNORE",
	KwIlike:         "ILIKE",
	KwIn:            "IN",
	KwIndex:         "INDEX",
	KwInf:           "INF",
	KwInfinity:      "INFINITY",
	KwInjective:     "INJECTIVE",
	KwInner:         "INNER",
	KwInt:           "INT",
	KwInt1:          "INT1",
	KwInteger:       "INTEGER",
	KwInterpolate:   "INTERPOLATE",
	KwIntersect:     "INTERSECT",
	KwInterval:      "INTERVAL",
	KwInto:          "INTO",
	KwInvoker:       "INVOKER",
	KwIs:            "IS",
	KwIsObjectId:    "IS_OBJECT_ID",
	KwJoin:          "JOIN",
	KwKey:           "KEY",
	KwLarge:         "LARGE",
	KwLast:          "LAST",
	KwLayout:        "LAYOUT",
	KwLeading:       "LEADING",
	KwLeft:          "LEFT",
	KwLifetime:      "LIFETIME",
	KwLike:          "LIKE",
	KwLimit:         "LIMIT",
	KwLive:          "LIVE",
	KwLocal:         "LOCAL",
	KwLocate:        "LOCATE",
	KwMaterialize:   "MATERIALIZE",
	KwMaterialized:  "MATERIALIZED",
	KwMax:           "MAX",
	KwMediumint:     "MEDIUMINT",
	KwMid:           "MID",
	KwMin:           "MIN",
	KwMod:           "MOD",
	KwModify:        "MODIFY",
	KwMove:          "MOVE",
	KwNan:           "NAN",
	KwNational:      "NATIONAL",
	KwNchar:         "NCHAR",
	KwNatural:       "NATURAL",
	KwNext:          "NEXT",
	KwNone:          "NONE",
	KwNot:           "NOT",
	KwNull:          "NULL",
	KwNulls:         "NULLS",
	KwObject:        "OBJECT",
	KwOffset:        "OFFSET",
	KwOn:            "ON",
	KwOnly:          "ONLY",
	KwOr:            "OR",
	KwOrder:         "ORDER",
	KwOuter:         "OUTER",
	KwOver:          "OVER",
	KwOverlay:       "OVERLAY",
	KwParallel:      "PARALLEL",
	KwPart:          "PART",
	KwPartition:     "PARTITION",
	KwPaste:         "PASTE",
	KwPipeline:      "PIPELINE",
	KwPlacing:       "PLACING",
	KwPlan:          "PLAN",
	KwPopulate:      "POPULATE",
	KwPosition:      "POSITION",
	KwPreceding:     "PRECEDING",
	KwPrecision:     "PRECISION",
	KwPrewhere:      "PREWHERE",
	KwPrimary:       "PRIMARY",
	KwProjection:    "PROJECTION",
	KwQualify:       "QUALIFY",
	KwQuery:         "QUERY",
	KwRandomize:     "RANDOMIZE",
	KwRange:         "RANGE",
	KwRecompress:    "RECOMPRESS",
	KwRecursive:     "RECURSIVE",
	KwRefresh:       "REFRESH",
	KwRegexp:        "REGEXP",
	KwRemove:        "REMOVE",
	KwRename:        "RENAME",
	KwReplace:       "REPLACE",
	KwReset:         "RESET",
	KwRespect:       "RESPECT",
	KwRewrite:       "REWRITE",
	KwRight:         "RIGHT",
	KwRollup:        "ROLLUP",
	KwRow:           "ROW",
	KwRows:          "ROWS",
	KwSample:        "SAMPLE",
	KwSecurity:      "SECURITY",
	KwSelect:        "SELECT",
	KwSemi:          "SEMI",
	KwSet:           "SET",
	KwSets:          "SETS",
	KwSetting:       "SETTING",
	KwSettings:      "SETTINGS",
	KwSigned:        "SIGNED",
	KwSkip:          "SKIP",
	KwSmallint:      "SMALLINT",
	KwSome:          "SOME",
	KwSource:        "SOURCE",
	KwSql:           "SQL",
	KwStaleness:     "STALENESS",
	KwStatistics:    "STATISTICS",
	KwStep:          "STEP",
	KwStrict:        "STRICT",
	KwSubstr:        "SUBSTR",
	KwSubstring:     "SUBSTRING",
	KwSyntax:        "SYNTAX",
	KwTable:         "TABLE",
	KwTemporary:     "TEMPORARY",
	KwThen:          "THEN",
	KwTies:          "TIES",
	KwTimestamp:     "TIMESTAMP",
	KwTimestampadd:  "TIMESTAMPADD",
	KwTimestampdiff: "TIMESTAMPDIFF",
	KwTimestampsub:  "TIMESTAMPSUB",
	KwTimestampAdd:  "TIMESTAMP_ADD",
	KwTimestampDiff: "TIMESTAMP_DIFF",
	KwTimestampSub:  "TIMESTAMP_SUB",
	KwTinyint:       "TINYINT",
	KwTo:            "TO",
	KwTop:           "TOP",
	KwTotals:        "TOTALS",
	KwTrailing:      "TRAILING",
	KwTree:          "TREE",
	KwTrim:          "TRIM",
	KwTrue:          "TRUE",
	KwTtl:           "TTL",
	KwType:          "TYPE",
	KwUnbounded:     "UNBOUNDED",
	KwUnfreeze:      "UNFREEZE",
	KwUnion:         "UNION",
	KwUnique:        "UNIQUE",
	KwUnknown:       "UNKNOWN",
	KwUnsigned:      "UNSIGNED",
	KwUpdate:        "UPDATE",
	KwUsing:         "USING",
	KwUuid:          "UUID",
	KwValues:        "VALUES",
	KwVarying:       "VARYING",
	KwView:          "VIEW",
	KwVolume:        "VOLUME",
	KwWhen:          "WHEN",
	KwWhere:         "WHERE",
	KwWindow:        "WINDOW",
	KwWith:          "WITH",
}

// String returns the keyword in upper case, "" for none.
func (k Keyword) String() string { return spellings[k] }

// tableSize is a power of two that leaves most buckets of the hash table empty.
const tableSize = 2048

// table is an open-addressed hash table from a word to its keyword.
var table = func() (t [tableSize]Keyword) {
	for k := Keyword(1); k < keywordCount; k++ {
		i := hash(spellings[k])
		for t[i] != 0 {
			i = (i + 1) % tableSize
		}
		t[i] = k
	}
	return t
}()

// longestKeyword is the length of TIMESTAMP_DIFF.
const longestKeyword = 14

// hash mixes the letters of a word regardless of their case.
func hash(word string) uint32 {
	h := uint32(len(word))
	for i := 0; i < len(word); i++ {
		h = (h ^ uint32(word[i]|0x20)) * 0x01000193
	}
	return (h ^ h>>13) % tableSize
}

// Lookup returns the keyword that word spells, in any case, or 0.
func Lookup(word string) Keyword {
	if len(word) > longestKeyword || len(word) < 2 {
		return 0
	}
	for i := hash(word); table[i] != 0; i = (i + 1) % tableSize {
		if sameLetters(word, spellings[table[i]]) {
			return table[i]
		}
	}
	return 0
}

// sameLetters reports whether word is upper, which is in upper case, in any case.
func sameLetters(word, upper string) bool {
	if len(word) != len(upper) {
		return false
	}
	for i := 0; i < len(word); i++ {
		c := word[i]
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		if c != upper[i] {
			return false
		}
	}
	return true
}
