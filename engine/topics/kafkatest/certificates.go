package kafkatest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// certificates makes an authority, and a certificate of the broker and one of a client that it signed, in dir: ca.pem,
// broker.pem (with its key), client.pem and client.key; and stranger.pem, an authority that signed nothing.
func certificates(dir string) error {
	authority, key, err := signed("authority", nil, nil)
	if err != nil {
		return err
	}
	stranger, _, err := signed("stranger", nil, nil)
	if err != nil {
		return err
	}
	texts := map[string][]byte{"ca.pem": certificatePEM(authority), "stranger.pem": certificatePEM(stranger)}
	for _, name := range []string{"broker", "client"} {
		certificate, own, err := signed(name, authority, key)
		if err != nil {
			return err
		}
		der, err := x509.MarshalPKCS8PrivateKey(own)
		if err != nil {
			return err
		}
		private := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
		texts[name+".key"] = private
		texts[name+".pem"] = certificatePEM(certificate)
		if name == "broker" {
			texts[name+".pem"] = append(append(private, certificatePEM(certificate)...), certificatePEM(authority)...)
		}
	}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func certificatePEM(c *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})
}

// signed makes a certificate signed by another, or by itself where there is none.
func signed(name string, by *x509.Certificate, with *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		return nil, nil, err
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	if by == nil {
		template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
		by, with = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, by, &key.PublicKey, with)
	if err != nil {
		return nil, nil, err
	}
	c, err := x509.ParseCertificate(der)
	return c, key, err
}
