package model

import "time"

// Connection says how to reach a cluster and who we are there. It can be
// printed in any way without showing a secret: passwords are of type Secret,
// and private keys are inside TLS, which prints as a summary.
type Connection struct {
	// Name is what a person calls the cluster; shown in the header. Empty: the
	// first bootstrap server is shown.
	Name Text
	// Color is what the name is shown in; empty for none.
	Color ClusterColor
	// Bootstrap are host:port pairs.
	Bootstrap []string
	// ReadOnly refuses every request that could change something.
	ReadOnly bool
	// OffsetsFrom says where offsets are to come from; empty for OffsetsAuto.
	OffsetsFrom OffsetsChoice
	// StateBudget bounds what reading the state topic may take.
	StateBudget StateBudget
	// DialTimeout bounds one connection attempt; 0 means DefaultDialTimeout.
	DialTimeout time.Duration
	// Security is the listener's security.protocol; empty means Plaintext.
	Security SecurityProtocol
	// TLS is used where Security has SSL in it.
	TLS TLS
	// SASL is used where Security has SASL in it.
	SASL SASL
	// Route is the way to the brokers.
	Route Route
}

// DefaultDialTimeout bounds one connection attempt to one broker.
const DefaultDialTimeout = 5 * time.Second

// SecurityProtocol is Kafka's security.protocol of a listener.
type SecurityProtocol string

// The security protocols, by Kafka's names.
const (
	Plaintext     SecurityProtocol = "PLAINTEXT"
	SSL           SecurityProtocol = "SSL"
	SASLPlaintext SecurityProtocol = "SASL_PLAINTEXT"
	SASLSSL       SecurityProtocol = "SASL_SSL"
)

// SecurityProtocols are all of them.
func SecurityProtocols() []SecurityProtocol {
	return []SecurityProtocol{Plaintext, SSL, SASLPlaintext, SASLSSL}
}

// Encrypted tells whether the connection is TLS.
func (p SecurityProtocol) Encrypted() bool { return p == SSL || p == SASLSSL }

// LogsIn tells whether there is a SASL login.
func (p SecurityProtocol) LogsIn() bool { return p == SASLPlaintext || p == SASLSSL }

// SecurityText is the security protocol with the SASL mechanism.
func (c *Connection) SecurityText() string {
	if c.Security == "" {
		return string(Plaintext)
	}
	if c.Security.LogsIn() {
		return string(c.Security) + " " + string(c.SASL.Mechanism)
	}
	return string(c.Security)
}

// Insecure says why the brokers' identity is not checked, for the header; empty
// when it is, or when nothing was promised (no TLS).
func (c *Connection) Insecure() string {
	if c.Security.Encrypted() && c.TLS.SkipHostName {
		return "the host name in the brokers' certificates is not checked"
	}
	return ""
}
