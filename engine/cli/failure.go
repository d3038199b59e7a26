package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dfe-engine/dfe/engine"
	"github.com/dfe-engine/dfe/engine/topics"
	"github.com/dfe-engine/dfe/lang/series"
)

// errorCode is the word by which programs know an error, "" for one that has none.
func errorCode(err error) string {
	var known interface{ ErrorCode() string }
	if errors.As(err, &known) {
		return known.ErrorCode()
	}
	return ""
}

// coded is an error behind its code.
func coded(err error) string {
	if code := errorCode(err); code != "" {
		return code + ": " + err.Error()
	}
	return err.Error()
}

// tellFailure says why a pass failed. What people have read in the report, at its object or topic, is counted and not told
// a second time; the document of a program is on another stream.
func (a *app) tellFailure(failure error) {
	var (
		objects, tops int
		codes         []string
	)
	for _, part := range parts(failure) {
		var (
			object *engine.ObjectError
			topic  *topics.TopicError
		)
		switch {
		case a.format == formatText && errors.As(part, &object):
			objects++
		case a.format == formatText && errors.As(part, &topic):
			tops++
		default:
			fmt.Fprintf(a.Err, "dfe: the pass failed: %s\n", coded(part))
			continue
		}
		if code := errorCode(part); code != "" {
			codes = append(codes, code)
		}
	}
	if objects+tops == 0 {
		return
	}
	var places []string
	if objects > 0 {
		places = append(places, count(objects, "object"))
	}
	if tops > 0 {
		places = append(places, count(tops, "topic"))
	}
	known := ""
	if len(codes) > 0 {
		known = " (" + series.And(codes) + ")"
	}
	fmt.Fprintf(a.Err, "dfe: the pass failed at %s, named above with the reason%s\n", series.And(places), known)
}

// parts are the errors that one joins, each by itself.
func parts(err error) []error {
	joined, several := err.(interface{ Unwrap() []error })
	if !several {
		return []error{err}
	}
	var (
		all   []error
		texts []string
	)
	for _, one := range joined.Unwrap() {
		texts = append(texts, one.Error())
		all = append(all, parts(one)...)
	}
	if strings.Join(texts, "\n") != err.Error() {
		return []error{err} // its own words are more than those of its parts
	}
	return all
}
