package config

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/dfe-engine/dfe/catalog"
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
}

// Variable is one variable of the environment, as help and documentation list it.
type Variable struct {
	Name, Default, Accepts, Does string
	set                          func(*Config, string) error
}

// Error is a variable whose value cannot be used. The value is left out where it is secret.
type Error struct {
	Variable, Value, Accepts string
}

func (e *Error) Error() string {
	if e.Value == "" {
		return fmt.Sprintf("%s has an unusable value: it accepts %s", e.Variable, e.Accepts)
	}
	return fmt.Sprintf("%s=%q is unusable: it accepts %s", e.Variable, e.Value, e.Accepts)
}

const (
	prefix = "DFE_ENGINE_CLICKHOUSE_"

	acceptsSeconds = "a whole number of seconds from 0 to 86400"
	// acceptsBytes: below ClickHouse's own default the ceiling would refuse what the server takes.
	acceptsBytes    = "a whole number of bytes from 262144 to 1073741824"
	acceptsPlatform = "auto, cloud or self_hosted"
	acceptsURL      = "clickhouse://, clickhouses://, http:// or https:// with host, port and database"
)

var errUnusable = errors.New("unusable")

// Variables lists every variable, in the order help shows them.
func Variables() []Variable {
	text := func(field func(*Config) *string) func(*Config, string) error {
		return func(c *Config, value string) error { *field(c) = value; return nil }
	}
	return []Variable{
		{prefix + "URL", "", acceptsURL, "the server", setURL},
		{prefix + "USER", "", "a user's name", "the user to connect as; unset: the URL's, or ClickHouse's default user", text(func(c *Config) *string { return &c.Target.User })},
		{prefix + "PASSWORD", "", "the password", "that user's password", text(func(c *Config) *string { return &c.Target.Password })},
		{prefix + "PASSWORD_FILE", "", "a path", "a file that holds the password, read at each connection", text(func(c *Config) *string { return &c.Target.PasswordFile })},
		{prefix + "TLS_CA_FILE", "", "a path to PEM certificates", "authorities to trust instead of the system's", text(func(c *Config) *string { return &c.Target.CAFile })},
		{prefix + "TLS_CERT_FILE", "", "a path to a PEM certificate", "the client's certificate", text(func(c *Config) *string { return &c.Target.CertFile })},
		{prefix + "TLS_KEY_FILE", "", "a path to a PEM key", "the client certificate's key", text(func(c *Config) *string { return &c.Target.KeyFile })},
		{prefix + "PLATFORM", "auto", acceptsPlatform, "the platform to render for; auto probes the server", setPlatform},
		{prefix + "BOOTSTRAP_WAIT_SECONDS", "180", acceptsSeconds, "how long an unreachable server is waited for", setWait},
		{prefix + "DDL_MAX_QUERY_SIZE", "16777216", acceptsBytes, "ceiling on the max_query_size sent with DDL", setMaxQuerySize},
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
		if v.set(&c, value) == nil {
			continue
		}
		if v.Name == prefix+"URL" {
			value = ""
		}
		faults = append(faults, &Error{v.Name, value, v.Accepts})
	}
	if c.Target.Password != "" && c.Target.PasswordFile != "" {
		faults = append(faults, &Error{prefix + "PASSWORD", "", "nothing while " + prefix + "PASSWORD_FILE is set"})
	}
	return c, errors.Join(faults...)
}

// setURL checks the URL alone: whether it fits the TLS files is known once all variables are read.
func setURL(c *Config, value string) error {
	c.Target.URL = value
	return catalog.Target{URL: value}.Check()
}

func setPlatform(c *Config, value string) error {
	switch value {
	case "auto", "cloud", "self_hosted":
		c.Platform = value
		return nil
	}
	return errUnusable
}

func setWait(c *Config, value string) error {
	seconds, err := strconv.Atoi(value)
	if err != nil || seconds < 0 || seconds > 86400 {
		return errUnusable
	}
	c.Wait = time.Duration(seconds) * time.Second
	return nil
}

func setMaxQuerySize(c *Config, value string) error {
	bytes, err := strconv.Atoi(value)
	if err != nil || bytes < 262_144 || bytes > 1<<30 {
		return errUnusable
	}
	c.MaxQuerySize = bytes
	return nil
}
