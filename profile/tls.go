package profile

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sharetop/model"
)

// tls makes what a TLS connection needs from the settings.
func (s *settings) tls() (model.TLS, error) {
	var t model.TLS
	var err error
	if t.Roots, err = s.roots(); err != nil {
		return t, err
	}
	if t.Keys, err = s.ownKeys(); err != nil {
		return t, err
	}
	if t.SkipHostName, err = s.skipsHostName(); err != nil {
		return t, err
	}
	if verify, ok := truth(s.get("enable.ssl.certificate.verification")); ok && !verify && s.get("enable.ssl.certificate.verification") != "" {
		return t, s.errorf("enable.ssl.certificate.verification", "turns off the check of the brokers' certificates, which "+
			"sharetop does not do: name their authority in ssl.truststore.location")
	}
	if t.MinVersion, t.MaxVersion, err = s.versions(); err != nil {
		return t, err
	}
	t.CipherSuites = s.cipherSuites()
	return t, nil
}

// skipsHostName reads ssl.endpoint.identification.algorithm: empty (Java) and
// none (librdkafka) turn the check off.
func (s *settings) skipsHostName() (bool, error) {
	const key = "ssl.endpoint.identification.algorithm"
	value, ok := s.lookup(key)
	switch strings.ToLower(value) {
	case "":
		return ok, nil
	case "none":
		return true, nil
	case "https":
		return false, nil
	}
	return false, s.errorf(key, "%s is not supported: use https, or leave it empty to skip the check of host names", value)
}

// roots are the authorities that are trusted; nil for those of the system.
func (s *settings) roots() (*x509.CertPool, error) {
	certs, err := s.trusted()
	if err != nil || certs == nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	for _, c := range certs {
		pool.AddCert(c)
	}
	return pool, nil
}

func (s *settings) trusted() ([]*x509.Certificate, error) {
	for _, key := range []string{"ssl.truststore.certificates", "ssl.ca.pem"} {
		if text := s.get(key); text != "" {
			certs, err := readPEMCertificates([]byte(text))
			if err == nil && len(certs) == 0 {
				err = errors.New("there is no certificate in it")
			}
			if err != nil {
				return nil, s.errorf(key, "can't be used: %w", err)
			}
			return certs, nil
		}
	}
	for _, key := range []string{"ssl.truststore.location", "ssl.ca.location"} {
		file := s.get(key)
		if file == "" || file == "probe" {
			continue
		}
		data, err := s.env.read(file)
		if err != nil {
			return nil, s.errorf(key, "can't be used: %w", err)
		}
		certs, err := s.trustStore(file, []byte(data))
		if err != nil {
			return nil, s.errorf(key, "(%s) can't be used: %w", file, err)
		}
		return certs, nil
	}
	return nil, nil
}

// trustStore reads a trust store, and asks for its password where it does not
// open without one.
func (s *settings) trustStore(file string, data []byte) ([]*x509.Certificate, error) {
	const key = "ssl.truststore.password"
	certs, err := readTrustStore(data, s.secret(key))
	if err == nil || s.get(key) != "" || s.ask == nil || kindOf(data) == storePEM || kindOf(data) == storeUnknown {
		return certs, err
	}
	password, askErr := s.askFor(key, "password of the trust store "+file)
	if askErr != nil {
		return nil, fmt.Errorf("%w (%w)", err, askErr)
	}
	return readTrustStore(data, password)
}

// ownKeys is our certificate for mutual TLS: from a key store, PEM files, or
// PEM text in the settings.
func (s *settings) ownKeys() (model.KeyPairs, error) {
	switch {
	case s.get("ssl.keystore.key", "ssl.key.pem") != "":
		return s.inlineKeys()
	case s.get("ssl.keystore.location") != "":
		return s.keyStore("ssl.keystore.location")
	case s.get("ssl.certificate.location") != "" || s.get("ssl.key.location") != "":
		return s.keyFiles()
	}
	return model.KeyPairs{}, nil
}

func (s *settings) inlineKeys() (model.KeyPairs, error) {
	pair, err := s.withKeyPassword("the settings", func(password model.Secret) (tls.Certificate, error) {
		return readPEMKey([]byte(s.get("ssl.keystore.key", "ssl.key.pem")),
			[]byte(s.get("ssl.keystore.certificate.chain", "ssl.certificate.pem")), password)
	})
	if err != nil {
		return model.KeyPairs{}, s.errorf("ssl.keystore.key", "can't be used: %w", err)
	}
	return model.NewKeyPairs(pair), nil
}

func (s *settings) keyStore(key string) (model.KeyPairs, error) {
	file := s.get(key)
	data, err := s.env.read(file)
	if err != nil {
		return model.KeyPairs{}, s.errorf(key, "can't be used: %w", err)
	}
	password := s.secret("ssl.keystore.password")
	if kindOf([]byte(data)) == storePEM {
		s.warnIfReadable(file)
	}
	if kind := kindOf([]byte(data)); password.Empty() && (kind == storeJKS || kind == storePKCS12) {
		if password, err = s.askFor("ssl.keystore.password", "password of the key store "+file); err != nil {
			return model.KeyPairs{}, s.errorf(key, "(%s) has no password (%w): set ssl.keystore.password", file, err)
		}
	}
	pair, err := s.withKeyPassword(file, func(keyPassword model.Secret) (tls.Certificate, error) {
		return readKeyStore([]byte(data), password, keyPassword)
	})
	if err != nil {
		return model.KeyPairs{}, s.errorf(key, "(%s) can't be used: %w", file, err)
	}
	return model.NewKeyPairs(pair), nil
}

// keyFiles are librdkafka's two PEM files.
func (s *settings) keyFiles() (model.KeyPairs, error) {
	var texts [2][]byte
	for i, key := range []string{"ssl.key.location", "ssl.certificate.location"} {
		data, err := s.env.read(s.get(key))
		if err != nil {
			return model.KeyPairs{}, s.errorf(key, "can't be used: %w", err)
		}
		texts[i] = []byte(data)
	}
	s.warnIfReadable(s.get("ssl.key.location"))
	pair, err := s.withKeyPassword(s.get("ssl.key.location"), func(password model.Secret) (tls.Certificate, error) {
		return readPEMKey(texts[0], texts[1], password)
	})
	if err != nil {
		return model.KeyPairs{}, s.errorf("ssl.key.location", "can't be used: %w", err)
	}
	return model.NewKeyPairs(pair), nil
}

// withKeyPassword reads a private key, and asks for its password where that is
// missing.
func (s *settings) withKeyPassword(file string, read func(model.Secret) (tls.Certificate, error)) (tls.Certificate, error) {
	const key = "ssl.key.password"
	pair, err := read(s.secret(key))
	if !errors.Is(err, errKeyPassword) {
		return pair, err
	}
	password, askErr := s.askFor(key, "password of the private key in "+file)
	if askErr != nil {
		return pair, fmt.Errorf("%w (%w)", err, askErr)
	}
	return read(password)
}

// versions reads ssl.enabled.protocols. What is older than TLS 1.2 is left out.
func (s *settings) versions() (lowest, highest uint16, err error) {
	const key = "ssl.enabled.protocols"
	for _, name := range splitList(s.get(key)) {
		var v uint16
		switch name {
		case "TLSv1.2":
			v = tls.VersionTLS12
		case "TLSv1.3":
			v = tls.VersionTLS13
		default:
			continue
		}
		if lowest == 0 || v < lowest {
			lowest = v
		}
		highest = max(highest, v)
	}
	if lowest == 0 && s.get(key) != "" {
		return 0, 0, s.errorf(key, "allows neither TLSv1.2 nor TLSv1.3: older versions are not supported")
	}
	return lowest, highest, nil
}

// cipherSuites reads ssl.cipher.suites; names that Go does not have are left
// out, and nil is Go's own choice.
func (s *settings) cipherSuites() []uint16 {
	names := splitList(s.get("ssl.cipher.suites"))
	var ids []uint16
	for _, suite := range tls.CipherSuites() {
		if slices.Contains(names, suite.Name) {
			ids = append(ids, suite.ID)
		}
	}
	return ids
}
