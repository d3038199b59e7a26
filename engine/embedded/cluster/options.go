package cluster

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/dfe-engine/dfe/lang/series"
)

// Options say which cluster to start. The zero value is two members of one shard around a ZooKeeper, configured as a
// replicated schema wants it, in a temporary directory.
type Options struct {
	// Members is how many ClickHouse processes there are, default 2.
	Members int
	// Shards is over how many shards the members are spread, default 1.
	Shards int
	// Dir keeps the data of members and ZooKeeper, created when absent. Empty: a temporary directory, removed by Close.
	Dir string
	// Ports are where the members answer, one for each; none: free ones.
	Ports []int
	// Cloud makes the members answer as one service of ClickHouse Cloud does.
	Cloud bool
	// Without leaves something out that a replicated schema needs: "keeper", "remote_servers", or a macro: "cluster",
	// "shard", "replica".
	Without []string
	// AccessOutsideKeeper keeps SQL users and roles on each member's disk.
	AccessOutsideKeeper bool
	// CollectionsOutsideKeeper keeps named collections on each member's disk.
	CollectionsOutsideKeeper bool
	// FunctionsOutsideKeeper keeps SQL functions on each member's disk.
	FunctionsOutsideKeeper bool
	// ExternalReplication sets internal_replication to false in remote_servers.
	ExternalReplication bool
	// TaskMaxLifetime is how long an entry of the queue of ON CLUSTER statements is kept; default 7 days.
	TaskMaxLifetime time.Duration
	// SessionTimeout is after how long without a sign of life ZooKeeper takes a member for dead; default 3 s, from 1 s to 10 s.
	SessionTimeout time.Duration
	// StartTimeout is how long a member or ZooKeeper may take to come up; default 30 s.
	StartTimeout time.Duration
	// Seed of whatever is left to chance, so that a run repeats.
	Seed int64
	// Progress gets a line while something is fetched; nil is silent.
	Progress io.Writer
}

func (o Options) withDefaults() Options {
	if o.Members == 0 {
		o.Members = 2
	}
	if o.Shards == 0 {
		o.Shards = 1
	}
	if o.TaskMaxLifetime == 0 {
		o.TaskMaxLifetime = 7 * 24 * time.Hour
	}
	if o.SessionTimeout == 0 {
		o.SessionTimeout = 3 * time.Second
	}
	if o.StartTimeout == 0 {
		o.StartTimeout = 30 * time.Second
	}
	return o
}

// Check refuses options that no cluster can have, as [Start] does.
func (o Options) Check() error {
	o = o.withDefaults()
	switch {
	case o.Members < 1 || o.Members > 9:
		return fmt.Errorf("a cluster of %d members: from 1 to 9 are possible", o.Members)
	case o.Shards < 1 || o.Shards > o.Members:
		return fmt.Errorf("%d shards of %d members: from 1 to as many as there are members are possible", o.Shards, o.Members)
	case o.Cloud && o.Shards > 1:
		return errors.New("a service of ClickHouse Cloud has one shard: leave the number of shards out")
	case o.Cloud && len(o.Without) > 0:
		return errors.New("a service of ClickHouse Cloud has all that a replicated schema needs: leave nothing out")
	case len(o.Ports) > 0 && len(o.Ports) != o.Members:
		return fmt.Errorf("%d ports for %d members: give one for each, or none", len(o.Ports), o.Members)
	case o.SessionTimeout < time.Second || o.SessionTimeout > 10*time.Second:
		return fmt.Errorf("a session timeout of %s: ZooKeeper takes from 1 s to 10 s here", o.SessionTimeout)
	}
	for _, name := range o.Without {
		if !slices.Contains(Removable(), name) {
			return fmt.Errorf("a cluster without %q: only %s can be left out", name, series.Or(Removable()))
		}
	}
	return nil
}

// Removable are the names that [Options].Without takes.
func Removable() []string { return []string{"keeper", "remote_servers", "cluster", "shard", "replica"} }

// clusterName is the cluster's name in remote_servers; Cloud calls its own so.
func (o Options) clusterName() string {
	if o.Cloud {
		return "default"
	}
	return "main"
}

// peer is a member as the others know it.
type peer struct {
	Name    string // also its host name and its macro {replica}
	Shard   int    // counted from 1
	Port    int    // where it answers clients
	Control int    // where the supervisor and the other members reach it
}

// node is what a member's process is told. It travels as JSON.
type node struct {
	Name, Dir, Shared   string
	Port, Control       int
	Token               string // of the control port
	Peers               []peer
	Keeper              string // address; empty: none
	SessionTimeout      time.Duration
	Cluster             string
	Without             []string
	Cloud               bool
	AccessOutside       bool
	CollectionsOutside  bool
	FunctionsOutside    bool
	InternalReplication bool
	TaskMaxLifetime     time.Duration
	Seed                int64
}

func (n node) without(what string) bool { return slices.Contains(n.Without, what) }

// self is the member among its peers.
func (n node) self() peer {
	return n.Peers[slices.IndexFunc(n.Peers, func(p peer) bool { return p.Name == n.Name })]
}

// host is a member as remote_servers and the DDL queue name it. No native port is open; the number is ClickHouse's default.
func (p peer) host() string { return fmt.Sprintf("%s:%d", p.Name, nativePort) }

const nativePort = 9000

// shardMacro is the value of {shard}.
func (p peer) shardMacro() string { return fmt.Sprintf("%02d", p.Shard) }

// macros are those of the member.
func (n node) macros() map[string]string {
	all := map[string]string{"cluster": n.Cluster, "shard": n.self().shardMacro(), "replica": n.Name}
	for _, name := range n.Without {
		delete(all, name)
	}
	return all
}
