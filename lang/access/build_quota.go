package access

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/dfe-engine/dfe/ast"
)

func (b *builder) quota(st *Statement, s *quotaSyntax) {
	st.Kind, st.Names = ast.KindQuota, b.names(s.Names)
	b.condition(st, s.Condition)
	quota := &ast.Quota{Name: st.Names[0]}
	for _, c := range s.Clauses {
		switch {
		case c.NotKeyed:
			b.once(st, c.Pos, "key")
		case len(c.Keys) > 0:
			b.once(st, c.Pos, "key")
			quota.Key = b.quotaKey(c)
		case c.IPv4 != "":
			quota.IPv4Bits = b.bits(c.Pos, c.IPv4, 32)
		case c.IPv6 != "":
			quota.IPv6Bits = b.bits(c.Pos, c.IPv6, 128)
		case len(c.Interval) > 0:
			st.Written["intervals"] = true
			for _, i := range c.Interval {
				quota.Intervals = append(quota.Intervals, b.interval(i))
			}
		case c.To != nil:
			b.once(st, c.Pos, "to")
			quota.To = b.recipients(c.To)
		default:
			b.common(st, c.Common)
		}
	}
	if quota.IPv4Bits+quota.IPv6Bits > 0 && len(quota.Key) == 0 {
		b.fail(s.Names[0].Pos, "KEYED BY ip_address or forwarded_ip_address with the length of a prefix", "")
	}
	if st.Verb == Create {
		quota.To = nobody(quota.To)
	}
	st.Object = quota
}

func (b *builder) bits(pos lexer.Position, text string, most uint64) uint64 {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n == 0 || n > most {
		b.fail(pos, fmt.Sprintf("a length of a prefix from 1 to %d bits", most), "")
	}
	return n
}

// quotaKey reads KEYED BY with its words, which ClickHouse also takes as one: client_key_or_user_name.
func (b *builder) quotaKey(c *quotaClause) []string {
	var keys []string
	for _, w := range c.Keys {
		name := strings.ToLower(strings.ReplaceAll(plain(w.Text), " ", "_"))
		for part := range strings.SplitSeq(name, "_or_") {
			switch {
			case part == "none" && len(c.Keys) == 1:
				return nil
			case !slices.Contains(ast.QuotaKeys(), part):
				b.fail(w.Pos, "user_name, ip_address, forwarded_ip_address, client_key, normalized_query_hash, or client_key with another", "")
			}
			keys = append(keys, part)
		}
	}
	if len(keys) > 2 || len(keys) == 2 && (keys[0] != "client_key" || keys[1] == "client_key" || keys[1] == "normalized_query_hash") {
		b.fail(c.Keys[0].Pos, "one key, or client_key followed by user_name or ip_address", "")
	}
	return keys
}

func (b *builder) interval(s *intervalSyntax) ast.QuotaInterval {
	i := ast.QuotaInterval{Randomized: s.Randomized, NoLimits: s.NoLimits}
	unit := ast.UnitSeconds(strings.TrimSuffix(strings.ToLower(s.Unit), "s"))
	amount, err := strconv.ParseFloat(s.Amount, 64)
	seconds := amount * float64(unit)
	if err != nil || unit == 0 || seconds < 1 || seconds > 1e15 {
		b.fail(s.Pos, "a length of time of at least a second: 1 hour, 90 minute, 1 quarter", "")
		return i
	}
	i.Seconds = uint64(seconds)
	for n, l := range s.Limits {
		if n == 0 && !l.Lead && !l.Late {
			b.fail(l.Pos, "MAX with a limit, as in MAX queries = 100", "")
		}
		name := strings.ToLower(strings.Join(l.Words, "_"))
		if !slices.Contains(ast.QuotaLimits(), name) {
			b.fail(l.Pos, "one of the limits "+strings.Join(ast.QuotaLimits(), ", "), suggest(name, ast.QuotaLimits()))
			continue
		}
		if slices.ContainsFunc(i.Limits, func(s ast.Setting) bool { return s.Name == name }) {
			b.fail(l.Pos, "each limit once", "")
		}
		i.Limits = append(i.Limits, ast.Setting{Name: name, Value: b.value(&l.Value)})
	}
	return i
}
