package tree

import (
	"maps"
	"slices"
)

// Words returns what a definition of each kind may say, by the kind's name: its attributes, its blocks, and those of the blocks
// that have a shape of their own.
func Words() map[string][]string {
	words := map[string][]string{}
	inside := map[string]shape{
		"column": columnShape, "index": indexShape, "projection": projectionShape, "constraint": constraintShape, "refresh": refreshShape,
		"attribute": attributeShape, "key": keyShape, "authentication": authShape, "hosts": hostShape,
	}
	for _, k := range kinds() {
		list := slices.Concat(k.shape.attrs, slices.Collect(maps.Keys(k.shape.blocks)))
		for name := range k.shape.blocks {
			list = append(list, inside[name].attrs...)
		}
		slices.Sort(list)
		words[string(k.name)] = slices.Compact(list)
	}
	return words
}
