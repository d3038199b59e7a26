package plan

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// JSONOptions says what the JSON form lists.
type JSONOptions struct {
	// All lists objects without a difference too.
	All bool
}

// WriteJSON writes the document as JSON, one object and one statement a line, as it goes: the text is never held whole.
func WriteJSON(w io.Writer, d *Document, o JSONOptions) error {
	sum := sha256.New()
	j := &jsonWriter{out: bufio.NewWriterSize(io.MultiWriter(sum, w), 1<<16)}
	j.document(d, o)
	if j.err == nil {
		j.err = j.out.Flush()
	}
	if j.err != nil {
		return j.err
	}
	_, err := fmt.Fprintf(w, ",\n\"digest\":\"%x\"}\n", sum.Sum(nil))
	return err
}

// digest is the digest of a document that lists its objects as it has them.
func digest(d *Document) (string, error) {
	sum := sha256.New()
	j := &jsonWriter{out: bufio.NewWriter(sum)}
	j.document(d, JSONOptions{All: true})
	if j.err == nil {
		j.err = j.out.Flush()
	}
	return fmt.Sprintf("%x", sum.Sum(nil)), j.err
}

// document writes all of a document but its digest and its end.
func (j *jsonWriter) document(d *Document, o JSONOptions) {
	j.text(`{"version":`)
	j.value(d.Version)
	j.text(`,"platform":`)
	j.value(d.Platform)
	j.text(`,"objects":[`)
	first := true
	for _, object := range d.Objects {
		if o.All || object.listed() {
			j.item(&first, object)
		}
	}
	j.text("],\n\"statements\":[")
	first = true
	for _, s := range d.Statements {
		j.item(&first, s)
	}
	j.text("],\n\"summary\":")
	j.value(d.Summary)
	if d.Bus != nil {
		j.text(",\n\"bus\":")
		j.value(d.Bus)
	}
	if d.Overlay != nil {
		j.text(",\n\"overlay\":")
		j.value(d.Overlay)
	}
	if d.Regressed != nil {
		j.text(",\n\"regressed\":")
		j.value(d.Regressed)
	}
	if d.Rehearsal != nil {
		j.text(",\n\"rehearsal\":")
		j.value(d.Rehearsal)
	}
}

type jsonWriter struct {
	out *bufio.Writer
	err error
}

func (j *jsonWriter) item(first *bool, v any) {
	if *first {
		j.text("\n")
	} else {
		j.text(",\n")
	}
	*first = false
	j.value(v)
}

func (j *jsonWriter) text(s string) {
	if j.err == nil {
		_, j.err = j.out.WriteString(s)
	}
}

func (j *jsonWriter) value(v any) {
	if j.err != nil {
		return
	}
	encoder := json.NewEncoder(trimNewline{j.out})
	encoder.SetEscapeHTML(false)
	j.err = encoder.Encode(v)
}

// trimNewline drops the newline that json.Encoder writes behind each value.
type trimNewline struct{ out *bufio.Writer }

func (t trimNewline) Write(p []byte) (int, error) {
	n := len(p)
	if n > 0 && p[n-1] == '\n' {
		p = p[:n-1]
	}
	if _, err := t.out.Write(p); err != nil {
		return 0, err
	}
	return n, nil
}

// ErrEdited is a document whose digest is not its own.
var ErrEdited = errors.New("the plan was edited after it was made: plan again, and change the schema where the plan should be another")

// ReadJSON reads a document that WriteJSON wrote. One that says something else since is [ErrEdited]; its layout is free. A document of another version is an error: what it means is not known.
func ReadJSON(r io.Reader) (*Document, error) {
	var d Document
	decoder := json.NewDecoder(r)
	if err := decoder.Decode(&d); err != nil {
		return nil, fmt.Errorf("this is no plan document: %w", err)
	}
	if d.Version != Version {
		return nil, fmt.Errorf("the plan document has version %d, and this program reads version %d", d.Version, Version)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("there is more behind the document: a plan file holds one")
	}
	sum, err := digest(&d)
	if err != nil {
		return nil, err
	}
	if sum != d.Digest {
		return nil, ErrEdited
	}
	return &d, nil
}
