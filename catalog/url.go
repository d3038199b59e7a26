package catalog

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// scheme is how a URL scheme reaches the server; ports are ClickHouse's defaults.
type scheme struct {
	protocol clickhouse.Protocol
	tls      bool
	port     string
}

func schemeOf(name string) (scheme, bool) {
	switch name {
	case "clickhouse":
		return scheme{clickhouse.Native, false, "9000"}, true
	case "clickhouses":
		return scheme{clickhouse.Native, true, "9440"}, true
	case "http":
		return scheme{clickhouse.HTTP, false, "8123"}, true
	case "https":
		return scheme{clickhouse.HTTP, true, "8443"}, true
	}
	return scheme{}, false
}

// encoded is the remedy where a character of a user or a password may have been read as one of the URL's own.
const encoded = "write scheme://user@host:port/database, with special characters percent-encoded"

// parseURL reads the URL of a server. The error is a [*TargetError], and shows nothing that may be part of a password.
func parseURL(text string) (*url.URL, scheme, error) {
	fault := func(reason, remedy string) (*url.URL, scheme, error) {
		return nil, scheme{}, &TargetError{reason, remedy}
	}
	if text == "" {
		return fault("no server is named", "give a URL such as https://clickhouse.example:8443")
	}
	if !strings.Contains(text, "://") {
		return fault("the server's URL has no scheme", "write scheme://host:port, and use clickhouse, clickhouses, http or https")
	}
	u, err := url.Parse(text)
	if err != nil {
		// url.Error quotes the whole input, a password included; its cause alone may quote the part at fault.
		return fault("the server's URL cannot be read", encoded)
	}
	s, ok := schemeOf(u.Scheme)
	switch {
	case !ok:
		return fault(fmt.Sprintf("the server's URL has the scheme %q", u.Scheme), "use clickhouse, clickhouses, http or https")
	case u.Hostname() == "":
		return fault("the server's URL names no host", "write "+u.Scheme+"://host:"+s.port)
	case strings.Contains(u.EscapedPath(), "@"):
		return fault("the server's URL has an @ behind the host", encoded)
	case u.Fragment != "" || strings.HasSuffix(text, "#"):
		return fault("the server's URL has a #, which ends what is sent to a server", encoded)
	}
	// Port leaves out one that is no number, and url.Parse refuses it.
	if port := cmp.Or(u.Port(), s.port); !isPort(port) {
		return fault("the server's URL has the port "+port, "give one from 1 to 65535, as in "+u.Scheme+"://host:"+s.port)
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil || strings.Contains(u.RawQuery, "@") {
		return fault("what is behind the ? of the server's URL cannot be read", encoded)
	}
	for parameter := range query {
		if !slices.Contains([]string{"dial_timeout", "read_timeout"}, parameter) {
			return fault(fmt.Sprintf("the server's URL has the parameter %q", parameter),
				"only dial_timeout and read_timeout are taken from it; credentials and TLS files come from the environment")
		}
	}
	if err := durations(query, &clickhouse.Options{}); err != nil {
		return nil, scheme{}, err
	}
	return u, s, nil
}

// isPort reports a port that something can listen at.
func isPort(text string) bool {
	port, err := strconv.ParseUint(text, 10, 16)
	return err == nil && port > 0
}

// durations takes the times that a URL gives, and the defaults of those it does not.
func durations(query url.Values, o *clickhouse.Options) error {
	for name, into := range map[string]*time.Duration{"dial_timeout": &o.DialTimeout, "read_timeout": &o.ReadTimeout} {
		text := query.Get(name)
		if text == "" {
			continue
		}
		d, err := time.ParseDuration(text)
		if err != nil || d <= 0 {
			return &TargetError{fmt.Sprintf("%s=%q is no duration", name, text), "write a positive one such as 10s"}
		}
		*into = d
	}
	o.DialTimeout = cmp.Or(o.DialTimeout, defaultDialTimeout)
	o.ReadTimeout = cmp.Or(o.ReadTimeout, defaultReadTimeout)
	return nil
}
