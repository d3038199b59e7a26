package config

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/topics"
	"github.com/dfe-engine/dfe/lang/series"
)

// Config is what the environment says.
type Config struct {
	// Target is the server; its URL is empty where the variable is unset.
	Target catalog.Target
	// Platform is "auto", "cloud" or "self_hosted".
	Platform string
	// Wait is how long an unreachable server is waited for.
	Wait time.Duration
	// MaxQuerySize is the ceiling on the max_query_size sent with DDL, in bytes.
	MaxQuerySize int
	// BootstrapTables says whether a service makes the schema true at boot.
	BootstrapTables bool
	// Tokens is the file that says who may call the routes that change something; empty: nobody.
	Tokens string
	// Overlay is the directory of the deployment's own tree; empty: none.
	Overlay string
	Kafka   Kafka
	// Listen is the address a service answers at, host:port.
	Listen string
	// LogFormat is "json" or "text", LogLevel "debug", "info", "warn" or "error".
	LogFormat, LogLevel string
}

// Kafka is what the environment says of the deployment's bus.
type Kafka struct {
	// Brokers are addresses, host:port; none where the deployment has no bus.
	Brokers []string
	// BootstrapTopics says whether the declared topics are created at boot.
	BootstrapTopics bool
	// TieredStorage sets remote.storage.enable on the landing topic.
	TieredStorage bool
	// MaxMessageBytes is max.message.bytes of every topic created; 0: the manifest's.
	MaxMessageBytes int
	TLS             topics.TLS
	SASL            topics.SASL
}

// Bus is the bus as package topics knows it.
func (k Kafka) Bus() topics.Bus {
	return topics.Bus{Brokers: k.Brokers, TLS: k.TLS, SASL: k.SASL, TieredStorage: k.TieredStorage, MaxMessageBytes: k.MaxMessageBytes}
}

// Variable is one variable of the environment, as help and documentation list it.
type Variable struct {
	Name, Default, Accepts, Does string
	set                          func(*Config, string) error
}

// Error is a variable whose value cannot be used. The value is left out where it is secret. Reason says what is wrong
// where what the variable accepts does not say it.
type Error struct {
	Variable, Value, Accepts, Reason string
}

func (e *Error) Error() string {
	text := e.Variable + " has an unusable value: "
	if e.Value != "" {
		text = fmt.Sprintf("%s=%q is unusable: ", e.Variable, e.Value)
	}
	if e.Reason != "" {
		text += e.Reason + "; "
	}
	return text + "it accepts " + e.Accepts
}

const (
	prefix     = "DFE_ENGINE_"
	clickhouse = prefix + "CLICKHOUSE_"
	kafka      = prefix + "KAFKA_"

	acceptsSeconds = "a whole number of seconds from 0 to 86400"
	// acceptsBytes: below ClickHouse's own default the ceiling would refuse what the server takes.
	acceptsBytes    = "a whole number of bytes from 262144 to 1073741824"
	acceptsMessage  = "a whole number of bytes from 1 to 2147483647"
	acceptsPlatform = "auto, cloud or self_hosted"
	acceptsURL      = "clickhouse://, clickhouses://, http:// or https:// with host, port and database"
	acceptsSwitch   = "true or false"
	acceptsBrokers  = "host:port, or several with commas between them"
	acceptsListen   = "host:port with a port from 0 to 65535; an empty host is every address of the machine"
)

// errUnusable is a value of which what the variable accepts says all that is wrong.
var errUnusable = errors.New("unusable")

// Variables lists every variable, in the order help shows them.
func Variables() []Variable {
	text := func(field func(*Config) *string) func(*Config, string) error {
		return func(c *Config, value string) error { *field(c) = value; return nil }
	}
	return []Variable{
		{clickhouse + "URL", "", acceptsURL, "the server", setURL},
		{clickhouse + "USER", "", "a user's name", "the user to connect as; unset: the URL's, or ClickHouse's default user", text(func(c *Config) *string { return &c.Target.User })},
		{clickhouse + "PASSWORD", "", "the password", "that user's password", text(func(c *Config) *string { return &c.Target.Password })},
		{clickhouse + "PASSWORD_FILE", "", "a path", "a file that holds the password, read at each connection", text(func(c *Config) *string { return &c.Target.PasswordFile })},
		{clickhouse + "TLS_CA_FILE", "", "a path to PEM certificates", "authorities to trust instead of the system's", text(func(c *Config) *string { return &c.Target.CAFile })},
		{clickhouse + "TLS_CERT_FILE", "", "a path to a PEM certificate", "the client's certificate", text(func(c *Config) *string { return &c.Target.CertFile })},
		{clickhouse + "TLS_KEY_FILE", "", "a path to a PEM key", "the client certificate's key", text(func(c *Config) *string { return &c.Target.KeyFile })},
		{clickhouse + "BOOTSTRAP_TABLES", "true", acceptsSwitch, "make the schema true at boot; false gates nothing", setSwitch(func(c *Config) *bool { return &c.BootstrapTables })},
		{clickhouse + "PLATFORM", "auto", acceptsPlatform, "the platform to render for; auto probes the server", setWord(func(c *Config) *string { return &c.Platform }, "auto", "cloud", "self_hosted")},
		{clickhouse + "BOOTSTRAP_WAIT_SECONDS", "180", acceptsSeconds, "how long an unreachable server, a held lease, and then an unreachable bus, are waited for, each", setWait},
		{clickhouse + "DDL_MAX_QUERY_SIZE", "16777216", acceptsBytes, "ceiling on the max_query_size sent with DDL", setBytes(262_144, 1<<30, func(c *Config) *int { return &c.MaxQuerySize })},
		{kafka + "BROKERS", "", acceptsBrokers, "the deployment's bus; unset: it has none, and no topic is created", setBrokers},
		{kafka + "TLS", "false", acceptsSwitch, "encrypt the connection; so does any of the files below", setSwitch(func(c *Config) *bool { return &c.Kafka.TLS.On })},
		{kafka + "TLS_CA_FILE", "", "a path to PEM certificates", "authorities to trust instead of the system's", text(func(c *Config) *string { return &c.Kafka.TLS.CAFile })},
		{kafka + "TLS_CERT_FILE", "", "a path to a PEM certificate", "the client's certificate", text(func(c *Config) *string { return &c.Kafka.TLS.CertFile })},
		{kafka + "TLS_KEY_FILE", "", "a path to a PEM key", "the client certificate's key", text(func(c *Config) *string { return &c.Kafka.TLS.KeyFile })},
		{kafka + "SASL_MECHANISM", "", series.Or(topics.Mechanisms()), "how the brokers learn who is there; unset: they do not", setWord(func(c *Config) *string { return &c.Kafka.SASL.Mechanism }, topics.Mechanisms()...)},
		{kafka + "USER", "", "a user's name", "the user to be to the brokers", text(func(c *Config) *string { return &c.Kafka.SASL.User })},
		{kafka + "PASSWORD", "", "the password", "that user's password", text(func(c *Config) *string { return &c.Kafka.SASL.Password })},
		{kafka + "PASSWORD_FILE", "", "a path", "a file that holds the password, read at each connection", text(func(c *Config) *string { return &c.Kafka.SASL.PasswordFile })},
		{kafka + "BOOTSTRAP_TOPICS", "true", acceptsSwitch, "create the declared topics at boot", setSwitch(func(c *Config) *bool { return &c.Kafka.BootstrapTopics })},
		{kafka + "TIERED_STORAGE", "false", acceptsSwitch, "set remote.storage.enable on the landing topic; false leaves the key unset", setSwitch(func(c *Config) *bool { return &c.Kafka.TieredStorage })},
		{kafka + "TOPIC_MAX_MESSAGE_BYTES", "", acceptsMessage, "max.message.bytes of every topic created; unset: the manifest's", setBytes(1, 1<<31-1, func(c *Config) *int { return &c.Kafka.MaxMessageBytes })},
		{prefix + "SCHEMAS_OVERLAY_DIR", "", "a directory that is there", "the deployment's own additive schema tree", setOverlay},
		{prefix + "API_TOKENS_FILE", "", "a file of tokens that others may not write", "who may call the routes that change something, read at each call; unset: nobody", text(func(c *Config) *string { return &c.Tokens })},
		{prefix + "LISTEN", "127.0.0.1:8480", acceptsListen, "the address a service answers at", setListen},
		{prefix + "LOG_FORMAT", "json", "json or text", "how a service writes its log", setWord(func(c *Config) *string { return &c.LogFormat }, "json", "text")},
		{prefix + "LOG_LEVEL", "info", "debug, info, warn or error", "the least grave line of a service's log", setWord(func(c *Config) *string { return &c.LogLevel }, "debug", "info", "warn", "error")},
	}
}

// Load reads the variables through getenv, which returns "" for an unset one. All unusable values are reported at
// once.
func Load(getenv func(string) string) (Config, error) {
	var (
		c      Config
		faults []error
	)
	for _, v := range Variables() {
		value := getenv(v.Name)
		if value == "" {
			value = v.Default
		}
		if value == "" {
			continue
		}
		err := v.set(&c, value)
		if err == nil {
			continue
		}
		if v.Name == clickhouse+"URL" || v.Name == kafka+"BROKERS" && strings.Contains(value, "@") {
			value = "" // it may hold a password
		}
		fault := &Error{Variable: v.Name, Value: value, Accepts: v.Accepts}
		if !errors.Is(err, errUnusable) {
			fault.Reason = err.Error()
		}
		faults = append(faults, fault)
	}
	if c.Target.Password != "" && c.Target.PasswordFile != "" {
		faults = append(faults, &Error{Variable: clickhouse + "PASSWORD", Accepts: "nothing while " + clickhouse + "PASSWORD_FILE is set"})
	}
	if len(faults) > 0 {
		return c, errors.Join(faults...)
	}
	// Each is usable by itself; this is whether they fit together.
	if err := c.Kafka.Bus().Check(); err != nil {
		return c, fmt.Errorf("the %s* variables do not fit together: %w", kafka, err)
	}
	return c, nil
}

// setURL checks the URL alone: whether it fits the TLS files is known once all variables are read.
func setURL(c *Config, value string) error {
	c.Target.URL = value
	var fault *catalog.TargetError
	if errors.As(catalog.Target{URL: value}.Check(), &fault) {
		return errors.New(fault.Reason)
	}
	return nil
}

func setWord(field func(*Config) *string, words ...string) func(*Config, string) error {
	return func(c *Config, value string) error {
		if !slices.Contains(words, value) {
			return errUnusable
		}
		*field(c) = value
		return nil
	}
}

func setSwitch(field func(*Config) *bool) func(*Config, string) error {
	return func(c *Config, value string) error {
		if value != "true" && value != "false" {
			return errUnusable
		}
		*field(c) = value == "true"
		return nil
	}
}

func setBytes(least, most int, field func(*Config) *int) func(*Config, string) error {
	return func(c *Config, value string) error {
		bytes, err := strconv.Atoi(value)
		if err != nil || bytes < least || bytes > most {
			return errUnusable
		}
		*field(c) = bytes
		return nil
	}
}

func setWait(c *Config, value string) error {
	seconds, err := strconv.Atoi(value)
	if err != nil || seconds < 0 || seconds > 86400 {
		return errUnusable
	}
	c.Wait = time.Duration(seconds) * time.Second
	return nil
}

func setBrokers(c *Config, value string) error {
	brokers := strings.Split(value, ",")
	for i, b := range brokers {
		brokers[i] = strings.TrimSpace(b)
		if err := topics.CheckBroker(brokers[i]); err != nil {
			return errUnusable
		}
	}
	c.Kafka.Brokers = brokers
	return nil
}

func isPort(text string, least uint64) bool {
	port, err := strconv.ParseUint(text, 10, 16)
	return err == nil && port >= least
}

// setOverlay demands the directory itself; what is wrong inside it is reported and never stops the core. A service
// that started without it would come to rest on a schema that lacks the deployment's own half.
func setOverlay(c *Config, value string) error {
	c.Overlay = value
	return CheckDirectory(value)
}

func setListen(c *Config, value string) error {
	c.Listen = value
	if CheckListen(value) != nil {
		return errUnusable
	}
	return nil
}

// CheckListen reports an address that nothing can listen at.
func CheckListen(address string) error {
	_, port, err := net.SplitHostPort(address)
	if err != nil || !isPort(port, 0) {
		return fmt.Errorf("%q is no address to listen at: it is %s", address, acceptsListen)
	}
	return nil
}
