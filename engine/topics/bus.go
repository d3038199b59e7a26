package topics

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/lang/series"
	"github.com/dfe-engine/dfe/rules"
)

// Bus is how a deployment's Kafka is reached, and what the deployment demands of every topic. Without brokers there is
// none.
type Bus struct {
	Brokers []string // addresses, host:port
	TLS     TLS
	SASL    SASL
	// TieredStorage sets remote.storage.enable on the landing topic; off leaves the key unset.
	TieredStorage bool
	// MaxMessageBytes is max.message.bytes of every topic created; 0: the definition's.
	MaxMessageBytes int
}

// TLS is how the connection is encrypted. The files are PEM and are read at each connection.
type TLS struct {
	// On encrypts; so does any of the files.
	On bool
	// CAFile holds the authorities to trust instead of the system's; CertFile and KeyFile are the client's own.
	CAFile, CertFile, KeyFile string
}

// The mechanisms of [SASL].
const (
	Plain       = "PLAIN"
	ScramSHA256 = "SCRAM-SHA-256"
	ScramSHA512 = "SCRAM-SHA-512"
)

// Mechanisms lists the mechanisms.
func Mechanisms() []string { return []string{Plain, ScramSHA256, ScramSHA512} }

// SASL is who the engine is to the brokers. An empty mechanism is nobody.
type SASL struct {
	Mechanism, User, Password string
	// PasswordFile holds the password instead; it is read at each connection.
	PasswordFile string
}

// BusError is a bus that cannot be used as it is described. Nothing was asked of it.
type BusError struct{ Reason string }

func (e *BusError) Error() string { return "the bus cannot be used: " + e.Reason }

func busFault(format string, args ...any) error { return &BusError{fmt.Sprintf(format, args...)} }

// CheckBroker reports an address that no broker can have. What stands before an @ may be a password and is not shown.
func CheckBroker(address string) error {
	if at := strings.LastIndexByte(address, '@'); at >= 0 {
		return busFault("%q is no address of a broker: it is host:port, and who the engine is to the brokers stands apart from it", "...@"+address[at+1:])
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil || host == "" || strings.ContainsAny(host, "/ \t") {
		return busFault("%q is no address of a broker: it is host:port", address)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return busFault("%q has no port from 1 to 65535", address)
	}
	return nil
}

// Check finds what is wrong with the description, with no broker and no file.
func (b Bus) Check() error {
	for _, address := range b.Brokers {
		if err := CheckBroker(address); err != nil {
			return err
		}
	}
	switch s := b.SASL; {
	case (b.TLS.CertFile == "") != (b.TLS.KeyFile == ""):
		return busFault("a client certificate and its key go together: one of the two files is named")
	case s.Mechanism == "" && (s.User != "" || s.Password != "" || s.PasswordFile != ""):
		return busFault("there are credentials and no SASL mechanism to give them by (%s)", series.Or(Mechanisms()))
	case s.Mechanism == "":
		return nil
	case s.Mechanism != Plain && s.Mechanism != ScramSHA256 && s.Mechanism != ScramSHA512:
		return busFault("%q is no SASL mechanism: it is %s", s.Mechanism, series.Or(Mechanisms()))
	case s.User == "":
		return busFault("SASL %s needs a user", s.Mechanism)
	case s.Password == "" && s.PasswordFile == "":
		return busFault("SASL %s needs a password, or a file that holds it", s.Mechanism)
	case s.Password != "" && s.PasswordFile != "":
		return busFault("a password and a file that holds one are given: give one")
	}
	return nil
}

// Rules is what the rules know of the bus.
func (b Bus) Rules(brokers int) rules.Bus {
	return rules.Bus{Brokers: brokers, TieredStorage: b.TieredStorage, MaxMessageBytes: b.MaxMessageBytes}
}

func (b Bus) String() string { return "kafka " + strings.Join(b.Brokers, ",") }

// files are what an encrypted connection reads.
func (t TLS) files() catalog.TLSFiles {
	return catalog.TLSFiles{CA: t.CAFile, Cert: t.CertFile, Key: t.KeyFile}
}

// CheckFiles finds the files of the description that cannot be used, all at once and with no broker: see
// [catalog.CheckFiles].
func (b Bus) CheckFiles() error { return catalog.CheckFiles(b.TLS.files(), b.SASL.PasswordFile) }

// config reads the files. It returns nil where the connection is not encrypted.
func (t TLS) config() (*tls.Config, error) {
	if t == (TLS{}) {
		return nil, nil
	}
	return t.files().Config()
}

func (s SASL) mechanism() (sasl.Mechanism, error) {
	password := s.Password
	if s.PasswordFile != "" {
		var err error
		if password, err = catalog.ReadPassword(s.PasswordFile); err != nil {
			return nil, err
		}
	}
	switch s.Mechanism {
	case Plain:
		return plain.Auth{User: s.User, Pass: password}.AsMechanism(), nil
	case ScramSHA256:
		return scram.Auth{User: s.User, Pass: password}.AsSha256Mechanism(), nil
	case ScramSHA512:
		return scram.Auth{User: s.User, Pass: password}.AsSha512Mechanism(), nil
	}
	return nil, errors.New("no mechanism") // Check was asked before
}
