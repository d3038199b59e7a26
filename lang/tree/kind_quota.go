package tree

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty/gocty"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/access"
)

// quotaKind is a quota: limits of use in intervals of time.
func quotaKind() kind {
	return kind{
		name: ast.KindQuota,
		shape: shape{what: "a quota definition", attrs: []string{"keyed_by", "ipv4_prefix_bits", "ipv6_prefix_bits", "to", "to_except"},
			blocks: map[string]int{"interval": 1}},
		build: buildQuota,
		sql:   (*loader).accessStatements,
		render: func(w *writer, o ast.Object) {
			q := o.(*ast.Quota)
			for i := range q.Intervals {
				w.interval(&q.Intervals[i])
			}
			w.gap()
			w.names("keyed_by", q.Key)
			if q.IPv4Bits > 0 {
				w.raw("ipv4_prefix_bits", strconv.FormatUint(q.IPv4Bits, 10))
			}
			if q.IPv6Bits > 0 {
				w.raw("ipv6_prefix_bits", strconv.FormatUint(q.IPv6Bits, 10))
			}
			w.recipients("to", "all", q.To)
		},
	}
}

func buildQuota(d *definition) ast.Object {
	q := &ast.Quota{Name: d.declared.Name.Name, To: d.recipients("to", "all"), Origin: d.origin()}
	q.IPv4Bits, q.IPv6Bits = d.bits("ipv4_prefix_bits", 32), d.bits("ipv6_prefix_bits", 128)
	keys := d.nameList("keyed_by")
	for _, t := range keys {
		if !slices.Contains(ast.QuotaKeys(), t.value) {
			d.fault(CodeValue, t.whole(), fmt.Sprintf("Unknown key %q", t.value), "A quota is keyed by "+expected(ast.QuotaKeys())+"."+suggest(t.value, ast.QuotaKeys()))
			continue
		}
		q.Key = append(q.Key, t.value)
	}
	if len(q.Key) > 2 || len(q.Key) == 2 && (q.Key[0] != "client_key" || q.Key[1] != "user_name" && q.Key[1] != "ip_address") {
		d.fault(CodeValue, keys[0].whole(), "Keys that do not go together", `A quota has one key, or client_key and behind it user_name or ip_address.`)
	}
	for _, block := range d.content.blocks {
		if i, ok := d.interval(block); ok {
			if slices.ContainsFunc(q.Intervals, func(o ast.QuotaInterval) bool { return o.Seconds == i.Seconds }) {
				d.fault(CodeDuplicate, block.LabelRanges[0], "An interval is written twice", "A quota has each length of time once, with all its limits.")
				continue
			}
			q.Intervals = append(q.Intervals, i)
		}
	}
	return q
}

func (d *definition) bits(attr string, most uint64) uint64 {
	a := d.content.attrs[attr]
	var n uint64
	v, ok := d.given(a)
	if !ok {
		return 0
	}
	if v.IsNull() || gocty.FromCtyValue(v, &n) != nil || n == 0 || n > most {
		d.fault(CodeValue, a.Expr.Range(), fmt.Sprintf("Wrong value for %q", attr), fmt.Sprintf("It is the length of a prefix, a number from 1 to %d.", most))
		return 0
	}
	return n
}

// interval reads interval "1 hour" { queries = 1000 }.
func (d *definition) interval(block *hclsyntax.Block) (ast.QuotaInterval, bool) {
	label := block.Labels[0]
	st, err := access.Parse("CREATE QUOTA q FOR INTERVAL " + label + " TRACKING ONLY")
	if err != nil || len(st.Object.(*ast.Quota).Intervals) != 1 {
		d.fault(CodeValue, block.LabelRanges[0], fmt.Sprintf("%q is no length of time", label), `It is a number and a unit, as in interval "1 hour": second, minute, hour, day, week, month, quarter or year.`)
		return ast.QuotaInterval{}, false
	}
	i := st.Object.(*ast.Quota).Intervals[0]
	path := ast.Path{Part: "interval", Name: ast.Duration(i.Seconds)}
	d.declared.places.setSpot(path, block.LabelRanges[0])
	body := d.read(block.Body, block.DefRange(), shape{what: "an interval of a quota", attrs: append([]string{"randomized", "tracking_only"}, ast.QuotaLimits()...)})
	i.Randomized = d.flag(body, "randomized")
	absent := 0
	for _, name := range ast.QuotaLimits() {
		a := body.attrs[name]
		v, ok := d.given(a)
		if !ok {
			continue
		}
		if v.IsNull() {
			absent++ // a template has a word for each limit, and a value for some
			continue
		}
		node := settingNode(v)
		if node == nil || node.Kind == ast.Keyword {
			d.fault(CodeValue, a.Expr.Range(), fmt.Sprintf("Wrong value for %q", name), "A limit is a number, or a text with one, as in \"10G\"; this is "+describe(v)+".")
			continue
		}
		i.Limits = append(i.Limits, ast.Setting{Name: name, Value: node})
	}
	if absent > 0 && len(i.Limits) == 0 {
		return i, false
	}
	switch tracking := d.flag(body, "tracking_only"); {
	case tracking && len(i.Limits) > 0:
		d.fault(CodeValue, block.LabelRanges[0], "tracking_only beside limits", "An interval limits use, or only counts it. Remove one of the two.")
	case !tracking && len(i.Limits) == 0:
		d.fault(CodeMissing, block.LabelRanges[0], "A quota with no limit", "An interval has at least one limit, as in queries = 1000; tracking_only = true counts the use and limits nothing.")
	}
	return i, true
}

func (w *writer) interval(i *ast.QuotaInterval) {
	if i.NoLimits {
		w.fail("an interval says NO LIMITS, which is a change and no definition")
	}
	w.block("interval", ast.Duration(i.Seconds), func() {
		if i.Randomized {
			w.raw("randomized", "true")
		}
		for _, l := range i.Limits {
			value, ok := w.plainValue(l.Value)
			if !ok {
				value = w.quoted(l.Value.Text)
			}
			w.raw(l.Name, value)
		}
		if len(i.Limits) == 0 {
			w.raw("tracking_only", "true")
		}
	})
}
