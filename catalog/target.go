package catalog

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// Target is a server and the identity to use there. The zero value of every field but URL is usable.
type Target struct {
	// URL is clickhouse://, clickhouses://, http:// or https:// with host, optional port and optional database.
	// A user, or a user and a password, may stand in it; User, Password and PasswordFile win.
	URL      string
	User     string
	Password string
	// PasswordFile is read each time a connection is opened, so that a rotated secret needs no restart. A newline at its
	// end is no part of the password.
	PasswordFile string
	// CAFile holds PEM certificates to trust instead of the system's; CertFile and KeyFile are the client's own
	// pair. They need a TLS scheme (clickhouses, https).
	CAFile, CertFile, KeyFile string
	// DialTimeout and ReadTimeout bound reaching the server and the silence between two blocks of an answer.
	// Zero: 5 s and 5 min.
	DialTimeout, ReadTimeout time.Duration
}

const (
	defaultDialTimeout = 5 * time.Second
	// defaultReadTimeout outlives the server's own wait for a distributed statement (distributed_ddl_task_timeout,
	// 180 s by default).
	defaultReadTimeout = 5 * time.Minute
)

// TargetError is a target that names no server one could try: a fault of the caller's, found before anything is
// sent.
type TargetError struct {
	Reason string
	Remedy string
}

// Error returns the reason and the remedy.
func (e *TargetError) Error() string { return e.Reason + ": " + e.Remedy }

// Check reports a [TargetError] for a target that cannot be used, without touching network or files.
func (t Target) Check() error {
	_, _, err := t.parse()
	return err
}

// CheckFiles finds the files of the target that cannot be used, all at once, as [CheckFiles] does.
func (t Target) CheckFiles() error { return CheckFiles(t.tlsFiles(), t.PasswordFile) }

func (t Target) tlsFiles() TLSFiles { return TLSFiles{t.CAFile, t.CertFile, t.KeyFile} }

// String returns the URL without user and password, for messages and logs. It is what every verb of fmt prints.
func (t Target) String() string {
	u, _, err := t.parse()
	if err != nil {
		return "(unusable URL)"
	}
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	return shown.String()
}

// HasURLPassword reports whether the URL itself carries a password.
func (t Target) HasURLPassword() bool {
	u, err := url.Parse(t.URL)
	if err != nil || u.User == nil {
		return false
	}
	_, has := u.User.Password()
	return has
}

func (t Target) parse() (*url.URL, scheme, error) {
	u, s, err := parseURL(t.URL)
	if err != nil {
		return nil, scheme{}, err
	}
	if !s.tls && (t.CAFile != "" || t.CertFile != "" || t.KeyFile != "") {
		return nil, scheme{}, &TargetError{"TLS files are given for a URL without TLS", "use " + u.Scheme + "s:// or leave them out"}
	}
	if (t.CertFile == "") != (t.KeyFile == "") {
		return nil, scheme{}, &TargetError{"a client certificate needs its key and a key its certificate", "give both files or none"}
	}
	if t.Password != "" && t.PasswordFile != "" {
		return nil, scheme{}, &TargetError{"both a password and a password file are given", "keep one"}
	}
	return u, s, nil
}

// Secret returns the password the target connects with, "" for none.
func (t Target) Secret() (string, error) {
	o, err := t.options()
	if err != nil {
		return "", err
	}
	return o.Auth.Password, nil
}

// options builds clickhouse-go's options, reading the files the target names.
func (t Target) options() (*clickhouse.Options, error) {
	u, s, err := t.parse()
	if err != nil {
		return nil, err
	}
	o := &clickhouse.Options{
		Protocol:    s.protocol,
		Addr:        []string{net.JoinHostPort(u.Hostname(), s.port)},
		DialTimeout: t.DialTimeout,
		ReadTimeout: t.ReadTimeout,
		// A pass reads and sends one thing at a time; the second connection is the lease's.
		MaxOpenConns: 4,
		MaxIdleConns: 2,
	}
	o.DialContext = func(ctx context.Context, address string) (net.Conn, error) {
		dialer := net.Dialer{Timeout: o.DialTimeout}
		if o.Protocol == clickhouse.Native && o.TLS != nil {
			return (&tls.Dialer{NetDialer: &dialer, Config: o.TLS}).DialContext(ctx, "tcp", address)
		}
		return dialer.DialContext(ctx, "tcp", address)
	}
	if u.Port() != "" {
		o.Addr[0] = u.Host
	}
	o.Auth.Database = strings.TrimPrefix(u.Path, "/")
	if u.User != nil {
		o.Auth.Username = u.User.Username()
		o.Auth.Password, _ = u.User.Password()
	}
	if t.User != "" {
		o.Auth.Username = t.User
	}
	if t.Password != "" {
		o.Auth.Password = t.Password
	}
	if t.PasswordFile != "" {
		if o.Auth.Password, err = ReadPassword(t.PasswordFile); err != nil {
			return nil, err
		}
	}
	if err := durations(u.Query(), o); err != nil {
		return nil, err
	}
	if s.tls {
		if o.TLS, err = t.tlsFiles().Config(); err != nil {
			return nil, err
		}
		o.TLS.ServerName = u.Hostname()
	}
	return o, nil
}

// Format prints [Target.String], so that no verb shows a secret.
func (t Target) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(t.String())) }

// LogValue keeps secrets out of logs.
func (t Target) LogValue() slog.Value { return slog.StringValue(t.String()) }
