package executor

import (
	"encoding/json"
	"strings"
)

// Comment is the log comment of every statement. Another pass finds by it what may still be under way, and people find
// by it in the query log what a pass did.
type Comment struct {
	By        string `json:"by"`
	Scope     string `json:"scope"`
	Pass      string `json:"pass"`
	Object    string `json:"object"`
	Statement string `json:"statement"` // its query id
}

const (
	by = "dfe"
	// commentPrefix is how the log comment of every release begins.
	commentPrefix = `{"by":"` + by + `",`
)

// String is the comment as it is sent.
func (c Comment) String() string {
	text, _ := json.Marshal(c) // five strings
	return string(text)
}

// parseComment returns the comment that a text is, and false for a text that is none of ours.
func parseComment(text string) (Comment, bool) {
	var c Comment
	if !strings.HasPrefix(text, commentPrefix) || json.Unmarshal([]byte(text), &c) != nil {
		return Comment{}, false
	}
	return c, true
}
