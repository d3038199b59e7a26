package lint

import (
	"bufio"
	"encoding/json"
	"io"

	"github.com/dfe-engine/dfe/ast"
)

// NewJSON returns a writer of the JSON document, version 1: {"version", "release", "findings": [...], "objects",
// "summary"}. Findings are written as they come; waived ones are only counted.
func NewJSON(w io.Writer, src Source) Writer {
	return &jsonWriter{w: bufio.NewWriter(w), src: src}
}

type jsonWriter struct {
	w     *bufio.Writer
	src   Source
	count Count
	begun bool
	wrote bool
}

// jsonFinding is a finding in the document. Lines and columns count from 1, columns in characters; the end is exclusive.
type jsonFinding struct {
	Code      Code     `json:"code"`
	Severity  Severity `json:"severity"`
	Kind      ast.Kind `json:"kind,omitempty"`
	Object    string   `json:"object,omitempty"`
	Path      string   `json:"path,omitempty"`
	Summary   string   `json:"summary"`
	Reason    string   `json:"reason"`
	Remedy    string   `json:"remedy"`
	File      string   `json:"file,omitempty"`
	Line      int      `json:"line,omitempty"`
	Column    int      `json:"column,omitempty"`
	EndLine   int      `json:"end_line,omitempty"`
	EndColumn int      `json:"end_column,omitempty"`
	Source    string   `json:"source,omitempty"`
}

func (j *jsonWriter) begin() error {
	if j.begun {
		return nil
	}
	j.begun = true
	release, err := json.Marshal(j.src.Release)
	if err != nil {
		return err
	}
	_, err = j.w.WriteString(`{"version":1,"release":` + string(release) + `,"findings":[`)
	return err
}

func (j *jsonWriter) Write(f Finding) error {
	j.count.Add(f)
	if f.Waived != "" {
		return nil
	}
	doc := jsonFinding{Code: f.Code, Severity: f.Severity, Kind: f.Kind, Summary: f.Summary, Reason: f.Reason, Remedy: f.Remedy}
	if f.Kind != "" {
		doc.Object = f.Name.String()
	}
	if f.Path != (ast.Path{}) {
		doc.Path = f.Path.String()
	}
	if f.At.Filename != "" {
		doc.File, doc.Line, doc.Column = j.src.path(f.At.Filename), f.At.Start.Line, f.At.Start.Column
		doc.EndLine, doc.EndColumn = f.At.End.Line, f.At.End.Column
		line, _ := j.src.line(f.At)
		doc.Source = line.Text
	}
	if err := j.begin(); err != nil {
		return err
	}
	return writeElement(j.w, &j.wrote, doc)
}

// writeElement writes one element of an array on a line of its own.
func writeElement(w *bufio.Writer, more *bool, element any) error {
	text, err := json.Marshal(element)
	if err != nil {
		return err
	}
	if *more {
		if err := w.WriteByte(','); err != nil {
			return err
		}
	}
	*more = true
	if err := w.WriteByte('\n'); err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

func (j *jsonWriter) Close() error {
	if err := j.begin(); err != nil {
		return err
	}
	tail, err := json.Marshal(struct {
		Objects int   `json:"objects"`
		Summary Count `json:"summary"`
	}{j.src.Objects, j.count})
	if err != nil {
		return err
	}
	if _, err := j.w.WriteString("\n]," + string(tail[1:]) + "\n"); err != nil {
		return err
	}
	return j.w.Flush()
}
