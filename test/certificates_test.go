//go:build unix

package test

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
	"testing"
	"time"

	"software.sslmate.com/src/go-pkcs12"
)

// authority issues certificates into files of a folder.
type authority struct {
	t    *testing.T
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T, name string) *authority {
	t.Helper()
	a := &authority{t: t, dir: t.TempDir()}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	var err error
	a.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	a.cert = template
	a.cert = a.sign(template, &a.key.PublicKey)
	return a
}

func (a *authority) sign(template *x509.Certificate, public *ecdsa.PublicKey) *x509.Certificate {
	a.t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, public, a.key)
	must(a.t, err)
	cert, err := x509.ParseCertificate(der)
	must(a.t, err)
	return cert
}

// issue makes a key and a certificate that is over after a while, for a person
// or for the names of a host.
func (a *authority) issue(person string, life time.Duration, hosts ...string) (*ecdsa.PrivateKey, *x509.Certificate) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(a.t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: person},
		NotBefore: time.Now().Add(-24 * time.Hour), NotAfter: time.Now().Add(life),
	}
	for _, h := range hosts {
		if ip := net.ParseIP(h); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, h)
		}
	}
	return key, a.sign(template, &key.PublicKey)
}

func certPEM(cert *x509.Certificate) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Raw}))
}

func keyPEM(t *testing.T, key *ecdsa.PrivateKey) string {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	must(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

func (a *authority) write(name string, data []byte) string {
	a.t.Helper()
	path := filepath.Join(a.dir, name)
	must(a.t, os.WriteFile(path, data, 0o600))
	return path
}

// trustPEM is the authority itself, as a file.
func (a *authority) trustPEM() string { return a.write("ca.pem", []byte(certPEM(a.cert))) }

// brokerProps are a listener's properties for a certificate of a host.
func (a *authority) brokerProps(name string, life time.Duration, hosts ...string) map[string]string {
	a.t.Helper()
	key, cert := a.issue("broker", life, hosts...)
	return map[string]string{
		"ssl.keystore.type": "PEM", "ssl.keystore.location": a.write(name+".pem", []byte(keyPEM(a.t, key)+certPEM(cert))),
		"ssl.truststore.type": "PEM", "ssl.truststore.location": a.trustPEM(),
	}
}

// pkcs12 writes a person's key store.
func (a *authority) pkcs12(name, password string) string {
	a.t.Helper()
	key, cert := a.issue(name, time.Hour)
	data, err := pkcs12.Modern.Encode(key, cert, []*x509.Certificate{a.cert}, password)
	must(a.t, err)
	return a.write(name+".p12", data)
}
