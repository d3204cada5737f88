package profile

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"sharetop/model"
)

// Resolve puts together how to connect. Of two sources that set the same the
// first of these counts: flags, -X, SHARETOP_ variables, the file of
// --command-config, the profile of config.toml or of another tool. Read-only is
// on as soon as any source wants it. The error is one sentence that names the
// setting and where it stands.
func Resolve(env Env, req model.ConnectRequest) (model.Resolved, error) {
	layers, warnings, err := gather(env, req)
	if err != nil {
		return model.Resolved{}, err
	}
	s, err := merge(layers)
	if err != nil {
		return model.Resolved{}, err
	}
	s.env, s.ask = env, req.Ask
	s.warnings = append(s.warnings, warnings...)
	s.warnOfArguments()
	s.warnOfUnknown()
	out := model.Resolved{Connection: model.Connection{ReadOnly: s.readOnly != ""}}
	if !req.NoCluster {
		out.Connection, err = s.connection()
	}
	// With an error there is still something to print.
	out.Settings, out.Warnings = s.withDefaults(s.list()), s.warnings
	return out, err
}

// gather reads all sources, the most important first.
func gather(env Env, req model.ConnectRequest) (layers []layer, warnings []string, err error) {
	given := layer{}
	for _, f := range req.Flags {
		given.entries = append(given.entries, entry{key: f.Key, value: f.Value, source: f.Flag, onCommandLine: true})
	}
	overrides, err := overrideLayer(req.Overrides)
	if err != nil {
		return nil, nil, err
	}
	layers = append(layers, given, overrides, environment(env))
	if file := firstOf(req.CommandConfig, env.Getenv("SHARETOP_COMMAND_CONFIG")); file != "" {
		l, warn, err := fileLayer(env, file)
		if err != nil {
			return nil, nil, err
		}
		layers, warnings = append(layers, l), append(warnings, warn...)
	}
	name := req.Context
	switch {
	case req.ProfileOnly:
		layers, warnings = readOnlyOf(layers), nil
	case name == "":
		name = env.Getenv("SHARETOP_CONTEXT")
	}
	if name == "" && !namesCluster(layers) {
		name = defaultProfile(env)
	}
	more, warn, err := contextLayers(env, name)
	return append(append(layers, more...), readOnlyEverywhere(env)), append(warnings, warn...), err
}

// namesCluster tells whether any layer says which cluster it is: then the
// default profile, which is another one, has no part in it.
func namesCluster(layers []layer) bool {
	for _, l := range layers {
		for _, e := range l.entries {
			if (e.key == keyBootstrap || e.key == "metadata.broker.list") && e.value != "" {
				return true
			}
		}
	}
	return false
}

// readOnlyOf leaves of all layers who asks for read-only.
func readOnlyOf(layers []layer) []layer {
	var out []layer
	for _, l := range layers {
		l.entries = slices.DeleteFunc(slices.Clone(l.entries), func(e entry) bool { return e.key != keyReadOnly })
		out = append(out, l)
	}
	return out
}

// overrideLayer reads the arguments of -X.
func overrideLayer(overrides []string) (layer, error) {
	var l layer
	for _, text := range overrides {
		key, value, ok := strings.Cut(text, "=")
		if key = strings.TrimSpace(key); !ok || key == "" {
			// The text is not repeated: it may be a password.
			return l, errors.New("-X needs KEY=VALUE, e.g. -X security.protocol=SSL")
		}
		l.entries = append(l.entries, entry{key: key, value: value, source: "-X", onCommandLine: true})
	}
	return l, nil
}

// VariableFor is the environment variable of a setting: SHARETOP_ and the key
// in capitals with _ for its dots.
func VariableFor(key string) string {
	key = strings.TrimPrefix(key, "sharetop.")
	return "SHARETOP_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// environment reads the SHARETOP_ variables of all settings that are used.
func environment(env Env) layer {
	var l layer
	for _, key := range slices.Concat(used(), secrets()) {
		name := VariableFor(key)
		if value := env.Getenv(name); value != "" {
			l.entries = append(l.entries, entry{key: key, value: value, source: name})
		}
	}
	// The documented name of the list of brokers is in the singular.
	if value := env.Getenv("SHARETOP_BOOTSTRAP_SERVER"); value != "" {
		l.entries = append(l.entries, entry{key: keyBootstrap, value: value, source: "SHARETOP_BOOTSTRAP_SERVER"})
	}
	return l
}

// fileLayer reads a Java properties file.
func fileLayer(env Env, file string) (layer, []string, error) {
	text, err := env.read(file)
	if err != nil {
		return layer{}, nil, err
	}
	properties, err := parseProperties(decodeProperties(text))
	if err != nil {
		return layer{}, nil, fmt.Errorf("%s: %w", file, err)
	}
	l := layer{expand: providers(env, properties)}
	var warnings []string
	for _, p := range properties {
		l.entries = append(l.entries, entry{key: p.key, value: p.value, source: fmt.Sprintf("%s:%d", file, p.line)})
		if !isSecretName(p.key) {
			continue
		}
		for _, holder := range secretFiles(l, file, p.value) {
			if w := env.readableByOthers(holder); w != "" && !slices.Contains(warnings, w) {
				warnings = append(warnings, w)
			}
		}
	}
	return l, warnings, nil
}

// secretFiles are the files that a secret stands in: the one that has it, or those
// that config providers take it from.
func secretFiles(l layer, file, value string) []string {
	var files []string
	if l.expand != nil {
		for _, m := range reference().FindAllStringSubmatch(value, -1) {
			if m[3] != "" {
				files = append(files, m[3], filepath.Join(m[3], m[4]))
			}
		}
	}
	if len(files) == 0 {
		files = append(files, file)
	}
	return files
}

// connection makes the connection from the effective settings.
func (s *settings) connection() (model.Connection, error) {
	c := model.Connection{
		ReadOnly: s.readOnly != "", Name: model.NewText(s.get(keyName)), Color: model.ClusterColor(strings.ToLower(s.get(keyColor))),
	}
	if err := s.refused(); err != nil {
		return c, err
	}
	if c.Color != "" && !c.Color.Known() {
		return c, s.errorf(keyColor, "is not a colour: there are %s", joinNames(model.ClusterColors()))
	}
	var err error
	if c.Bootstrap, err = s.bootstrap(); err != nil {
		return c, err
	}
	if c.Security, err = s.protocol(); err != nil {
		return c, err
	}
	if c.Security.Encrypted() {
		if c.TLS, err = s.tls(); err != nil {
			return c, err
		}
	}
	if c.Security.LogsIn() {
		if c.SASL, err = s.sasl(); err != nil {
			return c, err
		}
		if c.SASL.Mechanism == model.MechanismPlain && c.Security == model.SASLPlaintext {
			s.warnings = append(s.warnings, "the password is sent in the clear: PLAIN over SASL_PLAINTEXT")
		}
	}
	if c.Security.Encrypted() && c.SASL.Mechanism == model.MechanismOAuthBearer {
		c.SASL.OAuth.TLS = model.TLS{Roots: c.TLS.Roots}
	}
	c.Route, err = s.route()
	return c, err
}

// protocol reads security.protocol. Without one it is PLAINTEXT, as in Kafka,
// unless settings for a login or for TLS show that this can't be meant.
func (s *settings) protocol() (model.SecurityProtocol, error) {
	const key = "security.protocol"
	value := model.SecurityProtocol(strings.ToUpper(s.get(key)))
	if value == "" {
		if s.get("sasl.jaas.config", "sasl.mechanism", "sasl.mechanisms", "sasl.username") != "" {
			return "", errors.New("there is a login but no security.protocol, which would mean PLAINTEXT without it: " +
				"set security.protocol to SASL_SSL or SASL_PLAINTEXT")
		}
		return model.Plaintext, nil
	}
	if !slices.Contains(model.SecurityProtocols(), value) {
		return "", s.errorf(key, "%s is not supported: there are %s", value, joinNames(model.SecurityProtocols()))
	}
	return value, nil
}

// bootstrap reads the list of brokers. Listener names before :// are left out,
// as Kafka does.
func (s *settings) bootstrap() ([]string, error) {
	key := keyBootstrap
	if s.get(key) == "" {
		key = "metadata.broker.list"
	}
	servers := splitList(s.get(key))
	if len(servers) == 0 {
		return nil, s.noCluster()
	}
	for i, server := range servers {
		if _, address, ok := strings.Cut(server, "://"); ok {
			servers[i] = address
		}
		if err := model.CheckAddress(servers[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", s.byKey[key].source, err)
		}
	}
	return servers, nil
}

// noCluster says what can be given, and which profiles there are.
func (s *settings) noCluster() error {
	text := "no cluster to watch: give --bootstrap-server HOST:PORT or --context NAME (a profile), " +
		"set SHARETOP_BOOTSTRAP_SERVER, or try --demo"
	all := FindProfiles(s.env)
	if len(all) == 0 {
		return errors.New(text)
	}
	var usable []string
	for _, p := range all {
		if p.Problem == "" {
			usable = append(usable, p.Name)
		}
	}
	if len(usable) > 0 {
		text += "; found on this machine for --context: " + strings.Join(usable, ", ")
	}
	return noClusterError(model.Sanitize(text))
}

// noClusterError says that no cluster was chosen, and what to do.
type noClusterError string

// Error is the sentence.
func (e noClusterError) Error() string { return string(e) }

// Unwrap gives the cause.
func (noClusterError) Unwrap() error { return model.ErrNoCluster }

// route reads the way to the brokers.
func (s *settings) route() (model.Route, error) {
	r := model.Route{
		Jumps: splitList(s.get(keySSHJump)), SOCKS5: s.get(keySOCKS5),
		SOCKS5User: s.get(keySOCKS5User), SOCKS5Password: s.secret(keySOCKS5Password),
	}
	if r.SOCKS5 != "" {
		if err := model.CheckAddress(r.SOCKS5); err != nil {
			return r, s.errorf(keySOCKS5, "can't be used: %w", err)
		}
		if r.SOCKS5User != "" && r.SOCKS5Password.Empty() {
			var err error
			if r.SOCKS5Password, err = s.askFor(keySOCKS5Password, "password of "+r.SOCKS5User+" at the SOCKS proxy"); err != nil {
				return r, fmt.Errorf("the SOCKS proxy's user %s has no password (%w): set SHARETOP_SOCKS5_PASSWORD", r.SOCKS5User, err)
			}
		}
	}
	for _, text := range splitList(s.get(keyResolve)) {
		from, to, err := model.ParseResolve(text)
		if err != nil {
			return r, s.errorf(keyResolve, "can't be used: %w", err)
		}
		if r.Resolve == nil {
			r.Resolve = map[string]string{}
		}
		r.Resolve[from] = to
	}
	return r, nil
}
