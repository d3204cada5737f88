package profile

import (
	"bytes"
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pavlo-v-chernykh/keystore-go/v4"
	"software.sslmate.com/src/go-pkcs12"

	"sharetop/model"
)

// storeKind is the format of a key store, as its content says. The name of the
// file and ssl.keystore.type are not asked: .jks files of newer Javas are
// PKCS12.
type storeKind string

const (
	storeJKS     storeKind = "JKS"
	storeJCEKS   storeKind = "JCEKS"
	storePKCS12  storeKind = "PKCS12"
	storePEM     storeKind = "PEM"
	storeUnknown storeKind = "unknown"
)

// kindOf looks at the first bytes.
func kindOf(data []byte) storeKind {
	switch {
	case bytes.HasPrefix(data, []byte{0xfe, 0xed, 0xfe, 0xed}):
		return storeJKS
	case bytes.HasPrefix(data, []byte{0xce, 0xce, 0xce, 0xce}):
		return storeJCEKS
	case bytes.Contains(data, []byte("-----BEGIN ")):
		return storePEM
	case len(data) > 1 && data[0] == 0x30 && data[1]&0x80 != 0:
		return storePKCS12
	default:
		return storeUnknown
	}
}

// errWrongPassword says that a store does not open with the password given.
var errWrongPassword = errors.New("the password is wrong, or the file is damaged")

// unreadableStore says what a store is that can't be read.
func unreadableStore(kind storeKind) error {
	if kind == storeJCEKS {
		return errors.New("it is a JCEKS store, which is not supported: convert it with " +
			"keytool -importkeystore -deststoretype PKCS12")
	}
	return errors.New("it is neither JKS nor PKCS12 nor PEM")
}

// readKeyStore gives the first private key with its chain. keyPassword may be
// empty: then the store's is used.
func readKeyStore(data []byte, password, keyPassword model.Secret) (tls.Certificate, error) {
	if keyPassword.Empty() {
		keyPassword = password
	}
	switch kind := kindOf(data); kind {
	case storeJKS:
		return readJKSKey(data, password, keyPassword)
	case storePKCS12:
		return readPKCS12Key(data, password)
	case storePEM:
		return readPEMKey(data, data, keyPassword)
	default:
		return tls.Certificate{}, unreadableStore(kind)
	}
}

// readTrustStore gives all certificates that a store trusts. As in Java these
// are also the chains of its own keys.
func readTrustStore(data []byte, password model.Secret) ([]*x509.Certificate, error) {
	var certs []*x509.Certificate
	var err error
	switch kind := kindOf(data); kind {
	case storeJKS:
		certs, err = readJKSTrust(data, password)
	case storePKCS12:
		certs, err = readPKCS12Trust(data, password)
	case storePEM:
		certs, err = readPEMCertificates(data)
	default:
		return nil, unreadableStore(kind)
	}
	if err == nil && len(certs) == 0 {
		err = errors.New("there is no certificate in it")
	}
	return certs, err
}

// loadJKS opens a JKS store. Its entries are in the order of their names.
func loadJKS(data []byte, password model.Secret) (keystore.KeyStore, error) {
	store := keystore.New(keystore.WithOrderedAliases())
	if err := store.Load(bytes.NewReader(data), []byte(password.Reveal())); err != nil {
		return store, errWrongPassword
	}
	return store, nil
}

func readJKSKey(data []byte, password, keyPassword model.Secret) (tls.Certificate, error) {
	store, err := loadJKS(data, password)
	if err != nil {
		return tls.Certificate{}, err
	}
	for _, alias := range store.Aliases() {
		if !store.IsPrivateKeyEntry(alias) {
			continue
		}
		entry, err := store.GetPrivateKeyEntry(alias, []byte(keyPassword.Reveal()))
		if err != nil {
			return tls.Certificate{}, errors.New("the store opens, but its private key does not: ssl.key.password is wrong or missing")
		}
		key, err := x509.ParsePKCS8PrivateKey(entry.PrivateKey)
		if err != nil {
			return tls.Certificate{}, errors.New("its private key is of a kind that is not supported")
		}
		var chain [][]byte
		for _, c := range entry.CertificateChain {
			chain = append(chain, c.Content)
		}
		return pair(key, chain)
	}
	return tls.Certificate{}, errNoKey
}

var errNoKey = errors.New("there is no private key in it")

func readJKSTrust(data []byte, password model.Secret) ([]*x509.Certificate, error) {
	store, err := loadJKS(data, password)
	if err != nil && password.Empty() {
		return nil, errors.New("its password is missing: set ssl.truststore.password")
	}
	if err != nil {
		return nil, err
	}
	var certs []*x509.Certificate
	for _, alias := range store.Aliases() {
		var raw []keystore.Certificate
		if store.IsPrivateKeyEntry(alias) {
			raw, err = store.GetPrivateKeyEntryCertificateChain(alias)
		} else {
			var entry keystore.TrustedCertificateEntry
			entry, err = store.GetTrustedCertificateEntry(alias)
			raw = []keystore.Certificate{entry.Certificate}
		}
		if err != nil {
			return nil, fmt.Errorf("an entry can't be read: %w", err)
		}
		for _, c := range raw {
			cert, err := x509.ParseCertificate(c.Content)
			if err != nil {
				return nil, fmt.Errorf("a certificate in it can't be read: %w", err)
			}
			certs = append(certs, cert)
		}
	}
	return certs, nil
}

func readPKCS12Key(data []byte, password model.Secret) (tls.Certificate, error) {
	key, leaf, others, err := pkcs12.DecodeChain(data, password.Reveal())
	if err != nil {
		return tls.Certificate{}, pkcs12Error(err)
	}
	chain := [][]byte{leaf.Raw}
	for _, c := range others {
		chain = append(chain, c.Raw)
	}
	return pair(key, chain)
}

func readPKCS12Trust(data []byte, password model.Secret) ([]*x509.Certificate, error) {
	certs, err := pkcs12.DecodeTrustStore(data, password.Reveal())
	if err == nil {
		return certs, nil
	}
	if errors.Is(err, pkcs12.ErrIncorrectPassword) {
		return nil, errWrongPassword
	}
	// A key store in the place of a trust store: Java trusts its chain.
	if _, leaf, others, chainErr := pkcs12.DecodeChain(data, password.Reveal()); chainErr == nil {
		return append([]*x509.Certificate{leaf}, others...), nil
	}
	if strings.Contains(err.Error(), "not marked as trusted") {
		return nil, errors.New("its certificates are not marked as trusted, so Java's clients do not trust them either: " +
			"import them with keytool -importcert")
	}
	return nil, pkcs12Error(err)
}

func pkcs12Error(err error) error {
	if errors.Is(err, pkcs12.ErrIncorrectPassword) {
		return errWrongPassword
	}
	return fmt.Errorf("the PKCS12 store can't be read (%w)", err)
}

// certificatesOf takes the certificates out of PEM blocks.
func certificatesOf(blocks []*pem.Block) ([]*x509.Certificate, error) {
	var certs []*x509.Certificate
	for _, b := range blocks {
		if b.Type != "CERTIFICATE" && b.Type != "X509 CERTIFICATE" && b.Type != "TRUSTED CERTIFICATE" {
			continue
		}
		cert, err := x509.ParseCertificate(b.Bytes)
		if err != nil {
			return nil, fmt.Errorf("a certificate in it can't be read: %w", err)
		}
		certs = append(certs, cert)
	}
	return certs, nil
}

// pair checks that key and leaf belong together, and puts the chain in order
// where the leaf is not first.
func pair(key any, chain [][]byte) (tls.Certificate, error) {
	signer, ok := key.(crypto.Signer)
	if !ok {
		return tls.Certificate{}, errors.New("its private key is of a kind that is not supported")
	}
	for i, raw := range chain {
		cert, err := x509.ParseCertificate(raw)
		if err != nil {
			return tls.Certificate{}, fmt.Errorf("a certificate in it can't be read: %w", err)
		}
		if public, ok := cert.PublicKey.(interface{ Equal(crypto.PublicKey) bool }); ok && public.Equal(signer.Public()) {
			ordered := slices.Concat([][]byte{raw}, chain[:i], chain[i+1:])
			return tls.Certificate{Certificate: ordered, PrivateKey: key, Leaf: cert}, nil
		}
	}
	return tls.Certificate{}, errors.New("no certificate in it belongs to its private key")
}
