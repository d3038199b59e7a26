package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/series"
	"github.com/dfe-engine/dfe/rules"
)

// compareMembers reports databases that a member lacks or still has. CREATE and DROP DATABASE reach the members by a
// queue in Keeper that forgets its entries after task_max_lifetime, seven days by default: a member that was away for
// longer never hears of them.
func (p *pass) compareMembers(ctx context.Context) error {
	if p.platform != rules.SelfHosted || !p.members.Several() {
		return nil
	}
	had, err := p.members.Databases(ctx, p.conn)
	if err != nil {
		return err
	}
	p.report.Notices = append(p.report.Notices, differentDatabases(had, p.schema.databases())...)
	return nil
}

// sharesFunctions refuses a cluster whose members have different SQL functions under the declared names.
func (p *pass) sharesFunctions(ctx context.Context) error {
	if p.platform != rules.SelfHosted || !p.members.Several() {
		return nil
	}
	for _, d := range p.schema.objects {
		live := p.c.liveOf(d)
		if d.Kind != ast.KindFunction || live == nil {
			continue
		}
		if err := p.x.Shared(ctx, live); err != nil {
			return err
		}
	}
	return nil
}

// differentDatabases compares what each member has, by host.
func differentDatabases(had map[string][]string, declared []string) []Notice {
	hosts := slices.Sorted(maps.Keys(had))
	with := map[string][]string{}
	for _, host := range hosts {
		for _, name := range had[host] {
			with[name] = append(with[name], host)
		}
	}
	for _, name := range declared {
		with[name] = append([]string{}, with[name]...)
	}
	var notices []Notice
	for _, name := range slices.Sorted(maps.Keys(with)) {
		if len(with[name]) == len(hosts) {
			continue
		}
		without := slices.DeleteFunc(slices.Clone(hosts), func(h string) bool { return slices.Contains(with[name], h) })
		if slices.Contains(declared, name) {
			notices = append(notices, Notice{"member_lacks_database", fmt.Sprintf(
				"the database %s is missing on %s: a member that was away for longer than task_max_lifetime misses its creation; create it there as SHOW CREATE prints it elsewhere",
				name, series.And(without))})
			continue
		}
		notices = append(notices, Notice{"member_still_has_database", fmt.Sprintf(
			"the database %s is on %s and not on %s, and nothing declares it: a member that was away may have missed that it was dropped",
			name, series.And(with[name]), series.And(without))})
	}
	return notices
}
