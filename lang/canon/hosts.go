package canon

import (
	"bytes"
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
)

// hosts sorts them; anywhere outweighs the rest, and nothing said is anywhere, or what name@host says.
func hosts(u *ast.User) []ast.Host {
	list := slices.Clone(u.Hosts)
	if len(list) == 0 {
		if i := strings.LastIndexByte(u.Name, '@'); i > 0 {
			return []ast.Host{local(ast.Host{Kind: "LIKE", Value: u.Name[i+1:]})}
		}
		return []ast.Host{{Kind: "ANY"}}
	}
	for i, h := range list {
		list[i] = local(h)
	}
	for _, h := range list {
		if h.Kind == "ANY" || h.Kind == "LIKE" && h.Value == "%" || h.Kind == "REGEXP" && h.Value == ".*" {
			return []ast.Host{{Kind: "ANY"}}
		}
	}
	list = slices.DeleteFunc(list, func(h ast.Host) bool { return h.Kind == "NONE" && len(list) > 1 })
	slices.SortFunc(list, func(a, b ast.Host) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Value, b.Value)) })
	return slices.Compact(list)
}

// local is what ClickHouse makes of a host: this machine by any of its names is LOCAL, and an address has one spelling.
func local(h ast.Host) ast.Host {
	switch h.Kind {
	case "IP":
		if prefix, ok := network(h.Value); ok {
			return ofNetwork(prefix)
		}
		h.Value = masked(h.Value)
	case "NAME":
		if strings.EqualFold(h.Value, "localhost") {
			return ast.Host{Kind: "LOCAL"}
		}
	case "REGEXP":
		if h.Value == "localhost" {
			return ast.Host{Kind: "LOCAL"}
		}
	case "LIKE":
		if h.Value == "localhost" || h.Value == "127.0.0.1" || h.Value == "::1" {
			return ast.Host{Kind: "LOCAL"}
		}
	}
	return h
}

// ofNetwork is what ClickHouse makes of a network: all addresses are ANY, those of this machine LOCAL, and one address is
// written without a length (AllowedClientHosts, measured on 26.7.2).
func ofNetwork(p netip.Prefix) ast.Host {
	first := p.Masked().Addr()
	shortest := 8
	if first.Is4In6() {
		shortest += 96
	}
	switch {
	case p.Bits() == 0:
		return ast.Host{Kind: "ANY"}
	case first.Unmap().IsLoopback() && (p.IsSingleIP() || first.Unmap().Is4() && p.Bits() >= shortest):
		return ast.Host{Kind: "LOCAL"}
	case p.IsSingleIP():
		return ast.Host{Kind: "IP", Value: first.String()}
	}
	return ast.Host{Kind: "IP", Value: p.Masked().String()}
}

// network reads an address, a prefix, or an address with a mask that is a prefix.
func network(text string) (netip.Prefix, bool) {
	if a, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(a, a.BitLen()), true
	}
	if p, err := netip.ParsePrefix(text); err == nil {
		return p, true
	}
	a, mask, ok := withMask(text)
	if !ok {
		return netip.Prefix{}, false
	}
	for bits := range a.BitLen() + 1 {
		ones := netip.PrefixFrom(allOnes(a.BitLen()), bits).Masked().Addr()
		if ones == mask {
			return netip.PrefixFrom(a, bits), true
		}
	}
	return netip.Prefix{}, false
}

func allOnes(bits int) netip.Addr {
	ones, _ := netip.AddrFromSlice(bytes.Repeat([]byte{0xff}, bits/8))
	return ones
}

// withMask reads 10.1.2.3/255.0.255.0.
func withMask(text string) (a, mask netip.Addr, ok bool) {
	before, behind, found := strings.Cut(text, "/")
	a, err1 := netip.ParseAddr(before)
	mask, err2 := netip.ParseAddr(behind)
	return a, mask, found && err1 == nil && err2 == nil && a.BitLen() == mask.BitLen()
}

// masked is an address with a mask that is no prefix, without the bits that do not count.
func masked(text string) string {
	a, mask, ok := withMask(text)
	if !ok {
		return text
	}
	bits, by := a.AsSlice(), mask.AsSlice()
	for i := range bits {
		bits[i] &= by[i]
	}
	a, _ = netip.AddrFromSlice(bits)
	return a.String() + "/" + mask.String()
}
