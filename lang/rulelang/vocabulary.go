package rulelang

import (
	"fmt"
	"slices"

	"github.com/agext/levenshtein"
)

// Vocabulary is every word that a set of rule files may use besides its own sets and predicates.
type Vocabulary struct {
	Kinds []KindWords
	// Actions that fit any path; a part lists those that fit it alone.
	Actions []string
	// ObjectActions fit the object as a whole.
	ObjectActions []string
	Facts         []Fact
}

// KindWords is a kind of object and the parts of its layout.
type KindWords struct {
	Name  string
	Parts []PartWords
}

// PartWords is one kind of part.
type PartWords struct {
	Name string
	// Named says that an object has several, told apart by name ("setting.index_granularity"). A name can be written
	// in a pattern only where the part has no attributes of its own.
	Named bool
	// Attrs are the attributes a pattern can name; none where the part is one value. Open says that there are others,
	// whose names the vocabulary does not know (the keys of a dictionary's source). An attribute that is a family
	// ("setting NAME" of a column) is listed once, by its first word.
	Attrs   []string
	Open    bool
	Actions []string
}

// FactType is the type of a fact.
type FactType uint8

// The types of facts.
const (
	// Bool is true or false.
	Bool FactType = iota
	// Enum is one of the fact's values.
	Enum
	// Name is a text of which only equality with another matters.
	Name
	// Proof is true, false or only to be had by asking the data: it can stand in the `when` of an outcome alone,
	// because which rule decides must be clear without the data.
	Proof
)

// String returns the type in the words of a diagnostic.
func (t FactType) String() string {
	return [...]string{"true or false", "one of a list", "a text", "a proof"}[t]
}

// Fact is a declared fact: a name a guard can use.
type Fact struct {
	Name   string
	Type   FactType
	Values []string // of an Enum
	Doc    string
}

// ops are the words for operations, with "any" for all three.
var ops = [...]string{"add", "remove", "change"}

const anyOp = "any"

// object is the path of the object as a whole, anyPart that of every part it has.
const (
	object  = "object"
	anyPart = "part"
)

func (v *Vocabulary) kind(name string) *KindWords {
	for i := range v.Kinds {
		if v.Kinds[i].Name == name {
			return &v.Kinds[i]
		}
	}
	return nil
}

func (k *KindWords) part(name string) *PartWords {
	for i := range k.Parts {
		if k.Parts[i].Name == name {
			return &k.Parts[i]
		}
	}
	return nil
}

// everyPart stands for every part of the kind: the actions that fit it are those that fit each part that has any.
func (k *KindWords) everyPart() *PartWords {
	all := &PartWords{Name: anyPart}
	first := true
	for _, p := range k.Parts {
		switch {
		case len(p.Actions) == 0:
		case first:
			all.Actions, first = slices.Clone(p.Actions), false
		default:
			all.Actions = slices.DeleteFunc(all.Actions, func(a string) bool { return !slices.Contains(p.Actions, a) })
		}
	}
	return all
}

func (v *Vocabulary) fact(name string) int {
	return slices.IndexFunc(v.Facts, func(f Fact) bool { return f.Name == name })
}

// suggest returns ` Did you mean "x"?` for the nearest word, or "" where none is near.
func suggest(given string, words []string) string {
	best, bestDistance := "", len(given)/2+1
	for _, w := range words {
		if d := levenshtein.Distance(given, w, nil); d < bestDistance {
			best, bestDistance = w, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" Did you mean %q?", best)
}
