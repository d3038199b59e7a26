package lint

import (
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/dfe-engine/dfe/lang/tree"
)

// Writer writes findings one by one. Waived ones are given to it as well.
type Writer interface {
	Write(Finding) error
	// Close ends the document.
	Close() error
}

// Source is what a writer knows about the tree the findings are in.
type Source struct {
	// Text is what may be shown of the sources: of all that were read, with all their faults.
	Text tree.Excerpts
	// Prefix stands before the name of a file where a path is printed: the tree's directory as the user wrote it.
	Prefix  string
	Release string
	Objects int
}

// Count is how many findings there were of each sort.
type Count struct {
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Notes    int `json:"notes"`
	Waived   int `json:"waived"`
}

// Add counts a finding.
func (c *Count) Add(f Finding) {
	switch {
	case f.Waived != "":
		c.Waived++
	case f.Severity == Error:
		c.Errors++
	case f.Severity == Warning:
		c.Warnings++
	default:
		c.Notes++
	}
}

// Standing is how many findings nobody waived.
func (c Count) Standing() int { return c.Errors + c.Warnings + c.Notes }

// path is where a file is, for people and for other programs.
func (s Source) path(file string) string {
	if s.Prefix == "" {
		return file
	}
	return strings.TrimSuffix(s.Prefix, "/") + "/" + file
}

// line returns the source line a place begins on, and the part of it that the place covers.
func (s Source) line(at hcl.Range) (tree.Excerpt, bool) { return s.Text.At(at) }
