package lint

import (
	"bufio"
	"encoding/json"
	"io"
	"net/url"
	"strings"
)

// sarifSchema is the schema of the format's edition that the document follows (OASIS, SARIF 2.1.0 errata 01).
const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// NewSARIF returns a writer of SARIF 2.1.0, for code hosts and editors. The codes with their pages are the tool's rules;
// a waived finding is a result with a suppression that gives the reason. engine is the release of dfe.
func NewSARIF(w io.Writer, src Source, engine string) Writer {
	return &sarif{w: bufio.NewWriter(w), src: src, engine: engine}
}

type sarif struct {
	w      *bufio.Writer
	src    Source
	engine string
	index  map[Code]int
	begun  bool
	wrote  bool
}

type sarifText struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown,omitempty"`
}

type sarifRule struct {
	ID      Code      `json:"id"`
	Name    string    `json:"name"`
	Short   sarifText `json:"shortDescription"`
	Help    sarifText `json:"help"`
	Default struct {
		Level Severity `json:"level"`
	} `json:"defaultConfiguration"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRegion struct {
	StartLine   int        `json:"startLine"`
	StartColumn int        `json:"startColumn"`
	EndLine     int        `json:"endLine"`
	EndColumn   int        `json:"endColumn"`
	Snippet     *sarifText `json:"snippet,omitempty"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   sarifRegion   `json:"region"`
}

type sarifLogical struct {
	Name string `json:"fullyQualifiedName"`
	Kind string `json:"kind"`
}

type sarifLocation struct {
	Physical *sarifPhysical `json:"physicalLocation,omitempty"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
}

type sarifSuppression struct {
	Kind          string `json:"kind"`
	Justification string `json:"justification"`
}

type sarifResult struct {
	RuleID       Code               `json:"ruleId"`
	RuleIndex    int                `json:"ruleIndex"`
	Level        Severity           `json:"level"`
	Message      sarifText          `json:"message"`
	Locations    []sarifLocation    `json:"locations,omitempty"`
	Suppressions []sarifSuppression `json:"suppressions,omitempty"`
}

func (s *sarif) begin() error {
	if s.begun {
		return nil
	}
	s.begun = true
	driver := sarifDriver{Name: "dfe", Version: s.engine}
	s.index = map[Code]int{}
	for i, c := range Checks() {
		s.index[c.Code] = i
		rule := sarifRule{ID: c.Code, Name: ruleName(c.Title), Short: sarifText{Text: capital(c.Title) + "."}}
		page, err := pageOf(c)
		if err != nil {
			return err
		}
		rule.Help = sarifText{Text: page.Text, Markdown: page.Text}
		rule.Default.Level = c.Severity
		driver.Rules = append(driver.Rules, rule)
	}
	text, err := json.Marshal(driver)
	if err != nil {
		return err
	}
	_, err = s.w.WriteString(`{"$schema":"` + sarifSchema + `","version":"2.1.0","runs":[{"tool":{"driver":` + string(text) +
		`},"columnKind":"unicodeCodePoints","results":[`)
	return err
}

// ruleName makes a name of the form that code hosts show: ANullableColumnInAKey.
func ruleName(title string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(title, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') }) {
		b.WriteString(capital(word))
	}
	return b.String()
}

func capital(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}

func (s *sarif) Write(f Finding) error {
	if err := s.begin(); err != nil {
		return err
	}
	message := oneLine(f.Summary) + "."
	for _, part := range []string{f.Reason, f.Remedy} {
		if part != "" {
			message += " " + part
		}
	}
	result := sarifResult{RuleID: f.Code, RuleIndex: s.index[f.Code], Level: f.Severity, Message: sarifText{Text: message}}
	var at sarifLocation
	if f.At.Filename != "" {
		at.Physical = &sarifPhysical{Artifact: sarifArtifact{(&url.URL{Path: s.src.path(f.At.Filename)}).String()}, Region: region(f, s.src)}
	}
	if f.Kind != "" {
		at.Logical = []sarifLogical{{f.Name.String(), string(f.Kind)}}
	}
	if at.Physical != nil || at.Logical != nil {
		result.Locations = []sarifLocation{at}
	}
	if f.Waived != "" {
		result.Suppressions = []sarifSuppression{{"inSource", f.Waived}}
	}
	return writeElement(s.w, &s.wrote, result)
}

// region is the place in the file. SARIF's lines and columns begin at 1, and its end is exclusive as ours is.
func region(f Finding, src Source) sarifRegion {
	r := sarifRegion{StartLine: max(f.At.Start.Line, 1), StartColumn: max(f.At.Start.Column, 1), EndLine: f.At.End.Line, EndColumn: f.At.End.Column}
	r.EndLine = max(r.EndLine, r.StartLine)
	if r.EndLine == r.StartLine {
		r.EndColumn = max(r.EndColumn, r.StartColumn)
	}
	r.EndColumn = max(r.EndColumn, 1)
	if line, ok := src.line(f.At); ok {
		r.Snippet = &sarifText{Text: line.Text}
	}
	return r
}

func (s *sarif) Close() error {
	if err := s.begin(); err != nil {
		return err
	}
	if _, err := s.w.WriteString("\n]}]}\n"); err != nil {
		return err
	}
	return s.w.Flush()
}
