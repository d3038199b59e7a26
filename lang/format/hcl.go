package format

import (
	"bytes"
	"errors"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"

	"github.com/dfe-engine/dfe/lang/tree"
)

// HCL formats an .hcl file: hclwrite's indents and columns of equals signs, one empty line where there were several, and
// none at the beginning and the end of a file or a block. The error is an [hcl.Diagnostics] for a text with a syntax error.
func HCL(name string, src []byte) ([]byte, error) {
	if at, deep := tree.TooDeep(name, src); deep {
		return nil, hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "Nested too deeply", Detail: "No definition needs so many brackets within brackets.", Subject: &at}}
	}
	if _, diags := hclsyntax.ParseConfig(src, name, hcl.InitialPos); diags.HasErrors() {
		return nil, diags
	}
	out := squeeze(name, hclwrite.Format(src))
	if !sameTokens(name, src, out) {
		return nil, errors.New("the layout would change what the text means; it is left as it is, and this is a fault of dfe")
	}
	return out, nil
}

// squeeze takes out empty lines: those beyond one, and those beside the brackets of a block.
func squeeze(name string, src []byte) []byte {
	tokens, _ := hclsyntax.LexConfig(src, name, hcl.InitialPos)
	var out bytes.Buffer
	from := 0
	begun, empty := true, true // at the beginning of a block or the file; the line before is empty
	for i, t := range tokens {
		newline := t.Type == hclsyntax.TokenNewline
		blank := newline && (i == 0 || endsLine(tokens[i-1]))
		if blank && (begun || empty || closes(tokens[i+1:])) {
			out.Write(src[from:lineStart(src, t.Range.Start.Byte)])
			from = t.Range.End.Byte
			continue
		}
		if !newline {
			begun = t.Type == hclsyntax.TokenOBrace
		}
		empty = blank
	}
	out.Write(src[from:])
	text := bytes.TrimRight(out.Bytes(), " \t\n")
	if len(text) == 0 {
		return nil
	}
	return append(text, '\n')
}

// endsLine reports a token that holds its line's end.
func endsLine(t hclsyntax.Token) bool {
	return t.Type == hclsyntax.TokenNewline || t.Type == hclsyntax.TokenComment && bytes.HasSuffix(t.Bytes, []byte("\n"))
}

// closes reports that nothing but empty lines stands before the end of a block or the file.
func closes(tokens hclsyntax.Tokens) bool {
	for _, t := range tokens {
		if t.Type != hclsyntax.TokenNewline {
			return t.Type == hclsyntax.TokenCBrace || t.Type == hclsyntax.TokenEOF
		}
	}
	return true
}

func lineStart(src []byte, at int) int { return bytes.LastIndexByte(src[:at], '\n') + 1 }

// sameTokens proves that only white space outside of texts changed.
func sameTokens(name string, a, b []byte) bool {
	was, now := significant(name, a), significant(name, b)
	if len(was) != len(now) {
		return false
	}
	for i := range was {
		if was[i].Type != now[i].Type || !bytes.Equal(bytes.TrimSpace(was[i].Bytes), bytes.TrimSpace(now[i].Bytes)) {
			return false
		}
	}
	return true
}

func significant(name string, src []byte) hclsyntax.Tokens {
	tokens, _ := hclsyntax.LexConfig(src, name, hcl.InitialPos)
	kept := tokens[:0]
	for _, t := range tokens {
		if t.Type != hclsyntax.TokenNewline {
			kept = append(kept, t)
		}
	}
	return kept
}
