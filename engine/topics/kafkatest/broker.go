//go:build unix

package kafkatest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/dfe-engine/dfe/engine/internal/jvm"
)

// The user that every listener with SASL knows, by every mechanism; and one that may do nothing that no ACL allows it,
// known by PLAIN with the same password. Everybody else may do everything.
const (
	User     = "dfe"
	Guest    = "guest"
	Password = "a pass-word"
)

// Broker is a broker at work.
type Broker struct {
	// Addresses of the listeners, host:port: without anything, with SASL, with TLS that demands a client certificate, with
	// both SASL and TLS.
	Plain, SASL, TLS, SASLTLS string
	// Dir holds ca.pem, client.pem, client.key, and stranger.pem, an authority nobody has a certificate of.
	Dir string

	process *jvm.Process
}

// shared is the broker of this test binary, which Main ends.
var shared struct {
	sync.Mutex
	broker *Broker
	err    error
	asked  bool
	owned  bool
}

// Runner runs tests: [testing.M] is one.
type Runner interface{ Run() int }

type runner struct{ tests Runner }

// Wrap returns a runner that ends the broker after the tests, for a package that has another server to end too.
func Wrap(m Runner) Runner {
	shared.owned = true
	return runner{m}
}

// Run runs the tests and ends the broker.
func (r runner) Run() int {
	code := r.tests.Run()
	shared.Lock()
	defer shared.Unlock()
	if shared.broker != nil {
		if err := shared.broker.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
	}
	return code
}

// Main runs the tests, ends the broker and exits. It is called from TestMain.
func Main(m Runner) { os.Exit(Wrap(m).Run()) }

// Start returns the broker of this test binary.
func Start(t testing.TB) *Broker {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if !shared.owned {
		t.Fatal("kafkatest: this package has no TestMain that calls kafkatest.Main, so nobody would end the broker")
	}
	if !shared.asked {
		shared.asked = true
		shared.broker, shared.err = start(context.Background())
	}
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.broker
}

const (
	// installWait bounds the fetching of what this machine does not have yet, startWait one start, on a machine that is
	// busy with other tests.
	installWait = 10 * time.Minute
	startWait   = 2 * time.Minute

	tries = 3 // another process may take a port before the broker does
)

func start(ctx context.Context) (*Broker, error) {
	bounded, cancel := context.WithTimeout(ctx, installWait)
	defer cancel()
	f, err := install(bounded, os.Stderr)
	if err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		b, err := launch(ctx, f)
		if err == nil || try == tries || !strings.Contains(err.Error(), "Address already in use") {
			return b, err
		}
	}
}

// java is the arguments of a broker's class.
func java(f files, words ...string) []string {
	return jvm.Command(jvm.Jars(f.jars)+":"+f.policy, words...)
}

func launch(ctx context.Context, f files) (_ *Broker, err error) {
	ctx, cancel := context.WithTimeout(ctx, startWait)
	defer cancel()
	dir, err := os.MkdirTemp("", "dfe-kafka-*")
	if err != nil {
		return nil, err
	}
	b := &Broker{Dir: dir}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.Close())
		}
	}()
	if err := certificates(dir); err != nil {
		return nil, err
	}
	ports, err := jvm.FreePorts(5)
	if err != nil {
		return nil, err
	}
	b.Plain, b.SASL, b.TLS, b.SASLTLS = ports[0], ports[1], ports[2], ports[3]
	properties := filepath.Join(dir, "server.properties")
	if err := os.WriteFile(properties, []byte(b.properties(ports[4])), 0o600); err != nil {
		return nil, err
	}
	format := []string{"kafka.tools.StorageTool", "format", "--standalone", "-t", "AAAAAAAAAAAAAAAAAAAAAQ", "-c", properties}
	for _, mechanism := range []string{"SCRAM-SHA-256", "SCRAM-SHA-512"} {
		format = append(format, "--add-scram", fmt.Sprintf("%s=[name=%s,iterations=4096,password=\"%s\"]", mechanism, User, Password))
	}
	if out, err := exec.CommandContext(ctx, "java", java(f, format...)...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("formatting the test broker's directory: %w: %s", err, out)
	}
	if b.process, err = jvm.Start(filepath.Join(dir, "log"), java(f, "kafka.Kafka", properties)); err != nil {
		return nil, err
	}
	return b, b.ready(ctx)
}

// ready waits until the broker answers and is its own controller.
func (b *Broker) ready(ctx context.Context) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(b.Plain), kgo.DisableClientMetrics())
	if err != nil {
		return err
	}
	defer client.Close()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		asked, stop := context.WithTimeout(ctx, time.Second)
		meta, err := kadm.NewClient(client).BrokerMetadata(asked)
		stop()
		if err == nil && len(meta.Brokers) == 1 && meta.Controller >= 0 {
			return nil
		}
		select {
		case <-b.process.Ended():
			return fmt.Errorf("the test broker ended: %s", b.process.Log())
		case <-ctx.Done():
			return fmt.Errorf("the test broker is not up after %s: %v: %s", startWait, err, b.process.Log())
		case <-tick.C:
		}
	}
}

// Close kills the broker with all it started and removes its directory.
func (b *Broker) Close() error {
	if b.process != nil {
		b.process.Kill()
	}
	return os.RemoveAll(b.Dir)
}

// properties are those of a broker that is its own controller.
func (b *Broker) properties(controller string) string {
	listeners := []struct{ name, address, protocol string }{
		{"PLAIN", b.Plain, "PLAINTEXT"}, {"SASL", b.SASL, "SASL_PLAINTEXT"}, {"TLS", b.TLS, "SSL"}, {"SASLTLS", b.SASLTLS, "SASL_SSL"},
		{"CONTROLLER", controller, "PLAINTEXT"},
	}
	var addresses, protocols []string
	for _, l := range listeners {
		addresses = append(addresses, l.name+"://"+l.address)
		protocols = append(protocols, l.name+":"+l.protocol)
	}
	quoted := `"` + Password + `"`
	lines := []string{
		"process.roles=broker,controller",
		"node.id=1",
		"listeners=" + strings.Join(addresses, ","),
		"listener.security.protocol.map=" + strings.Join(protocols, ","),
		"inter.broker.listener.name=PLAIN",
		"controller.listener.names=CONTROLLER",
		"controller.quorum.bootstrap.servers=" + controller,
		"log.dirs=" + filepath.Join(b.Dir, "data"),
		"offsets.topic.replication.factor=1",
		"create.topic.policy.class.name=dfe.Cap",
		"authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer",
		"super.users=User:ANONYMOUS;User:" + User + ";User:CN=client",
		"ssl.keystore.type=PEM", "ssl.keystore.location=" + filepath.Join(b.Dir, "broker.pem"),
		"ssl.truststore.type=PEM", "ssl.truststore.location=" + filepath.Join(b.Dir, "ca.pem"),
		"listener.name.tls.ssl.client.auth=required",
	}
	for _, l := range []string{"sasl", "sasltls"} {
		lines = append(lines,
			"listener.name."+l+".sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512",
			"listener.name."+l+".plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_"+User+"="+quoted+" user_"+Guest+"="+quoted+";",
			"listener.name."+l+".scram-sha-256.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;",
			"listener.name."+l+".scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;")
	}
	return strings.Join(lines, "\n") + "\n"
}
