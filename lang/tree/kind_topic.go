package tree

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/gocty"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/kafka"
)

const (
	// topicNameBytes is Kafka's limit (org.apache.kafka.common.internals.Topic).
	topicNameBytes = 249
	// partitionLimit is what a controller takes in one request (ReplicationControlManager, Kafka 4).
	partitionLimit = 10_000
	// usualReplicas is the ceiling of a topic that states no replication factor.
	usualReplicas = 3

	retentionConfig = "retention.ms"
	insyncConfig    = "min.insync.replicas"
)

// topicKind is a topic of the deployment's bus.
func topicKind() kind {
	return kind{
		name:      ast.KindTopic,
		parseName: parseTopicName,
		shape: shape{what: "a topic definition",
			attrs: []string{"partitions", "replication_factor", "retention", "config", "landing", "dead_letter"}},
		build:  buildTopic,
		render: renderTopic,
	}
}

// parseTopicName reads a name by Kafka's rules. Its dots are part of it, in backticks or without.
func parseTopicName(s string) (ast.Name, error) {
	if len(s) > 1 && s[0] == '`' && s[len(s)-1] == '`' {
		s = s[1 : len(s)-1]
	}
	switch {
	case s == "":
		return ast.Name{}, errors.New("it is empty")
	case s == "." || s == "..":
		return ast.Name{}, errors.New(`it is neither "." nor ".."`)
	case len(s) > topicNameBytes:
		return ast.Name{}, fmt.Errorf("it has at most %d characters, and this one has %d", topicNameBytes, len(s))
	case strings.HasPrefix(s, "__"):
		return ast.Name{}, errors.New("names that begin with two underscores are those of Kafka's own topics")
	}
	for _, c := range s {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-') {
			return ast.Name{}, fmt.Errorf("it has ASCII letters, digits, dots, underscores and dashes, and %q is none of them", c)
		}
	}
	return ast.Name{Name: s}, nil
}

// checkTopicNames refuses two names that Kafka's metrics would write alike, as a controller does.
func (l *loader) checkTopicNames() {
	first := map[string]*Declared{}
	if l.opts.Base != nil {
		for _, d := range l.opts.Base.Objects {
			if d.Kind == ast.KindTopic {
				first[merged(d.Name.Name)] = d
			}
		}
	}
	for _, d := range l.tree.Objects {
		if d.Kind != ast.KindTopic {
			continue
		}
		other := first[merged(d.Name.Name)]
		if other == nil {
			first[merged(d.Name.Name)] = d
			continue
		}
		d.Broken = true
		l.fault(CodeName, d.Entry, fmt.Sprintf("Topic %q collides with topic %q", d.Name, other.Name),
			fmt.Sprintf("Kafka's metrics write a dot in a topic's name as an underscore, so it refuses the second of the two names. The first is declared at %s:%d. Rename one of them.",
				other.Entry.Filename, other.Entry.Start.Line))
	}
}

func merged(topic string) string { return strings.ReplaceAll(topic, ".", "_") }

func buildTopic(d *definition) ast.Object {
	t := &ast.Topic{Name: d.declared.Name.Name, Origin: d.origin(), Replicas: usualReplicas, AtMost: true}
	d.require(d.content, "partitions", "A topic states how many partitions it has, as in partitions = 12: a pass never adds any later.")
	if attr := d.content.attrs["partitions"]; attr != nil {
		t.Partitions = d.wholeNumber(attr, partitionLimit)
		d.declared.places.setSpot(ast.Path{Part: "partitions"}, attr.Expr.Range())
	}
	d.replication(t)
	t.Landing, t.DeadLetter = d.flag(d.content, "landing"), d.flag(d.content, "dead_letter")
	if t.Landing && t.DeadLetter {
		d.fault(CodeValue, d.content.attrs["dead_letter"].NameRange, "A topic is either the landing topic or a dead-letter topic",
			"What could not be processed would be read again as if it had just arrived. Declare two topics.")
	}
	d.topicConfigs(t)
	d.retention(t)
	slices.SortFunc(t.Configs, func(a, b ast.TopicConfig) int { return cmp.Compare(a.Name, b.Name) })
	if c := t.Config(insyncConfig); c != nil && t.Replicas > 0 {
		if n, _ := strconv.Atoi(c.Value); n > t.Replicas {
			d.fault(CodeValue, d.declared.Place(ast.Path{Part: "config", Name: c.Name}, nil), "More replicas have to be in sync than there are",
				fmt.Sprintf("%s is %s and the topic has %d replicas at most: no more than those are ever in sync, and a broker asks for no more. State what holds.", c.Name, c.Value, t.Replicas))
		}
	}
	return t
}

// wholeNumber reads a number from 1 to most; 0 for one that was reported.
func (d *definition) wholeNumber(attr *hclsyntax.Attribute, most int) int {
	v, ok := d.value(attr.Expr)
	if !ok {
		return 0
	}
	return d.wholeValue(v, attr.Name, attr.Expr.Range(), most)
}

func (d *definition) wholeValue(v cty.Value, name string, at hcl.Range, most int) int {
	v, _ = v.UnmarkDeep()
	var n int
	if v.IsNull() || v.Type() != cty.Number || gocty.FromCtyValue(v, &n) != nil || n < 1 || n > most {
		given := describe(v)
		if text, isText := stringOf(v); isText {
			given = text
		}
		d.fault(CodeValue, at, fmt.Sprintf("Wrong value for %q", name), fmt.Sprintf("%q is a whole number from 1 to %d; this is %s.", name, most, given))
		return 0
	}
	return n
}

// replication reads a number, or { at_most = number }.
func (d *definition) replication(t *ast.Topic) {
	attr := d.content.attrs["replication_factor"]
	if attr == nil {
		return
	}
	d.declared.places.setSpot(ast.Path{Part: "replication_factor"}, attr.Expr.Range())
	v, ok := d.given(attr)
	if !ok {
		return
	}
	if v.IsNull() || !v.Type().IsObjectType() {
		t.AtMost, t.Replicas = false, d.wholeValue(v, attr.Name, attr.Expr.Range(), math.MaxInt16)
		return
	}
	if len(v.Type().AttributeTypes()) != 1 || !v.Type().HasAttribute("at_most") {
		d.fault(CodeValue, attr.Expr.Range(), "Wrong replication factor",
			"It is a number, or { at_most = 3 }: as many as there are brokers, and three where there are more.")
		return
	}
	t.Replicas = d.wholeValue(v.GetAttr("at_most"), "at_most", attr.Expr.Range(), math.MaxInt16)
}

// topicConfigs reads the configurations: an object of plain values under Kafka's own names.
func (d *definition) topicConfigs(t *ast.Topic) {
	attr := d.content.attrs["config"]
	v, ok := d.given(attr)
	if !ok {
		return
	}
	if v.IsNull() || !(v.Type().IsObjectType() || v.Type().IsMapType()) {
		d.fault(CodeValue, attr.Expr.Range(), `Wrong value for "config"`, `Configurations are written { "cleanup.policy" = "compact", ... }; this is `+describe(v)+".")
		return
	}
	for it := v.ElementIterator(); it.Next(); {
		key, value := it.Element()
		name := key.AsString()
		at := entryRange(attr.Expr, name)
		d.declared.places.setSpot(ast.Path{Part: "config", Name: name}, at)
		known, found := kafka.LookupConfig(name)
		if !found {
			d.fault(CodeSetting, at, fmt.Sprintf("Unknown topic configuration %q", name),
				fmt.Sprintf("Apache Kafka %s has no configuration of this name for a topic.", kafka.Version)+suggest(name, kafka.ConfigNames()))
			continue
		}
		text, isText := stringOf(value)
		canonical, good := known.Canonical(text)
		if !isText || !good {
			given := describe(value)
			if isText {
				given = strconv.Quote(text)
			}
			advice := ""
			if isText {
				advice = suggest(text, known.Words)
			}
			d.fault(CodeValue, at, fmt.Sprintf("Wrong value of %q", name), fmt.Sprintf("%q is %s; this is %s.", name, known.Accepts(), given)+advice)
			continue
		}
		t.Configs = append(t.Configs, ast.TopicConfig{Name: name, Value: canonical})
	}
}

// retention reads how long records are kept, which is the configuration retention.ms in words.
func (d *definition) retention(t *ast.Topic) {
	attr := d.content.attrs["retention"]
	given, ok := d.text(attr)
	if !ok {
		return
	}
	ms, err := parseRetention(given.value)
	if err != nil {
		d.fault(CodeValue, given.whole(), "Wrong retention", fmt.Sprintf("%s: %v.", abbreviate(given.value), err))
		return
	}
	if t.Config(retentionConfig) != nil {
		d.fault(CodeDuplicate, attr.NameRange, "The retention is stated twice", `It is "retention", and "retention.ms" in "config". Remove one of the two.`)
		return
	}
	d.declared.places.setSpot(ast.Path{Part: "config", Name: retentionConfig}, attr.Expr.Range())
	t.Configs = append(t.Configs, ast.TopicConfig{Name: retentionConfig, Value: strconv.FormatInt(ms, 10)})
}

// forever is a retention without an end.
const forever = "forever"

// retentionUnits are longest first.
var retentionUnits = []struct {
	suffix string
	unit   time.Duration
}{{"ms", time.Millisecond}, {"w", 7 * 24 * time.Hour}, {"d", 24 * time.Hour}, {"h", time.Hour}, {"m", time.Minute}, {"s", time.Second}}

// parseRetention returns milliseconds, -1 for ever.
func parseRetention(s string) (int64, error) {
	if s == forever {
		return -1, nil
	}
	for _, u := range retentionUnits {
		digits, ok := strings.CutSuffix(s, u.suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(digits, 10, 63)
		if errors.Is(err, strconv.ErrSyntax) {
			break
		}
		if ms := int64(u.unit / time.Millisecond); err == nil && n > 0 && int64(n) <= math.MaxInt64/ms {
			return int64(n) * ms, nil
		}
		return 0, errors.New("it is longer than nothing, and a number of milliseconds that fits 63 bits")
	}
	return 0, errors.New(`a retention is a whole number with a unit, as in "7d" (w, d, h, m, s, ms), or "forever"`)
}

func retentionText(ms string) string {
	n, err := strconv.ParseInt(ms, 10, 64)
	if err != nil || n == -1 {
		return forever
	}
	for _, u := range retentionUnits[1:] {
		if unit := int64(u.unit / time.Millisecond); n%unit == 0 {
			return strconv.FormatInt(n/unit, 10) + u.suffix
		}
	}
	return ms + "ms"
}

func renderTopic(w *writer, o ast.Object) {
	t := o.(*ast.Topic)
	w.raw("partitions", strconv.Itoa(t.Partitions))
	if t.AtMost {
		w.raw("replication_factor", fmt.Sprintf("{ at_most = %d }", t.Replicas))
	} else {
		w.raw("replication_factor", strconv.Itoa(t.Replicas))
	}
	var configs []string
	for _, c := range t.Configs {
		if c.Name == retentionConfig && c.Value != "0" {
			w.text("retention", retentionText(c.Value))
			continue
		}
		configs = append(configs, w.quoted(c.Name)+" = "+w.quoted(c.Value))
	}
	for _, role := range []struct {
		name string
		has  bool
	}{{"landing", t.Landing}, {"dead_letter", t.DeadLetter}} {
		if role.has {
			w.raw(role.name, "true")
		}
	}
	if len(configs) > 0 {
		w.raw("config", "{\n"+strings.Join(configs, "\n")+"\n}")
	}
}
