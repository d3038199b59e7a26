package catalog

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/dfe-engine/dfe/lang/regular"
)

// FileUse is what a file with a credential, or with whom to trust, is for.
type FileUse string

// The uses of a file.
const (
	UseCA       FileUse = "CA file"
	UseCert     FileUse = "client certificate"
	UseKey      FileUse = "client key"
	UsePassword FileUse = "password file"
)

// FileError is a file that cannot be used: it is absent, closed to this process, or not what it should be. It never shows
// what is in one.
type FileError struct {
	// Uses are those of the file at fault; of two, where a certificate and a key do not go together.
	Uses   []FileUse
	Reason string
	Remedy string
}

// Error returns the reason and the remedy.
func (e *FileError) Error() string { return e.Reason + ": " + e.Remedy }

func unreadable(use FileUse, path string, err error) error {
	return &FileError{[]FileUse{use}, fmt.Sprintf("the %s %s cannot be read (%v)", use, path, regular.Reason(err)), "make it readable for this process, or name another"}
}

// ReadPassword returns the password that a file holds, without the ends of lines behind it. An empty one is none. The
// error is a [*FileError].
func ReadPassword(path string) (string, error) {
	text, err := ReadSecret(path)
	if err != nil {
		return "", unreadable(UsePassword, path, err)
	}
	password := strings.TrimRight(string(text), "\r\n")
	if password == "" {
		return "", &FileError{[]FileUse{UsePassword}, fmt.Sprintf("the %s %s is empty", UsePassword, path), "write the password into it"}
	}
	return password, nil
}

// TLSFiles are the PEM files of an encrypted connection. Each may be left out; a certificate and its key go together.
type TLSFiles struct {
	// CA holds the authorities to trust instead of the system's; Cert and Key are the client's own pair.
	CA, Cert, Key string
}

// Config reads the files. The error is a [*FileError].
func (f TLSFiles) Config() (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if f.CA != "" {
		pem, err := ReadSecret(f.CA)
		if err != nil {
			return nil, unreadable(UseCA, f.CA, err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, &FileError{[]FileUse{UseCA}, fmt.Sprintf("the %s %s holds no PEM certificate", UseCA, f.CA), "give one or more certificates in PEM form"}
		}
	}
	if f.Cert == "" && f.Key == "" {
		return c, nil
	}
	certificate, err := ReadSecret(f.Cert)
	if err != nil {
		return nil, unreadable(UseCert, f.Cert, err)
	}
	key, err := ReadSecret(f.Key)
	if err != nil {
		return nil, unreadable(UseKey, f.Key, err)
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return nil, &FileError{[]FileUse{UseCert, UseKey}, fmt.Sprintf("the %s %s with the key %s cannot be used (%v)", UseCert, f.Cert, f.Key, err), "give a pair in PEM form that goes together"}
	}
	c.Certificates = []tls.Certificate{pair}
	return c, nil
}

// CheckFiles finds the files that cannot be used, all at once, with no server. What a pipe holds can be read only once,
// and is not looked at. Every error that is joined is a [*FileError].
func CheckFiles(f TLSFiles, password string) error {
	var faults []error
	if f.CA != "" && !isPipe(f.CA) {
		_, err := TLSFiles{CA: f.CA}.Config()
		faults = append(faults, err)
	}
	if (f.Cert != "" || f.Key != "") && !isPipe(f.Cert) && !isPipe(f.Key) {
		_, err := TLSFiles{Cert: f.Cert, Key: f.Key}.Config()
		faults = append(faults, err)
	}
	if password != "" && !isPipe(password) {
		_, err := ReadPassword(password)
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

func isPipe(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().Type() == fs.ModeNamedPipe
}
