package rules

// Action is what is done about a change, in the words of the rule tables.
type Action string

// The actions.
const (
	Create            Action = "create"
	AddColumn         Action = "add-column"
	ModifyColumn      Action = "modify-column"
	ModifySetting     Action = "modify-setting"
	ResetSetting      Action = "reset-setting"
	ModifyTTL         Action = "modify-ttl"
	ModifyComment     Action = "modify-comment"
	AddIndex          Action = "add-index"
	AddProjection     Action = "add-projection"
	ReplaceView       Action = "replace-view"
	ReplaceDictionary Action = "replace-dictionary"
	ReplaceFunction   Action = "replace-function"
	ReplaceCollection Action = "replace-collection"
	ReassertGrant     Action = "re-assert-grant"
	CreateTopic       Action = "create-topic"
	Report            Action = "report"
	Refused           Action = "refused"
	None              Action = "none"
)

// Carried reports whether the action is carried out by a statement.
func (a Action) Carried() bool { return a != Report && a != Refused && a != None && a != CreateTopic }

// Replaces reports whether the action writes the whole object anew.
func (a Action) Replaces() bool {
	return a == ReplaceView || a == ReplaceDictionary || a == ReplaceFunction
}
