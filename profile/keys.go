package profile

import (
	"slices"
	"strings"
)

// Settings of our own. All others have the names that Kafka's Java clients or
// librdkafka give them.
const (
	keyBootstrap      = "bootstrap.servers"
	keyName           = "sharetop.name"
	keyReadOnly       = "sharetop.read.only"
	keySSHJump        = "sharetop.ssh.jump"
	keySOCKS5         = "sharetop.socks5"
	keySOCKS5User     = "sharetop.socks5.user"
	keySOCKS5Password = "sharetop.socks5.password"
	keyResolve        = "sharetop.resolve"
	keyColor          = "sharetop.color"
)

// use says what becomes of a setting.
type use uint8

const (
	// useUnknown: nobody has heard of it.
	useUnknown use = iota
	// useYes: it makes the connection.
	useYes
	// useSecret: it makes the connection and must not be shown.
	useSecret
	// useIgnored: it can be left out without harm, such as consumer tuning.
	useIgnored
	// useRefused: it changes how one connects in a way that is not supported.
	useRefused
)

// used are the settings that make a connection.
func used() []string {
	return []string{
		keyBootstrap, "metadata.broker.list", keyName, keyColor, keyReadOnly, keySSHJump, keySOCKS5, keySOCKS5User, keyResolve,
		"security.protocol", "sasl.mechanism", "sasl.mechanisms", "sasl.username",
		"sasl.kerberos.service.name", "sasl.kerberos.keytab", "sasl.kerberos.principal", "sharetop.kerberos.config",
		"sasl.oauthbearer.token.endpoint.url", "sasl.oauthbearer.client.id", "sasl.oauthbearer.scope",
		"sasl.oauthbearer.client.credentials.client.id", "sasl.oauthbearer.extensions", "sasl.oauthbearer.method",
		"sasl.client.callback.handler.class", "sasl.login.callback.handler.class",
		"ssl.endpoint.identification.algorithm", "ssl.enabled.protocols", "ssl.protocol", "ssl.cipher.suites",
		"ssl.keystore.location", "ssl.keystore.type", "ssl.keystore.certificate.chain",
		"ssl.truststore.location", "ssl.truststore.type", "ssl.truststore.certificates",
		"ssl.ca.location", "ssl.ca.pem", "ssl.certificate.location", "ssl.certificate.pem", "ssl.key.location",
		"enable.ssl.certificate.verification", "config.providers",
	}
}

// secrets are the settings that make a connection and are not shown.
func secrets() []string {
	return []string{
		keySOCKS5Password, "sasl.jaas.config", "sasl.password", "sasl.oauthbearer.client.secret",
		"sasl.oauthbearer.client.credentials.client.secret", "ssl.keystore.password", "ssl.keystore.key", "ssl.key.password",
		"ssl.truststore.password", "ssl.key.pem",
	}
}

// useOf tells what becomes of a setting by its name.
func useOf(key string) use {
	switch {
	case slices.Contains(used(), key), strings.HasPrefix(key, "config.providers."):
		return useYes
	case slices.Contains(secrets(), key):
		return useSecret
	case isTuning(key):
		return useIgnored
	case matters(key):
		return useRefused
	default:
		return useUnknown
	}
}

// isSecretName tells whether a value may be a secret by the name of its key,
// known or not.
func isSecretName(key string) bool {
	key = strings.ToLower(key)
	for _, word := range []string{"password", "secret", "token", "jaas", "credential", "private", "passphrase", "user.info", "ssl.key", "keystore.key"} {
		if strings.Contains(key, word) && !slices.Contains(used(), key) {
			return true
		}
	}
	return false
}

// isTuning tells whether a setting only tunes consumers, producers, retries or
// logins, so that nothing is lost without it.
func isTuning(key string) bool {
	if slices.Contains([]string{
		"ssl.provider", "ssl.trustmanager.algorithm", "ssl.keymanager.algorithm", "ssl.secure.random.implementation",
		"ssl.sigalgs.list", "ssl.curves.list", "sasl.kerberos.kinit.cmd", "sasl.kerberos.min.time.before.relogin", "acks",
		"client.id", "client.rack", "client.dns.lookup", "retries", "debug", "interceptor.classes", "log_level",
		"default.api.timeout.ms", "request.timeout.ms", "api.version.request", "broker.address.family",
	}, key) {
		return true
	}
	for _, prefix := range []string{
		"sasl.login.refresh.", "sasl.login.retry.", "sasl.login.connect.", "sasl.login.read.", "sasl.kerberos.ticket.renew.",
		"sasl.oauthbearer.jwks.", "sasl.oauthbearer.clock.", "sasl.oauthbearer.expected.", "sasl.oauthbearer.header.",
		"group.", "fetch.", "max.", "auto.", "enable.auto.", "enable.metrics.", "enable.idempotence", "share.", "session.", "heartbeat.",
		"isolation.", "key.", "value.", "exclude.", "allow.auto.", "check.crcs", "receive.", "send.", "metric", "metadata.",
		"reconnect.", "retry.", "request.", "socket.", "connections.", "batch.", "linger.", "buffer.", "compression.",
		"delivery.", "partition", "transaction", "schema.registry.", "basic.auth.", "statistics.", "queue", "topic.",
		"api.version.", "broker.version.", "internal.", "message.", "log.", "confluent.",
	} {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return false
}

// matters tells whether a setting that is not understood could be what makes
// the login work.
func matters(key string) bool {
	for _, prefix := range []string{"sasl.", "ssl.", "security.", "sharetop."} {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return false
}
