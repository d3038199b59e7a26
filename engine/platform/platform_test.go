package platform_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/embedded"
	"github.com/dfe-engine/dfe/engine/platform"
	"github.com/dfe-engine/dfe/rules"
)

// facts are what a real engine with this configuration says about itself.
func facts(t *testing.T, config string) *catalog.Facts {
	t.Helper()
	server, err := embedded.Start(t.Context(), embedded.Options{Config: config, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := catalog.Open(t.Context(), catalog.Target{URL: server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	f, err := catalog.ReadFacts(t.Context(), conn)
	if err := errors.Join(err, conn.Close(), server.Close(context.WithoutCancel(t.Context()))); err != nil {
		t.Fatal(err)
	}
	return f
}

const (
	macros    = "<macros><cluster>main</cluster><shard>01</shard><replica>a</replica></macros>"
	oneServer = "<remote_servers><main><shard><replica><host>a</host><port>9000</port></replica></shard></main></remote_servers>"
	replicas  = "<remote_servers><main><shard><replica><host>a</host><port>9000</port></replica><replica><host>b</host><port>9000</port></replica></shard></main></remote_servers>"
	shards    = "<remote_servers><main><shard><replica><host>a</host><port>9000</port></replica></shard><shard><replica><host>b</host><port>9000</port></replica></shard></main></remote_servers>"
	another   = "<remote_servers><spare><shard><replica><host>a</host><port>9000</port></replica></shard></spare></remote_servers>"
)

var target = catalog.Target{URL: "https://clickhouse.example:8443"}

func check(f *catalog.Facts, need platform.Need) error {
	return platform.Check(rules.SelfHosted, f, need, target)
}

// TestAllThatAServerLacksIsNamedAtOnce asks real engines, each with another configuration. That they are connected to
// a Keeper is put on their word: a library never is.
func TestAllThatAServerLacksIsNamedAtOnce(t *testing.T) {
	for _, c := range []struct {
		config string
		keeper bool
		want   []string
	}{
		{"", false, []string{"no Keeper", "no macro {cluster}", "no macro {shard}", "no macro {replica}"}},
		{"", true, []string{"no macro {cluster}", "no macro {shard}", "no macro {replica}"}},
		{"<macros><shard>01</shard></macros>", true, []string{"no macro {cluster}", "no macro {replica}"}},
		{macros, false, []string{"no Keeper", "no cluster main"}},
		{macros, true, []string{"no cluster main"}},
		{macros + another, true, []string{"no cluster main"}},
		{macros + replicas, false, []string{"no Keeper"}},
		{macros + oneServer, true, nil},
		{macros + replicas, true, nil},
	} {
		f := facts(t, c.config)
		f.Keeper = c.keeper
		err := check(f, platform.Need{MinServer: "25.8"})
		var lacking *platform.NotReplicatedError
		if len(c.want) == 0 {
			if err != nil {
				t.Errorf("%s: %v", c.config, err)
			}
			continue
		}
		if !errors.As(err, &lacking) || lacking.ErrorCode() != "clickhouse_not_replicated" || len(lacking.Missing) != len(c.want) {
			t.Errorf("%s: error %v, want one that names %q", c.config, err, c.want)
			continue
		}
		for i, words := range c.want {
			if !strings.Contains(lacking.Missing[i], words) || !strings.Contains(err.Error(), lacking.Missing[i]) {
				t.Errorf("%s: %q is missing, want %q", c.config, lacking.Missing[i], words)
			}
		}
	}
}

func TestAClusterOfSeveralShardsIsRefused(t *testing.T) {
	f := facts(t, macros+shards)
	f.Keeper = true
	err := check(f, platform.Need{})
	var sharded *platform.MultiShardError
	if !errors.As(err, &sharded) || sharded.ErrorCode() != "clickhouse_multi_shard" || sharded.Shards != 2 {
		t.Errorf("error %v, want a *MultiShardError of two shards", err)
	}
}

// TestWhatSeveralServersShareIsKeptInKeeper states the directories: a library has the read-only one alone. The type of
// the named collections' storage is the engine's own answer.
func TestWhatSeveralServersShareIsKeptInKeeper(t *testing.T) {
	several := facts(t, macros+replicas)
	single := facts(t, macros+oneServer)
	if several.NamedCollections != "local" || len(several.UserDirectories) != 1 || several.UserDirectories[0].Writable() {
		t.Fatalf("the engine keeps collections in %q and users in %v", several.NamedCollections, several.UserDirectories)
	}
	xml := catalog.UserDirectory{Name: "users_xml", Type: "users_xml"}
	disk := catalog.UserDirectory{Name: "local_directory", Type: "local_directory"}
	keeper := catalog.UserDirectory{Name: "replicated", Type: "replicated"}
	collections := platform.Need{Kinds: map[ast.Kind]bool{"named_collection": true}}
	for _, c := range []struct {
		what        string
		facts       *catalog.Facts
		directories []catalog.UserDirectory
		storage     string
		need        platform.Need
		want        string
	}{
		{"users on disk", several, []catalog.UserDirectory{xml, disk}, "local", platform.Need{}, "keeps SQL users and roles in local_directory"},
		{"users on disk before Keeper", several, []catalog.UserDirectory{xml, disk, keeper}, "local", platform.Need{}, "keeps SQL users and roles in local_directory"},
		{"users on disk of the only server", single, []catalog.UserDirectory{xml, disk}, "local", collections, ""},
		{"users in Keeper", several, []catalog.UserDirectory{xml, keeper}, "local", platform.Need{}, ""},
		{"collections on disk", several, []catalog.UserDirectory{xml, keeper}, "local", collections, `named collections in the storage "local"`},
		{"collections in Keeper", several, []catalog.UserDirectory{xml, keeper}, "keeper_encrypted", collections, ""},
		{"collections in ZooKeeper", several, []catalog.UserDirectory{xml, keeper}, "zookeeper", collections, ""},
	} {
		f := *c.facts
		f.Keeper, f.UserDirectories, f.NamedCollections = true, c.directories, c.storage
		err := check(&f, c.need)
		if got := err != nil && c.want != "" && strings.Contains(err.Error(), c.want); got != (c.want != "") || c.want == "" && err != nil {
			t.Errorf("%s: error %v, want %q", c.what, err, c.want)
		}
	}
}

func TestAnOlderServerIsRefusedByName(t *testing.T) {
	f := &catalog.Facts{Version: "25.3.2.39"}
	for _, p := range rules.Platforms() {
		err := platform.Check(p, f, platform.Need{MinServer: "25.8"}, target)
		var old *platform.VersionError
		if !errors.As(err, &old) || old.ErrorCode() != "server_too_old" || !strings.Contains(err.Error(), "25.3.2.39") || !strings.Contains(err.Error(), "25.8 or newer") {
			t.Errorf("%s: error %v", p, err)
		}
	}
}

func TestThePlatformIsPinnedOrToldByTheServerOrByItsName(t *testing.T) {
	for _, c := range []struct {
		pinned rules.Platform
		cloud  bool
		url    string
		want   rules.Platform
	}{
		{"", false, "https://clickhouse.example:8443", rules.SelfHosted},
		{"", true, "https://clickhouse.example:8443", rules.Cloud},
		{"", false, "https://a1b2.eu-west-1.aws.ClickHouse.cloud:8443", rules.Cloud},
		{"", false, "https://clickhouse.cloud.example", rules.SelfHosted},
		{rules.SelfHosted, true, "https://a1b2.clickhouse.cloud", rules.SelfHosted},
		{rules.Cloud, false, "https://clickhouse.example", rules.Cloud},
		{rules.Embedded, true, "https://clickhouse.example", rules.Embedded},
	} {
		if got := platform.Of(c.pinned, &catalog.Facts{Cloud: c.cloud}, catalog.Target{URL: c.url}); got != c.want {
			t.Errorf("%+v is taken for %s", c, got)
		}
	}
}

func TestAllMembersOfADeploymentAreAsked(t *testing.T) {
	two := []catalog.Member{{Shard: 1, Replica: 1}, {Shard: 1, Replica: 2}}
	f := &catalog.Facts{Macros: map[string]string{"cluster": "main"}, Cluster: two}
	got := []catalog.Members{platform.Members(rules.SelfHosted, f), platform.Members(rules.Cloud, f), platform.Members(rules.Embedded, f)}
	f.Cluster = two[:1]
	got = append(got, platform.Members(rules.SelfHosted, f))
	if diff := cmp.Diff([]catalog.Members{{Cluster: "main"}, {Cluster: "default"}, {}, {}}, got); diff != "" {
		t.Error(diff)
	}
}
