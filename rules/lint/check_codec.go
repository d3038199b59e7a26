package lint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dfe-engine/dfe/ast"
)

func codecChecks() []Check {
	return []Check{
		{Code: "DFE251", Title: "a codec that does not fit the type", Severity: Error, table: codecType},
		{Code: "DFE252", Title: "a codec that compresses nothing", Severity: Error, table: bareCodec},
		{Code: "DFE253", Title: "codecs in an order that makes no sense", Severity: Error, table: codecOrder},
		{Code: "DFE254", Title: "a compression level for archives", Severity: Note, table: codecLevel},
		{Code: "DFE255", Title: "a Delta of another width than the type", Severity: Warning, table: deltaWidth},
		{Code: "DFE256", Title: "differences of random values", Severity: Warning, table: deltaRandom},
	}
}

// general are the codecs that compress; the others prepare values for them (CompressionCodecFactory::validateCodec).
var general = []string{"LZ4", "LZ4HC", "ZSTD", "ZSTD_QAT", "DEFLATE_QPL"}

func steps(c *ast.Column) []*ast.Node {
	if c.Codec == nil {
		return nil
	}
	return c.Codec.Kids
}

// misfit says why a codec cannot hold a type, in ClickHouse's terms; "" where it can or where that is not known. Each
// answer was measured on 26.7.
func misfit(codec string, t dataType) string {
	switch codec {
	case "Delta":
		switch {
		case t.isString():
			return "it needs values of one size"
		case t.size() > 8 || t.name == "FixedString" && !slices.Contains([]int{1, 2, 4, 8}, t.size()):
			return "it takes values of 1, 2, 4 or 8 bytes"
		}
	case "DoubleDelta":
		switch {
		case t.isString(), t.name == "FixedString", t.name == "UUID":
			return "it needs numbers"
		case t.size() > 8:
			return "it takes values of 1, 2, 4 or 8 bytes"
		}
	case "T64", "GCD":
		if t.isString() || t.name == "FixedString" || t.name == "UUID" || t.isFloat() {
			return "it needs integers, decimals, dates or times"
		}
	case "Gorilla", "FPC", "ALP":
		if t.isString() || t.name == "UUID" || t.isInteger() || t.isTime() || t.isDecimal() || t.isEnum() || t.name == "FixedString" {
			return "it is made for floating-point numbers"
		}
	}
	return ""
}

func codecType(t *table) {
	for _, c := range t.def.Columns {
		for _, step := range steps(c) {
			told := false
			leaves(c.Type, func(typ dataType) {
				why := misfit(step.Text, typ)
				if why == "" || told {
					return
				}
				told = true
				t.report(column(c.Name, "codec"), step, fmt.Sprintf("Codec %s does not fit %s", step.Text, typ.name),
					fmt.Sprintf("%q holds %s, and of this codec ClickHouse says: %s. The table is refused.", c.Name, typ.name, why), codecAdvice(typ))
			})
		}
	}
}

func codecAdvice(t dataType) string {
	switch {
	case t.isFloat():
		return "Use Gorilla or FPC with ZSTD for slowly changing numbers, ZSTD alone otherwise."
	case t.isString(), t.name == "FixedString", t.name == "UUID":
		return "Use ZSTD(1) alone, or no codec."
	case t.isTime():
		return "Use Delta or DoubleDelta with ZSTD for times, ZSTD alone otherwise."
	}
	return "Use Delta or DoubleDelta with ZSTD for growing numbers, T64 with ZSTD for small ones."
}

// bareCodec: error 36 of 26.7 (case S42). DoubleDelta, Gorilla, FPC and T64 compress by themselves.
func bareCodec(t *table) {
	for _, c := range t.def.Columns {
		list := steps(c)
		if len(list) == 0 || slices.ContainsFunc(list, func(n *ast.Node) bool { return n.Text != "Delta" && n.Text != "GCD" }) {
			continue
		}
		t.report(column(c.Name, "codec"), list[0], fmt.Sprintf("Codec %s alone compresses nothing", list[0].Text),
			"It only prepares values for a codec that does, and ClickHouse refuses it alone (error 36).",
			fmt.Sprintf("Put a compression behind it: %s, ZSTD(1).", list[0].Text))
	}
}

func codecOrder(t *table) {
	for _, c := range t.def.Columns {
		list := steps(c)
		compressed := ""
		for _, step := range list {
			switch {
			case step.Text == "NONE" && len(list) > 1:
				t.report(column(c.Name, "codec"), step, "NONE beside other codecs",
					"NONE says that nothing is done to the values, the others that something is: ClickHouse refuses both at once (error 36).", "Remove NONE, or the others.")
				return
			case compressed != "":
				t.report(column(c.Name, "codec"), step, fmt.Sprintf("%s behind %s", step.Text, compressed),
					"What is compressed looks random: there is nothing left to transform or to compress again, and ClickHouse refuses it (error 36).",
					"Keep one compression, as the last codec.")
				return
			case slices.Contains(general, step.Text):
				compressed = step.Text
			}
		}
	}
}

// codecLevel: levels from 10 on cost ZSTD ten times the time of level 1 and more for a few percent.
func codecLevel(t *table) {
	const most = 9
	for _, c := range t.def.Columns {
		for _, step := range steps(c) {
			if step.Text != "ZSTD" || len(step.Kids) == 0 {
				continue
			}
			if level, err := strconv.Atoi(literal(step.Kids[0])); err == nil && level > most {
				t.report(column(c.Name, "codec"), step, fmt.Sprintf("ZSTD at level %d", level),
					"Every insert and every merge compresses with it, ten and more times slower than at level 1 and for a few percent less.",
					"Use a level from 1 to 3 here; for old data add RECOMPRESS CODEC(ZSTD(17)) to the table's TTL.")
			}
		}
	}
}

// deltaWidth: case S43. The width is in bytes and follows the type where it is left out.
func deltaWidth(t *table) {
	for _, c := range t.def.Columns {
		size, one := 0, true
		leaves(c.Type, func(typ dataType) {
			one = one && (size == 0 || size == typ.size()) && typ.size() > 0
			size = typ.size()
		})
		for _, step := range steps(c) {
			if step.Text != "Delta" && step.Text != "DoubleDelta" && step.Text != "Gorilla" || len(step.Kids) != 1 || !one || size > 8 {
				continue
			}
			if width, err := strconv.Atoi(literal(step.Kids[0])); err == nil && width != size {
				t.report(column(c.Name, "codec"), step, fmt.Sprintf("%s(%d) on values of %d bytes", step.Text, width, size),
					"Differences are taken between pieces of values, which are no smaller than the values; ClickHouse takes it without a word.",
					fmt.Sprintf("Write %s, whose width follows the type, or %s(%d).", step.Text, step.Text, size))
			}
		}
	}
}

// random are functions whose values have nothing to do with their neighbours'.
var random = []string{"rand", "rand32", "rand64", "randcanonical", "randuniform", "generateuuidv4", "fingerprint"}

func isRandom(n *ast.Node) (name string, is bool) {
	n.Walk(func(n *ast.Node) bool {
		called, _ := call(n)
		if slices.Contains(random, called) || slices.Contains(hashes, called) {
			name, is = n.Text, true
		}
		// A remainder or a part of a hash may be small.
		return !is && called != "modulo" && !(n.Kind == ast.Operator && (n.Text == "%" || n.Text == "MOD"))
	})
	return name, is
}

func deltaRandom(t *table) {
	for _, c := range t.def.Columns {
		name, is := isRandom(c.Default)
		if !is {
			continue
		}
		for _, step := range steps(c) {
			if strings.HasSuffix(step.Text, "Delta") || step.Text == "T64" || step.Text == "GCD" {
				t.report(column(c.Name, "codec"), step, fmt.Sprintf("%s on the random values of %s", step.Text, name),
					"The difference of two random numbers is a random number, and uses all its bits: the codec costs time and saves nothing.",
					"Leave the codec out, or use NONE: random values do not compress.")
			}
		}
	}
}
