package platform

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/rules"
)

// VersionError is a server older than the release needs.
type VersionError struct{ Have, Need string }

func (e *VersionError) Error() string {
	return fmt.Sprintf("the server is ClickHouse %s and the schema release needs %s or newer: upgrade the server, or use an older release", e.Have, e.Need)
}

// ErrorCode is the error as one word.
func (e *VersionError) ErrorCode() string { return "server_too_old" }

// NotReplicatedError is a self-hosted server that lacks what replicated databases and tables need. Nothing was sent.
type NotReplicatedError struct {
	Server string
	// Missing names all of it, each with its remedy.
	Missing []string
}

func (e *NotReplicatedError) Error() string {
	return fmt.Sprintf("%s cannot keep a replicated schema: %s. Nothing was sent; configure all of it, or pin another platform with DFE_ENGINE_CLICKHOUSE_PLATFORM",
		e.Server, strings.Join(e.Missing, "; "))
}

// ErrorCode is the error as one word.
func (e *NotReplicatedError) ErrorCode() string { return "clickhouse_not_replicated" }

// MultiShardError is a cluster over whose shards lease and ledger would be different tables. Nothing was sent.
type MultiShardError struct {
	Cluster string
	Shards  int
}

func (e *MultiShardError) Error() string {
	return fmt.Sprintf("the cluster %s has %d shards and a schema is kept on one: the default replica path contains {shard}, so that lease and ledger would be another table on each; "+
		"name a cluster of one shard in the macro {cluster}", e.Cluster, e.Shards)
}

// ErrorCode is the error as one word.
func (e *MultiShardError) ErrorCode() string { return "clickhouse_multi_shard" }

// cloudHosts is the domain of ClickHouse Cloud's services.
const cloudHosts = ".clickhouse.cloud"

// Of returns the platform to render for: the pinned one, or what the server says it is, or what its name says. The
// embedded platform is never found: it is pinned by whoever runs the server in its own process.
func Of(pinned rules.Platform, facts *catalog.Facts, target catalog.Target) rules.Platform {
	switch {
	case pinned != "":
		return pinned
	case facts.Cloud:
		return rules.Cloud
	}
	if u, err := url.Parse(target.URL); err == nil && strings.HasSuffix(strings.ToLower(u.Hostname()), cloudHosts) {
		return rules.Cloud
	}
	return rules.SelfHosted
}

// Need is what a schema needs of a server.
type Need struct {
	MinServer string            // the oldest release of ClickHouse; empty: any
	Kinds     map[ast.Kind]bool // of the declared objects
}

// Check refuses a server that cannot have the schema. The error is a [VersionError], a [NotReplicatedError] or a
// [MultiShardError].
func Check(p rules.Platform, facts *catalog.Facts, need Need, target catalog.Target) error {
	if need.MinServer != "" && !facts.AtLeast(need.MinServer) {
		return &VersionError{facts.Version, need.MinServer}
	}
	if p != rules.SelfHosted {
		return nil
	}
	if missing := missingFor(facts, need.Kinds); len(missing) > 0 {
		return &NotReplicatedError{Server: target.String(), Missing: missing}
	}
	shards := map[uint32]bool{}
	for _, m := range facts.Cluster {
		shards[m.Shard] = true
	}
	if len(shards) > 1 {
		return &MultiShardError{facts.Macros["cluster"], len(shards)}
	}
	return nil
}

// missingFor lists what a self-hosted server lacks for objects of these kinds, by DESIGN.md section 5.
func missingFor(facts *catalog.Facts, kinds map[ast.Kind]bool) []string {
	var missing []string
	if !facts.Keeper {
		missing = append(missing, "it is connected to no Keeper (configure <zookeeper>)")
	}
	for _, name := range []string{"cluster", "shard", "replica"} {
		if facts.Macros[name] == "" {
			missing = append(missing, "it has no macro {"+name+"} (configure it in <macros>)")
		}
	}
	if cluster := facts.Macros["cluster"]; cluster != "" && len(facts.Cluster) == 0 {
		missing = append(missing, fmt.Sprintf("it knows no cluster %s, which its macro {cluster} names (configure it in <remote_servers>)", cluster))
	}
	if len(facts.Cluster) < 2 {
		return missing
	}
	if d, ok := firstWritable(facts.UserDirectories); ok && d.Type != "replicated" {
		missing = append(missing, fmt.Sprintf("it keeps SQL users and roles in %s, outside Keeper, so that each of the cluster's %d servers has its own (configure <user_directories><replicated>)",
			d.Name, len(facts.Cluster)))
	}
	if storage := facts.NamedCollections; kinds[ast.KindNamedCollection] && storage != "" && !inKeeper(storage) {
		missing = append(missing, fmt.Sprintf("it keeps named collections in the storage %q, outside Keeper (configure <named_collections_storage><type>keeper</type>)", storage))
	}
	return missing
}

// firstWritable is where CREATE USER writes: the first directory that takes it.
func firstWritable(directories []catalog.UserDirectory) (catalog.UserDirectory, bool) {
	i := slices.IndexFunc(directories, catalog.UserDirectory.Writable)
	if i < 0 {
		return catalog.UserDirectory{}, false
	}
	return directories[i], true
}

// inKeeper reports a type of <named_collections_storage> that all servers share.
func inKeeper(storage string) bool {
	return strings.HasPrefix(storage, "keeper") || strings.HasPrefix(storage, "zookeeper")
}

// cloudCluster is the cluster of all replicas of a service.
const cloudCluster = "default"

// Members is how the members of the server's deployment are asked.
func Members(p rules.Platform, facts *catalog.Facts) catalog.Members {
	switch {
	case p == rules.Cloud:
		return catalog.Members{Cluster: cloudCluster}
	case p == rules.SelfHosted && len(facts.Cluster) > 1:
		return catalog.Members{Cluster: facts.Macros["cluster"]}
	}
	return catalog.Members{}
}
