package rulelang

import "strings"

// Placeholders are the names, besides those of the facts, that a reason or an advice fills in where they stand in
// braces.
var Placeholders = [...]string{"object", "path", "live", "desired"}

func placeholders(text string) []string {
	var names []string
	Expand(text, func(name string) string {
		names = append(names, name)
		return ""
	})
	return names
}

// Expand replaces each {name} of a reason or an advice by its value. Braces that hold no name are kept.
func Expand(text string, value func(name string) string) string {
	if !strings.Contains(text, "{") {
		return text
	}
	var b strings.Builder
	for {
		open := strings.IndexByte(text, '{')
		if open < 0 {
			break
		}
		end := open + 1
		for end < len(text) && wordByte(text[end]) {
			end++
		}
		if end == open+1 || end == len(text) || text[end] != '}' {
			b.WriteString(text[:open+1])
			text = text[open+1:]
			continue
		}
		b.WriteString(text[:open])
		b.WriteString(value(text[open+1 : end]))
		text = text[end+1:]
	}
	b.WriteString(text)
	return b.String()
}
