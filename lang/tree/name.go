package tree

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dfe-engine/dfe/ast"
)

// nameBytes is the longest name of an object, in bytes: ClickHouse keeps a database or table in a file named by it.
const nameBytes = 206

// ParseName reads the name of an object as the manifest writes it: database.name, or name alone for an object that
// lives in no database. A part that holds a dot or a backtick stands in
// backticks, where two of them are one.
func ParseName(s string, qualified bool) (ast.Name, error) {
	parts, err := splitName(s)
	if err != nil {
		return ast.Name{}, err
	}
	for _, part := range parts {
		switch {
		case part == "":
			return ast.Name{}, errors.New("a part of the name is empty")
		case len(part) > nameBytes:
			return ast.Name{}, fmt.Errorf("a part of the name is longer than %d bytes", nameBytes)
		case !utf8.ValidString(part) || strings.ContainsAny(part, "\x00/"):
			return ast.Name{}, errors.New("the name holds a character no name may have")
		}
	}
	switch {
	case qualified && len(parts) == 2:
		return ast.Name{Database: parts[0], Name: parts[1]}, nil
	case !qualified && len(parts) == 1:
		return ast.Name{Name: parts[0]}, nil
	case qualified:
		return ast.Name{}, errors.New(`it is written with its database, as in "otel.logs"; a part that holds a dot stands in backticks`)
	}
	return ast.Name{}, errors.New("it lives in no database, so its name has no dot; a name that holds one stands in backticks")
}

// FormatName writes a name as a manifest does, for [ParseName] to read: a part that holds a dot or a backtick in backticks.
func FormatName(name ast.Name) string {
	part := func(s string) string {
		if strings.ContainsAny(s, ".`") {
			return "`" + strings.ReplaceAll(s, "`", "``") + "`"
		}
		return s
	}
	if name.Database == "" {
		return part(name.Name)
	}
	return part(name.Database) + "." + part(name.Name)
}

// quotedPart reads up to the closing backtick; two of them stand for one that is part of the name.
func quotedPart(s string) (part, rest string, ok bool) {
	var b strings.Builder
	for {
		end := strings.IndexByte(s, '`')
		if end < 0 {
			return "", "", false
		}
		b.WriteString(s[:end])
		if s = s[end+1:]; !strings.HasPrefix(s, "`") {
			return b.String(), s, true
		}
		b.WriteByte('`')
		s = s[1:]
	}
}

func splitName(s string) ([]string, error) {
	var parts []string
	for {
		if rest, quoted := strings.CutPrefix(s, "`"); quoted {
			part, after, ok := quotedPart(rest)
			if !ok {
				return nil, errors.New("a backtick is not closed")
			}
			parts, s = append(parts, part), after
			if s == "" {
				return parts, nil
			}
			if s[0] != '.' {
				return nil, errors.New("after a closing backtick a dot or the end is expected")
			}
			s = s[1:]
			continue
		}
		part, rest, more := strings.Cut(s, ".")
		parts = append(parts, part)
		if !more {
			return parts, nil
		}
		s = rest
	}
}
