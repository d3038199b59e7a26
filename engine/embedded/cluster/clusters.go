package cluster

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// clusters are the configured cluster and that of each Replicated database.
func (m *member) clusters() []row {
	var list []row
	if !m.without("remote_servers") {
		seen := map[int]int{}
		for _, p := range m.Peers {
			seen[p.Shard]++
			list = append(list, row{
				"cluster": m.Cluster, "shard_num": p.Shard, "shard_weight": 1, "internal_replication": flag(m.InternalReplication), "replica_num": seen[p.Shard],
				"host_name": p.Name, "host_address": "127.0.0.1", "port": nativePort, "is_local": flag(p.Name == m.Name), "user": "default",
			})
		}
		slices.SortStableFunc(list, func(a, b row) int { return a["shard_num"].(int) - b["shard_num"].(int) })
	}
	for _, db := range m.dbs.all() {
		if !db.gone.Load() {
			list = append(list, db.rows()...)
		}
	}
	return list
}

// rows are a database's in system.clusters. Where ZooKeeper does not answer they are those that are known, with nothing said of
// what only it can tell, as a server has it.
func (db *database) rows() []row {
	list, err := db.ask()
	db.mu.Lock()
	defer db.mu.Unlock()
	if err == nil {
		db.listed = list
		return list
	}
	var known []row
	for _, r := range db.listed {
		r = maps.Clone(r)
		for _, told := range []string{"is_active", "unsynced_after_recovery", "replication_lag", "recovery_time"} {
			r[told] = nil
		}
		known = append(known, r)
	}
	return known
}

// ask reads a database's rows of system.clusters from ZooKeeper.
func (db *database) ask() ([]row, error) {
	s := db.member.session
	if alive, _, _ := s.state(); !alive {
		return nil, errors.New("there is no session with ZooKeeper")
	}
	replicas, err := s.list(path.Join(db.Path, "replicas"))
	if err != nil {
		return nil, err
	}
	entries, err := s.list(path.Join(db.Path, "log"))
	if err != nil {
		return nil, err
	}
	newest := 0
	if len(entries) > 0 {
		newest = sequence(entries[len(entries)-1]) + 1
	}
	shards := map[string]int{}
	seen := map[string]int{}
	var list []row
	for _, full := range replicas {
		shard, replica, _ := strings.Cut(full, "|")
		if shards[shard] == 0 {
			shards[shard] = len(shards) + 1
		}
		seen[shard]++
		own := path.Join(db.Path, "replicas", full)
		active, err := s.exists(own + "/active")
		if err != nil {
			return nil, err
		}
		at, _, err := s.get(own + "/log_ptr")
		if err != nil {
			return nil, err
		}
		pointer := 0
		if _, err := fmt.Sscan(string(at), &pointer); err != nil {
			return nil, fmt.Errorf("log_ptr of %s: %w", full, err)
		}
		list = append(list, row{
			"cluster": db.Name, "shard_num": shards[shard], "shard_name": shard, "shard_weight": 1, "internal_replication": 1, "replica_num": seen[shard],
			"host_name": replica, "host_address": "127.0.0.1", "port": nativePort, "is_local": flag(replica == db.member.Name), "user": "default",
			"database_shard_name": shard, "database_replica_name": replica, "is_active": flag(active), "unsynced_after_recovery": 0,
			"replication_lag": max(0, newest-pointer), "recovery_time": 0,
		})
	}
	return list, nil
}
