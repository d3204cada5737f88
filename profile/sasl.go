package profile

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"sharetop/model"
)

// sasl makes the login from the settings.
func (s *settings) sasl() (model.SASL, error) {
	login, err := s.mechanism()
	if err != nil {
		return login, err
	}
	module, err := s.loginModule(login.Mechanism)
	if err != nil {
		return login, err
	}
	if err := s.checkHandlers(); err != nil {
		return login, err
	}
	switch login.Mechanism {
	case model.MechanismOAuthBearer:
		login.OAuth, err = s.oauth(module.options)
	case model.MechanismGSSAPI:
		login.Kerberos, err = s.kerberos(module)
	case model.MechanismAWSMSKIAM:
		login.AWS.Profile = module.options["awsProfileName"]
		if module.options["awsRoleArn"] != "" {
			err = s.errorf("sasl.jaas.config", "asks for a role (awsRoleArn), which is not supported: "+
				"assume it outside and hand in its credentials by the environment")
		}
	default:
		err = s.password(&login, module.options)
	}
	return login, err
}

// mechanism finds the SASL mechanism. Kafka's default is GSSAPI.
func (s *settings) mechanism() (model.SASL, error) {
	key := "sasl.mechanism"
	if _, ok := s.byKey[key]; !ok {
		if _, ok := s.byKey["sasl.mechanisms"]; ok {
			key = "sasl.mechanisms"
		}
	}
	m := model.Mechanism(strings.ToUpper(s.get(key)))
	if m == "" {
		m = model.MechanismGSSAPI
	}
	if !slices.Contains(model.Mechanisms(), m) {
		return model.SASL{}, s.errorf(key, "%s is not supported: there are %s", m, joinNames(model.Mechanisms()))
	}
	return model.SASL{Mechanism: m}, nil
}

func joinNames[T ~string](names []T) string {
	parts := make([]string, len(names))
	for i, n := range names {
		parts[i] = string(n)
	}
	return strings.Join(parts, ", ")
}

// moduleFor is the login module that goes with a mechanism.
func moduleFor(m model.Mechanism) string {
	switch m {
	case model.MechanismPlain:
		return "PlainLoginModule"
	case model.MechanismScramSHA256, model.MechanismScramSHA512:
		return "ScramLoginModule"
	case model.MechanismOAuthBearer:
		return "OAuthBearerLoginModule"
	case model.MechanismGSSAPI:
		return "Krb5LoginModule"
	default:
		return "IAMLoginModule"
	}
}

// loginModule finds the login module in sasl.jaas.config, or in the JAAS file
// that KAFKA_OPTS names; it is empty when there is none.
func (s *settings) loginModule(m model.Mechanism) (loginModule, error) {
	where := "sasl.jaas.config"
	modules, err := []loginModule(nil), error(nil)
	if text := s.get(where); text != "" {
		if modules, err = parseJAAS(text); err != nil {
			return loginModule{}, s.errorf(where, "can't be read: %w", err)
		}
	} else if file := s.jaasFile(); file != "" {
		where = file
		if modules, err = s.readJAASFile(file); err != nil {
			return loginModule{}, err
		}
	}
	if len(modules) == 0 {
		return loginModule{}, nil
	}
	for _, module := range modules {
		if module.name() == moduleFor(m) {
			return module, nil
		}
	}
	return loginModule{}, fmt.Errorf("%s has %s, which does not go with the mechanism %s: that needs a %s",
		where, shownClass(modules[0].name()), m, moduleFor(m))
}

// jaasFile is the file in -Djava.security.auth.login.config of KAFKA_OPTS.
func (s *settings) jaasFile() string {
	for word := range strings.FieldsSeq(s.env.Getenv("KAFKA_OPTS")) {
		if file, ok := strings.CutPrefix(word, "-Djava.security.auth.login.config="); ok {
			return strings.Trim(file, `"'`)
		}
	}
	return ""
}

func (s *settings) readJAASFile(file string) ([]loginModule, error) {
	text, err := s.env.read(file)
	if err != nil {
		return nil, err
	}
	modules, err := parseJAASFile(text, "KafkaClient")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	s.warnIfReadable(file)
	return modules, nil
}

func (s *settings) warnIfReadable(file string) {
	if w := s.env.readableByOthers(file); w != "" && !slices.Contains(s.warnings, w) {
		s.warnings = append(s.warnings, w)
	}
}

// checkHandlers refuses Java classes that would log in by code of their own.
func (s *settings) checkHandlers() error {
	for _, key := range []string{"sasl.client.callback.handler.class", "sasl.login.callback.handler.class"} {
		class := s.get(key)
		switch class[strings.LastIndexByte(class, '.')+1:] {
		case "", "IAMClientCallbackHandler", "OAuthBearerLoginCallbackHandler", "OAuthBearerSaslClientCallbackHandler":
		default:
			return s.errorf(key, "is the Java class %s, which sharetop can't run", class)
		}
	}
	return nil
}

// password fills in user and password for PLAIN and SCRAM, and asks for what is
// missing.
func (s *settings) password(login *model.SASL, options map[string]string) error {
	login.User = firstOf(s.get("sasl.username"), options["username"])
	login.Password = s.secret("sasl.password")
	if login.Password.Empty() {
		login.Password = model.NewSecret(options["password"])
	}
	login.Delegation, _ = truth(options["tokenauth"])
	if login.User == "" {
		return fmt.Errorf("the login by %s has no user name: set sasl.jaas.config, or sasl.username", login.Mechanism)
	}
	if !login.Password.Empty() {
		return nil
	}
	var err error
	login.Password, err = s.askFor("sasl.password", "password of "+login.User)
	if err != nil {
		return fmt.Errorf("the login of %s has no password (%w): set it in sasl.jaas.config, in sasl.password, "+
			"or as SHARETOP_SASL_PASSWORD", login.User, err)
	}
	return nil
}

var errNobodyToAsk = errors.New("nobody can be asked for it")

// askFor asks for the secret of a setting. What was given counts as set.
func (s *settings) askFor(key, what string) (model.Secret, error) {
	if s.ask == nil {
		return model.Secret{}, errNobodyToAsk
	}
	secret, err := s.ask(model.Sanitize(what))
	if err != nil {
		return secret, err
	}
	if secret.Empty() {
		return secret, errors.New("none was given")
	}
	s.byKey[key] = entry{key: key, value: secret.Reveal(), source: sourceAsked}
	return secret, nil
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// oauth finds the token endpoint or file, and the client's credentials: in
// settings of their own, or among the options of the login module (KIP-768).
func (s *settings) oauth(options map[string]string) (model.OAuth, error) {
	const endpoint = "sasl.oauthbearer.token.endpoint.url"
	o := model.OAuth{
		ClientID: firstOf(s.get("sasl.oauthbearer.client.credentials.client.id", "sasl.oauthbearer.client.id"), options["clientId"]),
		Scope:    firstOf(s.get("sasl.oauthbearer.scope"), options["scope"]),
	}
	o.ClientSecret = s.secret("sasl.oauthbearer.client.credentials.client.secret", "sasl.oauthbearer.client.secret")
	if o.ClientSecret.Empty() {
		o.ClientSecret = model.NewSecret(options["clientSecret"])
	}
	o.Extensions = s.extensions(options)
	u, err := url.Parse(s.get(endpoint))
	switch {
	case err != nil:
		return o, s.errorf(endpoint, "is not a URL")
	case u.Scheme == "file":
		o.TokenFile = u.Path
		return o, nil
	case u.String() == "":
		return o, errors.New("the login by OAUTHBEARER has no token: set sasl.oauthbearer.token.endpoint.url to an https or file URL")
	case u.Scheme != "https" && (u.Scheme != "http" || !isLoopback(u.Hostname())):
		return o, s.errorf(endpoint, "must be https, so that the client's secret is not sent in the clear")
	}
	o.TokenEndpoint = u.String()
	if o.ClientID == "" {
		return o, errors.New("the login by OAUTHBEARER has no client id: set clientId in sasl.jaas.config, " +
			"or sasl.oauthbearer.client.credentials.client.id")
	}
	if o.ClientSecret.Empty() {
		o.ClientSecret, err = s.askFor("sasl.oauthbearer.client.credentials.client.secret", "client secret of "+o.ClientID)
		if err != nil {
			return o, fmt.Errorf("the login of %s has no client secret (%w): set clientSecret in sasl.jaas.config", o.ClientID, err)
		}
	}
	return o, nil
}

func isLoopback(host string) bool { return host == "localhost" || host == "127.0.0.1" || host == "::1" }

// extensions are SASL extensions: options extension_NAME, or librdkafka's list.
func (s *settings) extensions(options map[string]string) map[string]string {
	out := map[string]string{}
	for key, value := range options {
		if name, ok := strings.CutPrefix(key, "extension_"); ok {
			out[name] = value
		}
	}
	for _, pair := range splitList(s.get("sasl.oauthbearer.extensions")) {
		if name, value, ok := strings.Cut(pair, "="); ok {
			out[name] = value
		}
	}
	return out
}

// kerberos finds keytab or ticket cache.
func (s *settings) kerberos(module loginModule) (model.Kerberos, error) {
	o := module.options
	k := model.Kerberos{
		Service:   firstOf(s.get("sasl.kerberos.service.name"), o["serviceName"]),
		Principal: firstOf(s.get("sasl.kerberos.principal"), o["principal"]),
		Keytab:    firstOf(s.get("sasl.kerberos.keytab"), o["keyTab"]),
		Config:    firstOf(s.get("sharetop.kerberos.config"), s.env.Getenv("KRB5_CONFIG"), "/etc/krb5.conf"),
	}
	if k.Service == "" {
		return k, errors.New("the login by GSSAPI has no service name: set sasl.kerberos.service.name, usually to kafka")
	}
	if useKeytab, _ := truth(o["useKeyTab"]); !useKeytab && s.get("sasl.kerberos.keytab") == "" {
		k.Keytab = ""
	}
	if k.Keytab != "" {
		if k.Principal == "" {
			return k, errors.New("the login by GSSAPI has a keytab but no principal: set principal in sasl.jaas.config")
		}
		return k, nil
	}
	cache := firstOf(o["ticketCache"], s.env.Getenv("KRB5CCNAME"), defaultTicketCache(s.env))
	kind, path, typed := strings.Cut(cache, ":")
	if !typed || filepath.IsAbs(cache) {
		kind, path = "FILE", cache
	}
	if kind != "FILE" {
		return k, fmt.Errorf("the ticket cache %s is of kind %s: only files can be read (kinit -c FILE:…)", cache, kind)
	}
	k.TicketCache = path
	return k, nil
}

func defaultTicketCache(env Env) string { return fmt.Sprintf("/tmp/krb5cc_%d", env.UID) }
