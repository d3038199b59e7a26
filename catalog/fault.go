package catalog

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// Fault says which of two very different things keeps a server from answering.
type Fault string

const (
	// NotUp is a server that may answer later by itself: refused, silent, without a route, starting, overloaded.
	NotUp Fault = "not up yet"
	// Broken is a server that will give the same answer until someone changes something: a wrong password, an
	// unknown database, a certificate nobody trusts, something that is no ClickHouse.
	Broken Fault = "broken"
)

// ConnectError is a server that could not be used. Its text is one sentence with a remedy, and never a secret.
type ConnectError struct {
	Target string
	Fault  Fault
	Reason string
	Remedy string
	// Code is ClickHouse's own, or 0 where no ClickHouse answered.
	Code int32
	err  error
}

// Error returns the sentence.
func (e *ConnectError) Error() string {
	return fmt.Sprintf("%s: %s; %s", e.Target, e.Reason, e.Remedy)
}

// Unwrap returns the driver's error, for errors.Is and errors.As. Its text is not for people: it may name the user.
func (e *ConnectError) Unwrap() error { return e.err }

// IsNotUp reports whether err is a server that may answer later.
func IsNotUp(err error) bool {
	var c *ConnectError
	return errors.As(err, &c) && c.Fault == NotUp
}

// Exception returns ClickHouse's own answer in err, if there is one.
func Exception(err error) (*clickhouse.Exception, bool) {
	var e *clickhouse.Exception
	ok := errors.As(err, &e)
	return e, ok
}

// notReady reports a code of ClickHouse's ErrorCodes.cpp by which a server that answers says: later.
func notReady(code int32) bool {
	switch code {
	case 159, // TIMEOUT_EXCEEDED
		202, // TOO_MANY_SIMULTANEOUS_QUERIES
		203, // NO_FREE_CONNECTION
		209, // SOCKET_TIMEOUT
		210, // NETWORK_ERROR
		236, // ABORTED: shutting down
		439, // CANNOT_SCHEDULE_TASK
		695, // ASYNC_LOAD_WAIT_FAILED: starting
		745, // SERVER_OVERLOADED
		999: // KEEPER_EXCEPTION
		return true
	}
	return false
}

// wrongCredentials reports a code that refuses the user or the password. Current servers say 516 for all of them.
func wrongCredentials(code int32) bool {
	switch code {
	case 192, // UNKNOWN_USER
		193, // WRONG_PASSWORD
		194, // REQUIRED_PASSWORD
		516: // AUTHENTICATION_FAILED
		return true
	}
	return false
}

const (
	codeUnknownDatabase    = 81
	codeAddressNotAllowed  = 195
	codeAccessDenied       = 497
	remedyStart            = "start it, wait for it, or correct the URL"
	remedyNotClickHouse    = "give the port where ClickHouse listens for this scheme (9000 clickhouse, 9440 clickhouses, 8123 http, 8443 https)"
	remedyTLS              = "name the CA that signed the server's certificate, and the host name it was made for"
	remedyCredentials      = "correct the user and the password of the connection"
	longestMessageOfServer = 4000 // bytes; what to do about it tends to stand at the end
)

// classify turns an error of the driver into a [ConnectError]. A cancellation by the caller stays what it is.
func classify(ctx context.Context, target string, err error) error {
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); errors.Is(cause, errNoAnswer) {
		return &ConnectError{Target: target, Fault: NotUp, Reason: "no answer within the time to read",
			Remedy: "look at system.processes for what holds it up, or raise read_timeout in the URL", err: err}
	} else if cause != nil {
		return fmt.Errorf("%s: stopped: %w", target, cause)
	}
	var (
		aim  *TargetError
		file *FileError
	)
	if errors.As(err, &aim) || errors.As(err, &file) {
		return err
	}
	c := &ConnectError{Target: target, err: err}
	if e, ok := Exception(err); ok {
		c.Code = e.Code
		c.answered(e)
		return c
	}
	c.unanswered(err)
	return c
}

func (c *ConnectError) answered(e *clickhouse.Exception) {
	c.Fault = Broken
	switch {
	case notReady(e.Code):
		c.Fault, c.Reason, c.Remedy = NotUp, "the server is not ready: "+ServerMessage(e), "wait for it"
	case wrongCredentials(e.Code):
		c.Reason, c.Remedy = "the server refuses the user or the password", remedyCredentials
	case e.Code == codeUnknownDatabase:
		c.Reason, c.Remedy = "the database in the URL does not exist there", "leave it out of the URL: the schema names its own databases"
	case e.Code == codeAddressNotAllowed:
		c.Reason, c.Remedy = "the server accepts this user from other addresses alone", "allow this address in the user's definition"
	case e.Code == codeAccessDenied:
		c.Reason, c.Remedy = "the user may not do this: "+ServerMessage(e), "grant it"
	default:
		c.Reason, c.Remedy = "the server answers "+ServerMessage(e), "see that message"
	}
}

func (c *ConnectError) unanswered(err error) {
	var (
		network   net.Error
		dns       *net.DNSError
		status    *clickhouse.HTTPError
		record    tls.RecordHeaderError
		untrusted *tls.CertificateVerificationError
		alert     tls.AlertError
		authority x509.UnknownAuthorityError
		hostname  x509.HostnameError
	)
	c.Fault = Broken
	switch {
	case errors.As(err, &dns):
		c.Fault, c.Reason, c.Remedy = NotUp, "the host name does not resolve", "correct it, or wait for the service it names"
	case errors.Is(err, syscall.ECONNREFUSED):
		c.Fault, c.Reason, c.Remedy = NotUp, "the connection is refused: nothing listens there", remedyStart
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.ENETDOWN):
		c.Fault, c.Reason, c.Remedy = NotUp, "there is no route to the host", "check the network, or correct the URL"
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		c.Reason, c.Remedy = "what listens there does not speak TLS", remedyNotClickHouse
	case errors.As(err, &untrusted), errors.As(err, &authority), errors.As(err, &hostname):
		c.Reason, c.Remedy = "the server's certificate is not trusted ("+rootText(err)+")", remedyTLS
	case errors.As(err, &alert):
		c.Reason, c.Remedy = "the server ends the TLS handshake ("+alert.Error()+")", "give the client certificate it asks for, or a TLS version it accepts"
	case errors.As(err, &network) && network.Timeout(), errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, clickhouse.ErrAcquireConnTimeout):
		c.Fault, c.Reason, c.Remedy = NotUp, "no answer within the time to connect", remedyStart
	case errors.As(err, &status):
		c.byStatus(status)
	case hungUp(err):
		c.Fault, c.Reason, c.Remedy = NotUp, "the connection is closed before any answer", "wait for the server if it is starting, else "+remedyNotClickHouse
	default:
		c.Reason, c.Remedy = "what answers there is no ClickHouse ("+rootText(err)+")", remedyNotClickHouse
	}
}

// hungUp reports a connection that the other side closed without an answer.
func hungUp(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, syscall.EPIPE) || errors.Is(err, net.ErrClosed) ||
		// net/http keeps the error to itself by which it says that the server closed before the request was written.
		strings.HasSuffix(err.Error(), "http: server closed idle connection")
}

func (c *ConnectError) byStatus(status *clickhouse.HTTPError) {
	switch status.StatusCode {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout, http.StatusTooManyRequests:
		c.Fault, c.Reason, c.Remedy = NotUp, fmt.Sprintf("the answer is HTTP status %d", status.StatusCode), remedyStart
	case http.StatusUnauthorized, http.StatusForbidden:
		c.Reason, c.Remedy = fmt.Sprintf("the answer is HTTP status %d", status.StatusCode), remedyCredentials
	default:
		c.Reason, c.Remedy = fmt.Sprintf("what answers there is no ClickHouse (HTTP status %d)", status.StatusCode), remedyNotClickHouse
	}
}

// ServerMessage returns ClickHouse's message with its code, without the version it appends, on one line.
func ServerMessage(e *clickhouse.Exception) string { return ServerText(e.Code, e.Message) }

// ServerText is [ServerMessage] of an exception that a system table reports.
func ServerText(code int32, text string) string {
	if cut := strings.LastIndex(text, " (version "); cut >= 0 {
		text = text[:cut]
	}
	text = strings.TrimPrefix(text, "DB::Exception: ")
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > longestMessageOfServer {
		text = text[:longestMessageOfServer]
		text = strings.ToValidUTF8(text[:max(strings.LastIndexByte(text, ' '), 0)], "") + " ..."
	}
	return fmt.Sprintf("code %d: %s", code, text)
}

// rootText is the innermost error's text: the outer ones repeat addresses and users.
func rootText(err error) string {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			text := strings.Join(strings.Fields(err.Error()), " ")
			if len(text) > 200 {
				text = strings.ToValidUTF8(text[:200], "") + " ..."
			}
			return text
		}
		err = next
	}
}
