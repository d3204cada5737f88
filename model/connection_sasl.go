package model

// Mechanism is a SASL mechanism by its registered name.
type Mechanism string

// The mechanisms that sharetop speaks.
const (
	MechanismPlain       Mechanism = "PLAIN"
	MechanismScramSHA256 Mechanism = "SCRAM-SHA-256"
	MechanismScramSHA512 Mechanism = "SCRAM-SHA-512"
	MechanismOAuthBearer Mechanism = "OAUTHBEARER"
	MechanismGSSAPI      Mechanism = "GSSAPI"
	MechanismAWSMSKIAM   Mechanism = "AWS_MSK_IAM"
)

// Mechanisms are all that sharetop speaks.
func Mechanisms() []Mechanism {
	return []Mechanism{
		MechanismPlain, MechanismScramSHA256, MechanismScramSHA512,
		MechanismOAuthBearer, MechanismGSSAPI, MechanismAWSMSKIAM,
	}
}

// NeedsPassword tells whether a mechanism logs in with user and password.
func (m Mechanism) NeedsPassword() bool {
	return m == MechanismPlain || m == MechanismScramSHA256 || m == MechanismScramSHA512
}

// SASL is a login.
type SASL struct {
	// Mechanism is empty where there is no login.
	Mechanism Mechanism
	// User and Password are for PLAIN and SCRAM.
	User     string
	Password Secret
	// Delegation says that User is the id of a delegation token (SCRAM's
	// tokenauth).
	Delegation bool
	// OAuth is for OAUTHBEARER, Kerberos for GSSAPI, AWS for AWS_MSK_IAM.
	OAuth    OAuth
	Kerberos Kerberos
	AWS      AWS
}

// OAuth says where tokens for OAUTHBEARER come from: an endpoint that grants
// them for client credentials (KIP-768), or a file.
type OAuth struct {
	// TokenEndpoint is an https URL, or http on a loopback address.
	TokenEndpoint string
	ClientID      string
	ClientSecret  Secret
	Scope         string
	// TokenFile is read anew for each login; used where TokenEndpoint is empty.
	TokenFile string
	// Extensions are SASL extensions (KIP-342), such as logicalCluster.
	Extensions map[string]string
	// TLS is for the endpoint.
	TLS TLS
}

// Kerberos is a login by GSSAPI, with a keytab or with a ticket cache.
type Kerberos struct {
	// Service is sasl.kerberos.service.name: the first part of the brokers'
	// principals.
	Service string
	// Principal is ours, as name@REALM; with a ticket cache it may be empty.
	Principal string
	// Keytab and TicketCache are files; one of them is set.
	Keytab, TicketCache string
	// Config is krb5.conf's path.
	Config string
}

// AWS is a login by AWS_MSK_IAM.
type AWS struct {
	// Profile is a profile of the AWS credentials file; empty: the default one.
	Profile string
}
