package profile

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/youmark/pkcs8"
	"software.sslmate.com/src/go-pkcs12"

	"sharetop/model"
)

const (
	storePassword = "st0re-pl4nted"
	keyPassword   = "k3y-pl4nted"
)

// identity is a certificate that signed itself.
type identity struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newIdentity(t *testing.T, name string) identity {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	must(t, err)
	cert, err := x509.ParseCertificate(der)
	must(t, err)
	return identity{cert, key}
}

func (i identity) certPEM() string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: i.cert.Raw}))
}

func (i identity) keyPEM(t *testing.T) string {
	der, err := x509.MarshalPKCS8PrivateKey(i.key)
	must(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

func (i identity) encryptedPEM(t *testing.T) string {
	der, err := pkcs8.MarshalPrivateKey(i.key, []byte(keyPassword), nil)
	must(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "ENCRYPTED PRIVATE KEY", Bytes: der}))
}

// keytool runs Java's own tool in dir, or skips the test.
func keytool(t *testing.T, dir string, args ...string) {
	t.Helper()
	path, err := exec.LookPath("keytool")
	if err != nil {
		t.Skip("keytool is not installed: stores made by Java were not read")
	}
	cmd := exec.CommandContext(t.Context(), path, append(args, "-J-XX:TieredStopAtLevel=1")...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("keytool %v: %v\n%s", args, err, out)
	}
}

func read(t *testing.T, parts ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(parts...))
	must(t, err)
	return data
}

func secret(s string) model.Secret { return model.NewSecret(s) }

// TestStoresOfJava reads what keytool writes, with names that lie.
func TestStoresOfJava(t *testing.T) {
	dir := t.TempDir()
	ca := newIdentity(t, "test authority")
	must(t, os.WriteFile(filepath.Join(dir, "ca.pem"), []byte(ca.certPEM()), 0o600))
	gen := func(kind, file string, more ...string) {
		keytool(t, dir, append([]string{
			"-genkeypair", "-alias", "k", "-keyalg", "RSA", "-dname", "CN=client", "-storetype", kind,
			"-keystore", file, "-storepass", storePassword,
		}, more...)...)
	}
	trust := func(kind, file string) {
		keytool(t, dir, "-importcert", "-noprompt", "-alias", "ca", "-file", "ca.pem", "-storetype", kind, "-keystore", file,
			"-storepass", storePassword)
	}
	gen("JKS", "key.p12", "-keypass", keyPassword)
	gen("PKCS12", "key.jks")
	trust("JKS", "trust.p12")
	trust("PKCS12", "trust.jks")

	for file, kind := range map[string]storeKind{"key.p12": storeJKS, "key.jks": storePKCS12, "trust.p12": storeJKS, "trust.jks": storePKCS12} {
		data := read(t, dir, file)
		if got := kindOf(data); got != kind {
			t.Errorf("%s is taken for %s, it is %s", file, got, kind)
		}
		if strings.HasPrefix(file, "key") {
			checkKeyStore(t, kind, data)
		} else {
			checkTrustStore(t, kind, data, ca)
		}
	}
}

func checkKeyStore(t *testing.T, kind storeKind, data []byte) {
	t.Helper()
	keySecret := secret("")
	if kind == storeJKS {
		keySecret = secret(keyPassword)
		if _, err := readKeyStore(data, secret(storePassword), secret("")); err == nil || !strings.Contains(err.Error(), "ssl.key.password") {
			t.Errorf("%s without the key's own password: %v", kind, err)
		}
	}
	cert, err := readKeyStore(data, secret(storePassword), keySecret)
	if err != nil || cert.Leaf.Subject.CommonName != "client" {
		t.Errorf("%s: %v", kind, err)
	}
	if _, err := readKeyStore(data, secret("wrong"), keySecret); err == nil || !strings.Contains(err.Error(), "password is wrong") {
		t.Errorf("%s with a wrong password: %v", kind, err)
	}
	// The chain in a key store is trusted where it stands as a trust store.
	if certs, err := readTrustStore(data, secret(storePassword)); err != nil || len(certs) != 1 {
		t.Errorf("%s as a trust store: %d certificates, %v", kind, len(certs), err)
	}
}

func checkTrustStore(t *testing.T, kind storeKind, data []byte, ca identity) {
	t.Helper()
	certs, err := readTrustStore(data, secret(storePassword))
	if err != nil || len(certs) != 1 || !certs[0].Equal(ca.cert) {
		t.Errorf("%s: %d certificates, %v", kind, len(certs), err)
	}
	if _, err := readTrustStore(data, secret("wrong")); err == nil || !strings.Contains(err.Error(), "password is wrong") {
		t.Errorf("%s with a wrong password: %v", kind, err)
	}
	if _, err := readTrustStore(data, secret("")); err == nil {
		t.Errorf("%s without a password was taken", kind)
	}
	if _, err := readKeyStore(data, secret(storePassword), secret("")); err == nil {
		t.Errorf("%s without a key was taken as a key store", kind)
	}
}

func TestPEM(t *testing.T) {
	me, other := newIdentity(t, "me"), newIdentity(t, "other")
	oneLine := func(s string) string { return strings.ReplaceAll(strings.TrimSpace(s), "\n", " ") }
	tests := []struct {
		name, key, chain string
		password         string
		want             string // part of the error; empty: it works
	}{
		{"apart", me.keyPEM(t), me.certPEM(), "", ""},
		{"encrypted", me.encryptedPEM(t), me.certPEM(), keyPassword, ""},
		{"one line", oneLine(me.keyPEM(t)), oneLine(me.certPEM() + other.certPEM()), "", ""},
		{"leaf is not first", me.keyPEM(t), other.certPEM() + me.certPEM(), "", ""},
		{"text around", "Bag Attributes\n" + me.keyPEM(t), "subject=x\n" + me.certPEM(), "", ""},
		{"no password", me.encryptedPEM(t), me.certPEM(), "", "set ssl.key.password"},
		{"wrong password", me.encryptedPEM(t), me.certPEM(), "nope", "ssl.key.password is wrong"},
		{"not its certificate", me.keyPEM(t), other.certPEM(), "", "no certificate in it belongs to its private key"},
		{"no certificate", me.keyPEM(t), "", "", "no certificate for the private key"},
		{"no key", me.certPEM(), me.certPEM(), "", "no private key"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cert, err := readPEMKey([]byte(tt.key), []byte(tt.chain), secret(tt.password))
			if tt.want != "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("%v, want %q", err, tt.want)
				}
				return
			}
			if err != nil || !cert.Leaf.Equal(me.cert) || string(cert.Certificate[0]) != string(me.cert.Raw) {
				t.Errorf("%v", err)
			}
		})
	}
	both := []byte(me.keyPEM(t) + me.certPEM())
	var cert tls.Certificate
	cert, err := readKeyStore(both, secret(""), secret(""))
	if err != nil || !cert.Leaf.Equal(me.cert) {
		t.Errorf("key and certificate in one file: %v", err)
	}
}

func TestUnreadableStores(t *testing.T) {
	me := newIdentity(t, "me")
	unmarked, err := pkcs12.Modern.Encode(me.key, me.cert, nil, storePassword)
	must(t, err)
	for name, data := range map[string][]byte{
		"JCEKS": {0xce, 0xce, 0xce, 0xce, 0, 0, 0, 2}, "empty": nil, "text": []byte("hello"), "short JKS": {0xfe, 0xed, 0xfe, 0xed},
		"short PKCS12": {0x30, 0x82}, "cut PKCS12": unmarked[:len(unmarked)/2],
	} {
		if _, err := readKeyStore(data, secret(storePassword), secret("")); err == nil {
			t.Errorf("%s was taken as a key store", name)
		}
		if _, err := readTrustStore(data, secret(storePassword)); err == nil {
			t.Errorf("%s was taken as a trust store", name)
		}
	}
}
