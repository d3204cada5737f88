package kafka

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"sharetop/model"
)

// refusal is a connection that failed before any request: for a cause that has
// a name, and a remedy.
type refusal struct {
	kind model.ProblemKind
	// why goes on from "broker 1 (host:port) …".
	why, advice string
	err         error
}

// Error is the cause as a part of a sentence.
func (r *refusal) Error() string { return r.why }

// Unwrap gives the error of the library.
func (r *refusal) Unwrap() error { return r.err }

// explain finds the cause of a failed connection; any other error is returned
// as it is.
func (s security) explain(err error) error {
	for _, find := range []func(error) *refusal{byWay, s.byLogin, s.byCertificate, s.byProtocol} {
		if r := find(err); r != nil {
			r.err = err
			return r
		}
	}
	return err
}

func unreachableBy(why, advice string) *refusal {
	return &refusal{kind: model.ProblemUnreachable, why: why, advice: advice}
}

func deniedBy(why, advice string) *refusal {
	return &refusal{kind: model.ProblemDenied, why: why, advice: advice}
}

// isDenied tells whether a broker refused us for who we are.
func isDenied(err error) bool {
	r, ok := errors.AsType[*refusal](err)
	return ok && r.kind == model.ProblemDenied
}

// byWay finds what failed before the broker: a tunnel or a proxy, which says
// itself what would help.
func byWay(err error) *refusal {
	var way interface {
		error
		Remedy() string
	}
	if !errors.As(err, &way) {
		return nil
	}
	return unreachableBy("can't be reached: "+safeText(way.Error()), way.Remedy())
}

// byLogin finds what went wrong with SASL.
func (s security) byLogin(err error) *refusal {
	if t, ok := errors.AsType[*tokenError](err); ok {
		return deniedBy("could not be logged in to: "+t.Error(), t.advice)
	}
	switch {
	case errors.Is(err, kerr.SaslAuthenticationFailed):
		return deniedBy(fmt.Sprintf("refused the login%s by %s", s.ofUser(), s.mechanism), s.loginAdvice())
	case errors.Is(err, kerr.UnsupportedSaslMechanism):
		return deniedBy(fmt.Sprintf("does not have the SASL mechanism %s enabled on this listener", s.mechanism),
			"set sasl.mechanism to one that the listener has, or add it to sasl.enabled.mechanisms of the brokers")
	case errors.Is(err, kerr.IllegalSaslState):
		return deniedBy("takes no login on this listener",
			fmt.Sprintf("set security.protocol to %s, or use the port of a SASL listener", s.without("SASL")))
	}
	return nil
}

// ofUser names the user where there is one.
func (s security) ofUser() string {
	if s.user == "" {
		return ""
	}
	return " of " + safeText(s.user)
}

// loginAdvice says what to check when a login is refused.
func (s security) loginAdvice() string {
	switch s.mechanism {
	case model.MechanismOAuthBearer:
		return "check the token's scope, audience and issuer against the brokers' settings, and the clocks"
	case model.MechanismGSSAPI:
		return "check that the broker has a key for its service name, and the clocks"
	case model.MechanismAWSMSKIAM:
		return "check that the AWS credentials are valid and may kafka-cluster:Connect"
	case model.MechanismScramSHA256, model.MechanismScramSHA512:
		return "check user name and password, and that the user has credentials for " + string(s.mechanism)
	default:
		return "check user name and password"
	}
}

// without is the security protocol less one of its two parts.
func (s security) without(part string) model.SecurityProtocol {
	tlsOn, saslOn := s.protocol.Encrypted() && part != "SSL", s.protocol.LogsIn() && part != "SASL"
	return protocolOf(tlsOn, saslOn)
}

func protocolOf(tlsOn, saslOn bool) model.SecurityProtocol {
	switch {
	case tlsOn && saslOn:
		return model.SASLSSL
	case tlsOn:
		return model.SSL
	case saslOn:
		return model.SASLPlaintext
	default:
		return model.Plaintext
	}
}

// byCertificate finds what is wrong with a certificate, the broker's or ours.
func (s security) byCertificate(err error) *refusal {
	const trust = "name the authority that issued it in ssl.truststore.location"
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok && invalid.Reason == x509.Expired {
		return expired(invalid)
	}
	if host, ok := errors.AsType[x509.HostnameError](err); ok {
		return unreachableBy(fmt.Sprintf("has a certificate for %s and not for %s", namesOf(host.Certificate), safeText(host.Host)),
			"use the name that the certificate has, or have the broker's certificate made for its advertised name; "+
				"an empty ssl.endpoint.identification.algorithm skips the check")
	}
	if unknown, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return unreachableBy("has a certificate of an authority that is not trusted"+issuerOf(unknown.Cert), trust)
	}
	if failed, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return unreachableBy("has a certificate that is not valid ("+safeText(failed.Err.Error())+")", trust)
	}
	if alert := alertOf(err); s.protocol.Encrypted() && alert != "" {
		return s.byAlert(alert)
	}
	return nil
}

// expired tells a certificate that is over from one that has not begun.
func expired(invalid x509.CertificateInvalidError) *refusal {
	cert := invalid.Cert
	if invalid.Detail != "" && strings.Contains(invalid.Detail, "before") {
		return unreachableBy("has a certificate that is valid only from "+cert.NotBefore.UTC().Format(time.DateTime)+"Z",
			"check the clock of this machine")
	}
	return unreachableBy("has a certificate that expired on "+cert.NotAfter.UTC().Format(time.DateTime)+"Z",
		"have the broker's certificate renewed, or check the clock of this machine")
}

// maxNames bounds how many names of a certificate an error shows.
const maxNames = 3

func namesOf(cert *x509.Certificate) string {
	names := slices.Clone(cert.DNSNames)
	for _, ip := range cert.IPAddresses {
		names = append(names, ip.String())
	}
	if len(names) == 0 {
		return "no host name at all"
	}
	more := ""
	if len(names) > maxNames {
		names, more = names[:maxNames], " and others"
	}
	return safeText(strings.Join(names, ", ")) + more
}

func issuerOf(cert *x509.Certificate) string {
	if cert == nil || cert.Issuer.String() == "" {
		return ""
	}
	return " (" + safeText(cert.Issuer.String()) + ")"
}

// alertOf is the name of the TLS alert that the broker sent; empty for none.
func alertOf(err error) string {
	_, alert, _ := strings.Cut(err.Error(), "remote error: tls: ")
	return alert
}

// byAlert says what an alert of the broker means.
func (s security) byAlert(alert string) *refusal {
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(alert, w) })
	}
	const keystore = "set ssl.keystore.location to a key store with a certificate that the brokers trust"
	switch {
	case s.config != nil && len(s.config.Certificates) == 0 && has("certificate required", "bad certificate", "handshake failure"):
		return deniedBy("wants a certificate of ours (mutual TLS), and there is none", keystore)
	case has("bad certificate", "unknown certificate", "certificate unknown", "certificate expired", "expired certificate",
		"revoked certificate", "unsupported certificate", "certificate required"):
		return deniedBy("refused our certificate ("+safeText(alert)+s.ourValidity()+")", keystore)
	default:
		return unreachableBy("broke off the TLS handshake ("+safeText(alert)+")",
			"check ssl.enabled.protocols and ssl.cipher.suites here and there")
	}
}

// ourValidity says until when our certificate is valid: a Kafka broker does not
// say that this is why it refused it.
func (s security) ourValidity() string {
	if s.config == nil || len(s.config.Certificates) == 0 || len(s.config.Certificates[0].Certificate) == 0 {
		return ""
	}
	cert, err := x509.ParseCertificate(s.config.Certificates[0].Certificate[0])
	if err != nil {
		return ""
	}
	return "; it is valid until " + cert.NotAfter.UTC().Format(time.DateTime) + "Z"
}

// byProtocol finds a listener that speaks something else than we do.
func (s security) byProtocol(err error) *refusal {
	first, isFirst := errors.AsType[*kgo.ErrFirstReadEOF](err)
	_, inHandshake := errors.AsType[*handshakeError](err)
	_, notTLS := errors.AsType[tls.RecordHeaderError](err)
	switch {
	case inHandshake && (notTLS || cutOff(err)):
		return unreachableBy("does not speak TLS on this port",
			fmt.Sprintf("set security.protocol to %s, or use the port of a TLS listener", s.without("SSL")))
	case inHandshake && errors.Is(err, context.DeadlineExceeded):
		return unreachableBy("did not answer the TLS handshake in time", "check that the port is one of a TLS listener")
	case !s.protocol.Encrypted() && isFirst && strings.Contains(first.Error(), "SASL"):
		return deniedBy("closes the connection at the first request, as a listener does that wants a login",
			fmt.Sprintf("set security.protocol to %s and sasl.mechanism, or use another port", protocolOf(false, true)))
	case !s.protocol.Encrypted() && (isFirst || looksLikeTLS(err)):
		return unreachableBy("closes the connection at once, as a listener does that speaks TLS only",
			fmt.Sprintf("set security.protocol to %s, or use the port of a plain listener", protocolOf(true, s.protocol.LogsIn())))
	case isFirst && !s.protocol.LogsIn():
		return deniedBy("closes the connection at the first request, as a listener does that wants a login",
			fmt.Sprintf("set security.protocol to %s and sasl.mechanism, or use another port", model.SASLSSL))
	}
	return nil
}

// cutOff tells whether the other side ended the connection.
func cutOff(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, syscall.EPIPE)
}

// looksLikeTLS tells whether what came in place of an answer begins as a TLS
// alert does; kgo says so in words only.
func looksLikeTLS(err error) bool { return strings.Contains(err.Error(), "tls alert record") }
