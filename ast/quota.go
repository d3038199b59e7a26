package ast

import "strconv"

// Quota limits what somebody may use in an interval of time.
type Quota struct {
	Name string
	// Key says whose use is counted together: user_name, ip_address, forwarded_ip_address, client_key,
	// normalized_query_hash; two for client_key with a fallback. None: all together.
	Key []string
	// IPv4Bits and IPv6Bits are the prefixes by which addresses are counted together; 0: each address alone.
	IPv4Bits, IPv6Bits uint64
	Intervals          []QuotaInterval
	To                 *Recipients // nil: nobody
	Origin             Origin
}

// QuotaInterval is FOR [RANDOMIZED] INTERVAL with its limits.
type QuotaInterval struct {
	Seconds    uint64
	Randomized bool
	// Limits are name = value in the order of [QuotaLimits]. None of them: with NoLimits the interval is taken away, and
	// without it use is counted and not limited (TRACKING ONLY).
	Limits   []Setting
	NoLimits bool
}

// QuotaLimits lists what a quota limits, in the order in which ClickHouse prints it.
func QuotaLimits() []string {
	return []string{"queries", "query_selects", "query_inserts", "errors", "result_rows", "result_bytes", "read_rows", "read_bytes",
		"execution_time", "written_bytes", "failed_sequential_authentications", "queries_per_normalized_hash"}
}

// QuotaKeys lists what the use of a quota is counted by.
func QuotaKeys() []string {
	return []string{"user_name", "ip_address", "forwarded_ip_address", "client_key", "normalized_query_hash"}
}

// intervalUnits are the units of an interval with their seconds, as ClickHouse's IntervalKind counts them on average.
var intervalUnits = [...]struct {
	name    string
	seconds uint64
}{{"year", 31556952}, {"quarter", 7889238}, {"month", 2629746}, {"week", 604800}, {"day", 86400}, {"hour", 3600}, {"minute", 60}, {"second", 1}}

// UnitSeconds returns the seconds of a unit of time in lower case; 0 for none.
func UnitSeconds(unit string) uint64 {
	for _, u := range intervalUnits {
		if u.name == unit {
			return u.seconds
		}
	}
	return 0
}

// Duration writes a number of seconds in the largest unit that divides it, as ClickHouse does: "90 minute".
func Duration(seconds uint64) string {
	for _, u := range intervalUnits {
		if seconds >= u.seconds && seconds%u.seconds == 0 {
			return strconv.FormatUint(seconds/u.seconds, 10) + " " + u.name
		}
	}
	return "0 second"
}

// Kind returns [KindQuota].
func (q *Quota) Kind() Kind { return KindQuota }

// ID returns the quota's name, in no database.
func (q *Quota) ID() Name { return Name{Name: q.Name} }

// Parts lists the key, the prefixes, the intervals and those the quota is for.
func (q *Quota) Parts() []Part {
	var parts []Part
	if len(q.Key) > 0 {
		parts = appendNode(parts, "key", N(List, "", identNodes(q.Key)...))
	}
	for _, bits := range []struct {
		name string
		n    uint64
	}{{"ipv4_prefix_bits", q.IPv4Bits}, {"ipv6_prefix_bits", q.IPv6Bits}} {
		if bits.n > 0 {
			parts = appendNode(parts, bits.name, number(bits.n))
		}
	}
	for i := range q.Intervals {
		parts = append(parts, q.Intervals[i].part())
	}
	return appendNode(parts, "to", q.To.node())
}

func (i *QuotaInterval) part() Part {
	attrs := []Attr{{"randomized", N(Keyword, strconv.FormatBool(i.Randomized))}}
	if i.NoLimits {
		attrs = append(attrs, Attr{"no_limits", N(Keyword, "true")})
	}
	for _, l := range i.Limits {
		attrs = append(attrs, Attr{l.Name, l.Value})
	}
	return Part{Kind: "interval", Name: Duration(i.Seconds), Attrs: attrs}
}

func (w *statement) quota(q *Quota) {
	w.accessHead("QUOTA", q.Name)
	w.quotaKey(q)
	w.quotaIntervals(q.Intervals)
	w.to(q.To)
}

func (w *statement) quotaKey(q *Quota) {
	if len(q.Key) == 0 {
		return
	}
	w.clause("KEYED BY ")
	for i, key := range q.Key {
		if i > 0 {
			w.add(", ")
		}
		w.add(key)
	}
	if q.IPv4Bits > 0 {
		w.add(" IPV4_PREFIX_BITS ")
		w.dst = appendUint(w.dst, q.IPv4Bits)
	}
	if q.IPv6Bits > 0 {
		w.add(" IPV6_PREFIX_BITS ")
		w.dst = appendUint(w.dst, q.IPv6Bits)
	}
}

func (w *statement) quotaIntervals(intervals []QuotaInterval) {
	for n := range intervals {
		i := &intervals[n]
		if n > 0 {
			w.add(",")
		}
		w.clause("FOR ")
		if i.Randomized {
			w.add("RANDOMIZED ")
		}
		w.add("INTERVAL " + Duration(i.Seconds))
		switch {
		case len(i.Limits) > 0:
			w.add(" MAX ")
			w.dst = appendSettings(w.dst, i.Limits)
		case i.NoLimits:
			w.add(" NO LIMITS")
		default:
			w.add(" TRACKING ONLY")
		}
	}
}
