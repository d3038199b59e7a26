package tree

import "github.com/hashicorp/hcl/v2"

// TooDeep finds where a text nests deeper than the loader's default limit allows. HCL's parser has no limit of its own, and
// a stack that overflows ends the process: whoever parses a file that this package has not accepted asks here first.
func TooDeep(name string, src []byte) (at hcl.Range, deep bool) {
	return tooDeep(&source{name: name, bytes: src}, Limits{}.withDefaults().Nesting)
}
