package kafka

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Version is the release of Apache Kafka whose topic configurations are known here.
const Version = "4.2"

// Config is a configuration that a topic of Apache Kafka takes. A value has the range of every release from 4.0 on:
// what only a newer one refuses, the broker says.
type Config struct {
	Name string
	// Words are what the value is one of; of a list, what each of its elements is one of.
	Words []string
	list  bool
	// Min and Max bound a number; both zero for what is none.
	Min, Max int64
	// ratio is a number with decimals between 0 and 1.
	ratio bool
	// zeroless numbers have no zero between their bounds.
	zeroless bool
}

// configs are sorted by name, as org.apache.kafka.storage.internals.log.LogConfig of Kafka 4.2 defines them; a test
// of package engine/topics compares them with a broker.
var configs = [...]Config{
	{Name: "cleanup.policy", Words: []string{"compact", "delete"}, list: true},
	{Name: "compression.gzip.level", Min: -1, Max: 9, zeroless: true},
	{Name: "compression.lz4.level", Min: 1, Max: 17},
	{Name: "compression.type", Words: []string{"gzip", "lz4", "producer", "snappy", "uncompressed", "zstd"}},
	{Name: "compression.zstd.level", Min: -131072, Max: 22},
	{Name: "delete.retention.ms", Min: 0, Max: math.MaxInt64},
	{Name: "file.delete.delay.ms", Min: 0, Max: math.MaxInt64},
	{Name: "flush.messages", Min: 1, Max: math.MaxInt64},
	{Name: "flush.ms", Min: 0, Max: math.MaxInt64},
	{Name: "follower.replication.throttled.replicas", list: true},
	{Name: "index.interval.bytes", Min: 0, Max: math.MaxInt32},
	{Name: "leader.replication.throttled.replicas", list: true},
	{Name: "local.retention.bytes", Min: -2, Max: math.MaxInt64},
	{Name: "local.retention.ms", Min: -2, Max: math.MaxInt64},
	{Name: "max.compaction.lag.ms", Min: 1, Max: math.MaxInt64},
	{Name: "max.message.bytes", Min: 0, Max: math.MaxInt32},
	{Name: "message.timestamp.after.max.ms", Min: 0, Max: math.MaxInt64},
	{Name: "message.timestamp.before.max.ms", Min: 0, Max: math.MaxInt64},
	{Name: "message.timestamp.type", Words: []string{"CreateTime", "LogAppendTime"}},
	{Name: "min.cleanable.dirty.ratio", ratio: true},
	{Name: "min.compaction.lag.ms", Min: 0, Max: math.MaxInt64},
	{Name: "min.insync.replicas", Min: 1, Max: math.MaxInt32},
	{Name: "preallocate", Words: truths},
	{Name: "remote.log.copy.disable", Words: truths},
	{Name: "remote.log.delete.on.disable", Words: truths},
	{Name: "remote.storage.enable", Words: truths},
	{Name: "retention.bytes", Min: -1, Max: math.MaxInt64},
	{Name: "retention.ms", Min: -1, Max: math.MaxInt64},
	{Name: "segment.bytes", Min: 14, Max: math.MaxInt32},
	{Name: "segment.index.bytes", Min: 4, Max: math.MaxInt32},
	{Name: "segment.jitter.ms", Min: 0, Max: math.MaxInt64},
	{Name: "segment.ms", Min: 1, Max: math.MaxInt64},
	{Name: "unclean.leader.election.enable", Words: truths},
}

var truths = []string{"false", "true"}

// LookupConfig returns a configuration by its name.
func LookupConfig(name string) (Config, bool) {
	i, found := slices.BinarySearchFunc(configs[:], name, func(c Config, name string) int { return strings.Compare(c.Name, name) })
	if !found {
		return Config{}, false
	}
	return configs[i], true
}

// ConfigNames lists the names, sorted.
func ConfigNames() []string {
	names := make([]string, len(configs))
	for i, c := range configs {
		names[i] = c.Name
	}
	return names
}

// Accepts says what values the configuration takes, as a noun phrase.
func (c Config) Accepts() string {
	words := strings.Join(c.Words, ", ")
	switch {
	case c.list && c.Words == nil:
		return "a list with commas between its elements"
	case c.list:
		return "one or more of " + words + ", with commas between them"
	case c.Words != nil:
		return "one of " + words
	case c.ratio:
		return "a number from 0 to 1"
	case c.zeroless:
		return fmt.Sprintf("a whole number from %d to %d other than 0", c.Min, c.Max)
	case c.Max >= math.MaxInt32:
		return fmt.Sprintf("a whole number from %d up", c.Min)
	}
	return fmt.Sprintf("a whole number from %d to %d", c.Min, c.Max)
}

// Canonical returns a value as a broker gives it back, or false for one that it refuses. Of words in a list, cleanup.policy
// is the one such configuration, the order says nothing: they are sorted.
func (c Config) Canonical(value string) (string, bool) {
	value = strings.TrimSpace(value)
	switch {
	case c.list:
		return c.canonicalList(value)
	case c.Words != nil:
		i := slices.IndexFunc(c.Words, func(w string) bool { return w == value || &c.Words[0] == &truths[0] && strings.EqualFold(w, value) })
		if i < 0 {
			return "", false
		}
		return c.Words[i], true
	case c.ratio:
		f, err := strconv.ParseFloat(value, 64)
		if err != nil || !(f >= 0 && f <= 1) {
			return "", false
		}
		return javaDouble(f), true
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < c.Min || n > c.Max || n == 0 && c.zeroless {
		return "", false
	}
	return strconv.FormatInt(n, 10), true
}

func (c Config) canonicalList(value string) (string, bool) {
	if value == "" {
		return "", c.Words == nil
	}
	elements := strings.Split(value, ",")
	for i, e := range elements {
		elements[i] = strings.TrimSpace(e)
		if elements[i] == "" || c.Words != nil && !slices.Contains(c.Words, elements[i]) || slices.Contains(elements[:i], elements[i]) {
			return "", false
		}
	}
	if c.Words != nil {
		slices.Sort(elements)
	}
	return strings.Join(elements, ","), true
}

// javaDouble writes a number between 0 and 1 as Java's Double.toString does, which a broker answers with.
func javaDouble(f float64) string {
	if f != 0 && f < 1e-3 {
		mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e-")
		if !strings.Contains(mantissa, ".") {
			mantissa += ".0"
		}
		return mantissa + "E-" + strings.TrimLeft(exponent, "0")
	}
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}
