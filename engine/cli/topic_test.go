package cli_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/dfe-engine/dfe/engine/cli"
)

func TestTopicPlanAndStatusTellOfTheBusWithoutClickHouse(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(6, "dfe_load"))
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	brokers := strings.Join(cluster.ListenAddrs(), ",")
	run(t, nil, "topic", "plan", "--brokers", brokers, "--exit-code").demand(t, cli.ExitDifferences,
		"topic dfe_landing  create", "12 partitions, 1 replica, cleanup.policy = delete", "topic dfe_load  report", "6 -> 12", "3 to create, 1 reported; 0 unchanged")
	run(t, nil, "topic", "status", "--brokers", brokers).demand(t, cli.ExitDone,
		"dfe_landing", "absent", "landing", "dead letters", "it has 6 partitions and 12 are declared", "1 broker live")
	var doc struct {
		Version int
		Bus     struct{ Brokers int }
		Topics  []struct{ Name, Outcome string }
	}
	r := run(t, map[string]string{"DFE_ENGINE_KAFKA_BROKERS": brokers}, "topic", "status", "--format", "json", "--exit-code")
	r.demand(t, cli.ExitDifferences)
	decode(t, r.out, &doc)
	if doc.Version != 1 || doc.Bus.Brokers != 1 || len(doc.Topics) != 4 || doc.Topics[0].Outcome != "absent" {
		t.Errorf("the document is %s", r.out)
	}
}

func TestTopicStatusListsWhatIsNoLongerDeclaredWhereAServerIsNamed(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	brokers := strings.Join(cluster.ListenAddrs(), ",")
	tree, data := write(t, garden), filepath.Join(t.TempDir(), "data")
	declare := func(topics string) {
		manifest := filepath.Join(tree, "manifest.hcl")
		text, err := os.ReadFile(manifest)
		if err == nil {
			text, _, _ = bytes.Cut(text, []byte("topic "))
			err = os.WriteFile(manifest, append(text, topics...), 0o600)
		}
		if err := errors.Join(err, os.WriteFile(filepath.Join(tree, "t.hcl"), []byte("partitions = 2\nretention = \"1d\"\n"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	declare("topic \"kept\" { from = \"t.hcl\" }\ntopic \"left\" { from = \"t.hcl\" }\n")
	dfe(t, []string{"DFE_ENGINE_KAFKA_BROKERS=" + brokers}, "schema", "apply", "--tree", tree, "--embedded", data).demand(t, cli.ExitDone, "2 topics created")
	declare("topic \"kept\" { from = \"t.hcl\" }\n")
	_, url := serve(t, "--path", data)
	at := []string{"topic", "status", "--tree", tree, "--brokers", brokers}
	for _, r := range []result{
		run(t, nil, append(at, "--url", url, "--exit-code")...),
		run(t, map[string]string{"DFE_ENGINE_CLICKHOUSE_URL": url}, at...),
	} {
		r.demand(t, cli.ExitDone, "no longer declared", "release 3.1.0 declared it, and it is left alone")
	}
	if r := run(t, nil, at...); r.code != cli.ExitDone || strings.Contains(r.out, "left") {
		t.Errorf("without a server: %s%s", r.out, r.err)
	}
	run(t, nil, append(at, "--url", "http://127.0.0.1:1")...).demand(t, cli.ExitDone, "kept", "the ledger was not read", "nothing listens there")
}

func TestWithoutBrokersTopicsAreSkippedAndThatIsNoFailure(t *testing.T) {
	run(t, nil, "topic", "plan", "--exit-code").demand(t, cli.ExitDone, "no brokers are configured")
	run(t, nil, "topic", "status", "--exit-code").demand(t, cli.ExitDone, "no brokers are configured", "unread")
}

func TestACommandThatCouldNotReadTheBusTellsTheRestAndFails(t *testing.T) {
	data, source := filepath.Join(t.TempDir(), "data"), "../../examples/deployment/sources/web-access.hcl"
	dfe(t, nil, "schema", "apply", "--embedded", data).demand(t, cli.ExitDone)
	for _, command := range []string{"schema plan", "schema plan --exit-code", "schema status", "schema status --exit-code", "source plan " + source, "topic plan", "topic status"} {
		args := strings.Fields(command)
		if args[0] != "topic" {
			args = append(args, "--embedded", data)
		}
		r := dfe(t, []string{"DFE_ENGINE_KAFKA_BROKERS=127.0.0.1:1"}, args...)
		r.demand(t, cli.ExitFailed, "dfe: kafka_unreachable: kafka 127.0.0.1:1: the connection is refused")
		if args[0] != "topic" && r.out == "" {
			t.Errorf("%s tells nothing of ClickHouse", command)
		}
	}
}

func TestABusThatIsDownIsNamed(t *testing.T) {
	for _, command := range []string{"plan", "status"} {
		r := run(t, nil, "topic", command, "--brokers", "127.0.0.1:1")
		r.demand(t, cli.ExitFailed, "127.0.0.1:1: the connection is refused")
		if strings.Contains(r.out, "no difference") {
			t.Errorf("%s says that nothing differs, and compared nothing: %s", command, r.out)
		}
	}
}
