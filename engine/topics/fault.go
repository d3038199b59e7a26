package topics

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/dfe-engine/dfe/catalog"
)

// ConnectError is a bus that could not be used. Its text is one sentence with a remedy, and never a secret.
type ConnectError struct {
	Bus    string
	Fault  catalog.Fault
	Reason string
	Remedy string
	err    error
}

// Error returns the sentence.
func (e *ConnectError) Error() string { return fmt.Sprintf("%s: %s; %s", e.Bus, e.Reason, e.Remedy) }

// Unwrap returns the client's error.
func (e *ConnectError) Unwrap() error { return e.err }

// ErrorCode is the word by which programs know the error.
func (e *ConnectError) ErrorCode() string {
	if e.Fault == catalog.NotUp {
		return "kafka_unreachable"
	}
	return "kafka_broken"
}

// TopicError is a topic at which a run failed. The report tells the reason at the topic, too.
type TopicError struct{ Topic, Reason string }

func (e *TopicError) Error() string { return fmt.Sprintf("topic %s: %s", e.Topic, e.Reason) }

// IsNotUp reports whether err is a bus that may answer later by itself.
func IsNotUp(err error) bool {
	var c *ConnectError
	return errors.As(err, &c) && c.Fault == catalog.NotUp
}

const (
	remedyStart       = "start a broker, wait for it, or correct DFE_ENGINE_KAFKA_BROKERS"
	remedyCredentials = "correct DFE_ENGINE_KAFKA_SASL_MECHANISM, the user and the password"
	remedyListener    = "see which protocol the listener at this address speaks, and set TLS and SASL to match"
	remedyTrust       = "name the CA that signed the brokers' certificates in DFE_ENGINE_KAFKA_TLS_CA_FILE, and the host name they were made for"
)

// classify turns an error of the client into a [ConnectError]. A cancellation by the caller stays what it is.
func classify(ctx context.Context, bus Bus, err error) error {
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return fmt.Errorf("%s: stopped: %w", bus, cause)
	}
	var known *ConnectError
	if errors.As(err, &known) {
		return err
	}
	c := &ConnectError{Bus: bus.String(), Fault: catalog.Broken, err: err}
	var (
		answer  *kerr.Error
		dns     *net.DNSError
		network net.Error
		record  tls.RecordHeaderError
		alert   *net.OpError
	)
	switch {
	case errors.As(err, &answer):
		c.answered(answer, err)
	case untrusted(err):
		c.Reason, c.Remedy = "a broker's certificate is not trusted ("+rootText(err)+")", remedyTrust
	case errors.As(err, &record), errors.Is(err, syscall.EPROTO):
		c.Reason, c.Remedy = "what listens there does not speak TLS", remedyListener
	case errors.As(err, &alert) && alert.Op == "remote error": // crypto/tls says so of an alert
		c.Reason, c.Remedy = "a broker ends the TLS handshake ("+rootText(err)+")", "give the client certificate it asks for: DFE_ENGINE_KAFKA_TLS_CERT_FILE and _KEY_FILE"
	case errors.As(err, &dns):
		c.Fault, c.Reason, c.Remedy = catalog.NotUp, "the host name "+dns.Name+" does not resolve", "correct it, or wait for the service it names"
	case errors.Is(err, syscall.ECONNREFUSED):
		c.Fault, c.Reason, c.Remedy = catalog.NotUp, "the connection is refused: nothing listens there", remedyStart
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.ENETDOWN):
		c.Fault, c.Reason, c.Remedy = catalog.NotUp, "there is no route to the host", "check the network, or correct DFE_ENGINE_KAFKA_BROKERS"
	case errors.As(err, &network) && network.Timeout(), errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		c.Fault, c.Reason, c.Remedy = catalog.NotUp, "no answer within the time to connect", remedyStart
	case hungUp(err):
		c.Fault, c.Reason, c.Remedy = catalog.NotUp, "the connection is closed before any answer", "wait for the brokers if they are starting, else "+remedyListener
	case kerr.IsRetriable(err), kgo.IsRetryableBrokerErr(err):
		c.Fault, c.Reason, c.Remedy = catalog.NotUp, "no broker is ready ("+rootText(err)+")", remedyStart
	default:
		c.Reason, c.Remedy = noKafka(err), remedyListener
	}
	return c
}

func noKafka(err error) string { return "what answers there is no Kafka (" + rootText(err) + ")" }

// answered tells what a broker's own error means. Codes are those of Kafka's protocol.
func (c *ConnectError) answered(answer *kerr.Error, err error) {
	switch answer {
	case kerr.SaslAuthenticationFailed:
		c.Reason, c.Remedy = "the brokers refuse the user or the password", remedyCredentials
	case kerr.UnsupportedSaslMechanism, kerr.IllegalSaslState:
		c.Reason, c.Remedy = "the listener does not take this SASL mechanism", remedyCredentials
	case kerr.ClusterAuthorizationFailed, kerr.TopicAuthorizationFailed:
		c.Reason, c.Remedy = "the user may not do this: "+text(err), "grant it CREATE and DESCRIBE_CONFIGS on the topics, and DESCRIBE on the cluster"
	default:
		c.Reason, c.Remedy = "a broker answers "+text(err), "see that message"
		if answer.Retriable {
			c.Fault = catalog.NotUp
		}
	}
}

func untrusted(err error) bool {
	var (
		verification *tls.CertificateVerificationError
		authority    x509.UnknownAuthorityError
		hostname     x509.HostnameError
		invalid      x509.CertificateInvalidError
	)
	return errors.As(err, &verification) || errors.As(err, &authority) || errors.As(err, &hostname) || errors.As(err, &invalid)
}

// hungUp reports a connection that the other side closed without an answer.
func hungUp(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, syscall.EPIPE) || errors.Is(err, net.ErrClosed)
}

const longestText = 600

// text is an error on one line, and not longer than a person reads.
func text(err error) string {
	line := strings.Join(strings.Fields(err.Error()), " ")
	if len(line) > longestText {
		line = strings.ToValidUTF8(line[:longestText], "") + " ..."
	}
	return line
}

// rootText is the innermost error's text: the outer ones repeat addresses.
func rootText(err error) string {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return text(err)
		}
		err = next
	}
}
