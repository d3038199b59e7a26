package topics

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/dfe-engine/dfe/catalog"
)

// explain looks closer at a connection that was closed without a word, or with one that is no Kafka's. A listener that
// wants TLS does that to a connection without, one that has none to a connection with it, one that wants SASL to the first
// request of a nobody, and some to a wrong password: all are there to stay, and none of them says so.
func explain(ctx context.Context, bus Bus, err error) error {
	var fault *ConnectError
	if !errors.As(err, &fault) || !hungUp(err) && fault.Reason != noKafka(fault.err) {
		return err
	}
	encryption, _ := bus.TLS.config() // it was read a moment ago
	for _, address := range bus.Brokers {
		switch {
		case encryption == nil && speaksTLS(ctx, address):
			fault.Reason, fault.Remedy = address+" speaks TLS, and the connection is without", "set DFE_ENGINE_KAFKA_TLS to true"
		case encryption != nil && answersVersions(ctx, address, nil):
			fault.Reason, fault.Remedy = address+" does not speak TLS", "set DFE_ENGINE_KAFKA_TLS to false and name no file, or give the address of the listener that does"
		case bus.SASL.Mechanism == "" && answersVersions(ctx, address, encryption):
			fault.Reason = address + " answers and then closes the connection: it wants to know who is there"
			fault.Remedy = "set DFE_ENGINE_KAFKA_SASL_MECHANISM, the user and the password"
		case bus.SASL.Mechanism != "" && answersVersions(ctx, address, encryption):
			fault.Reason = address + " answers, and closes the connection when it is told who is there"
			fault.Remedy = remedyCredentials
		default:
			continue
		}
		fault.Fault = catalog.Broken
		return err
	}
	return err
}

// probeTimeout bounds one look: a listener that speaks something else waits for more, and never gets it.
const probeTimeout = 2 * time.Second

// dial opens a connection for one look.
func dial(ctx context.Context, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{Timeout: probeTimeout}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return conn, conn.SetDeadline(time.Now().Add(probeTimeout))
}

// speaksTLS reports a listener that shows a certificate, whoever signed it.
func speaksTLS(ctx context.Context, address string) bool {
	conn, err := dial(ctx, address)
	if err != nil {
		return false
	}
	defer conn.Close()
	shown := false
	// Nothing is ever sent over this connection: it ends with the certificate.
	_ = tls.Client(conn, &tls.Config{InsecureSkipVerify: true, VerifyConnection: func(tls.ConnectionState) error {
		shown = true
		return errors.New("seen")
	}}).HandshakeContext(ctx)
	return shown
}

// answersVersions reports a listener that answers the one request a broker answers to everybody.
func answersVersions(ctx context.Context, address string, encryption *tls.Config) bool {
	conn, err := dial(ctx, address)
	if err != nil {
		return false
	}
	defer conn.Close()
	if encryption != nil {
		named := encryption.Clone()
		named.ServerName, _, _ = net.SplitHostPort(address)
		conn = tls.Client(conn, named)
	}
	const correlation = 0x64666521
	if _, err := conn.Write(kmsg.NewRequestFormatter().AppendRequest(nil, kmsg.NewPtrApiVersionsRequest(), correlation)); err != nil {
		return false
	}
	var answer [8]byte // its size, and the number the request gave it
	_, err = io.ReadFull(conn, answer[:])
	return err == nil && binary.BigEndian.Uint32(answer[4:]) == correlation
}
