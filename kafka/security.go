package kafka

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"

	"sharetop/model"
)

// security is how a connection begins, before any request.
type security struct {
	protocol model.SecurityProtocol
	// config is nil where connections are not encrypted.
	config *tls.Config
	// user and mechanism are for sentences.
	user      string
	mechanism model.Mechanism
}

func newSecurity(conn model.Connection) security {
	s := security{protocol: conn.Security, mechanism: conn.SASL.Mechanism, user: conn.SASL.User}
	if conn.Security.Encrypted() {
		s.config = tlsConfig(conn.TLS)
	}
	return s
}

// tlsConfig turns our settings into those of crypto/tls. TLS 1.2 is the least.
func tlsConfig(t model.TLS) *tls.Config {
	config := &tls.Config{
		RootCAs: t.Roots, Certificates: t.Keys.Reveal(), CipherSuites: t.CipherSuites,
		MinVersion: max(t.MinVersion, tls.VersionTLS12), MaxVersion: t.MaxVersion,
	}
	if t.SkipHostName {
		// The library can leave out only all checks; the chain is checked here.
		config.InsecureSkipVerify = true
		config.VerifyConnection = func(state tls.ConnectionState) error { return verifyChain(state, t.Roots) }
	}
	return config
}

// verifyChain checks a broker's certificates but for the host name.
func verifyChain(state tls.ConnectionState, roots *x509.CertPool) error {
	if len(state.PeerCertificates) == 0 {
		return errors.New("the broker sent no certificate")
	}
	options := x509.VerifyOptions{Roots: roots, Intermediates: x509.NewCertPool()}
	for _, cert := range state.PeerCertificates[1:] {
		options.Intermediates.AddCert(cert)
	}
	_, err := state.PeerCertificates[0].Verify(options)
	return err
}

// handshakeError says that TLS with a broker failed.
type handshakeError struct {
	host string
	err  error
}

// Error is the library's sentence with the host before it.
func (e *handshakeError) Error() string { return "TLS with " + e.host + ": " + e.err.Error() }

// Unwrap gives the cause.
func (e *handshakeError) Unwrap() error { return e.err }

// handshake makes a connection TLS where it is to be, and closes it when that
// fails. The name that is checked is that of addr, which the broker advertises.
func (s security) handshake(ctx context.Context, conn net.Conn, addr string) (net.Conn, error) {
	if s.config == nil {
		return conn, nil
	}
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		host = addr
	}
	config := s.config.Clone()
	config.ServerName = host
	secured := tls.Client(conn, config)
	if err := secured.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, &handshakeError{host: host, err: err}
	}
	return secured, nil
}
