package profile

import (
	"maps"
	"slices"
	"strings"
)

// parseKcat reads librdkafka's properties: key=value a line, # for comments,
// no escapes.
func parseKcat(_, text string) ([]imported, error) {
	i := imported{set: map[string]string{}}
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok {
			i.note("line %d is not key=value and was skipped", n+1)
			continue
		}
		i.set[strings.TrimSpace(key)] = strings.TrimSpace(value)
	}
	return []imported{i}, nil
}

// pemFiles are the three files that many tools have for TLS.
func (i *imported) pemFiles(ca, cert, key string) {
	i.set["ssl.ca.location"], i.set["ssl.certificate.location"], i.set["ssl.key.location"] = ca, cert, key
}

// kafConfig is ~/.kaf/config.
type kafConfig struct {
	Clusters []struct {
		Name     string
		Brokers  []string
		Protocol string `yaml:"security-protocol"`
		SASL     *struct {
			Mechanism, Username, Password string
			ClientID                      string `yaml:"clientID"`
			ClientSecret                  string `yaml:"clientSecret"`
			TokenURL                      string `yaml:"tokenURL"`
			Scopes                        []string
			Token                         string
		} `yaml:"SASL"`
		TLS *struct {
			Cafile, Clientfile, Clientkeyfile string
			Insecure                          bool
		} `yaml:"TLS"`
	}
}

func parseKaf(_, text string) ([]imported, error) {
	var config kafConfig
	notes, err := decodeYAML(text, &config)
	if err != nil {
		return nil, err
	}
	var out []imported
	for _, c := range config.Clusters {
		i := imported{name: c.Name, set: map[string]string{keyBootstrap: strings.Join(c.Brokers, ",")}}
		i.protocol(c.TLS != nil, c.SASL != nil)
		if c.Protocol != "" {
			i.set["security.protocol"] = c.Protocol
		}
		if c.TLS != nil {
			i.pemFiles(c.TLS.Cafile, c.TLS.Clientfile, c.TLS.Clientkeyfile)
			i.skipsChain(c.TLS.Insecure)
		}
		if s := c.SASL; s != nil {
			i.mechanism(firstOf(s.Mechanism, "PLAIN"))
			i.set["sasl.username"], i.set["sasl.password"] = s.Username, s.Password
			i.set["sasl.oauthbearer.token.endpoint.url"] = s.TokenURL
			i.set["sasl.oauthbearer.client.id"], i.set["sasl.oauthbearer.client.secret"] = s.ClientID, s.ClientSecret
			i.set["sasl.oauthbearer.scope"] = strings.Join(s.Scopes, " ")
			if s.Token != "" {
				i.note("cluster %s has a fixed token, which is not used: put it into a file and name it as a file: URL in "+
					"sasl.oauthbearer.token.endpoint.url", c.Name)
			}
		}
		out = append(out, i)
	}
	return withNotes(out, notes), nil
}

// kafkactlConfig is kafkactl's config.yml.
type kafkactlConfig struct {
	Contexts map[string]struct {
		Brokers []string
		TLS     struct {
			Enabled, Insecure bool
			CA                string `yaml:"ca"`
			Cert              string
			CertKey           string `yaml:"certKey"`
		} `yaml:"tls"`
		SASL struct {
			Enabled                       bool
			Mechanism, Username, Password string
			TokenProvider                 map[string]any `yaml:"tokenprovider"`
		} `yaml:"sasl"`
		Kubernetes struct{ Enabled bool }
	}
}

func parseKafkactl(_, text string) ([]imported, error) {
	var config kafkactlConfig
	notes, err := decodeYAML(text, &config)
	if err != nil {
		return nil, err
	}
	var out []imported
	for _, name := range slices.Sorted(maps.Keys(config.Contexts)) {
		c := config.Contexts[name]
		i := imported{name: name, set: map[string]string{keyBootstrap: strings.Join(c.Brokers, ",")}}
		i.protocol(c.TLS.Enabled, c.SASL.Enabled)
		if c.TLS.Enabled {
			i.pemFiles(c.TLS.CA, c.TLS.Cert, c.TLS.CertKey)
			i.skipsChain(c.TLS.Insecure)
		}
		if c.SASL.Enabled {
			i.mechanism(firstOf(c.SASL.Mechanism, "PLAIN"))
			i.set["sasl.username"], i.set["sasl.password"] = c.SASL.Username, c.SASL.Password
		}
		if len(c.SASL.TokenProvider) > 0 {
			i.note("context %s gets its tokens from a plugin, which can't be used: set sasl.oauthbearer.token.endpoint.url", name)
		}
		if c.Kubernetes.Enabled {
			i.note("context %s goes through kubectl, which is not done: its brokers are dialled directly", name)
		}
		out = append(out, i)
	}
	return withNotes(out, notes), nil
}

// rpkConfig is rpk.yaml.
type rpkConfig struct {
	Profiles []struct {
		Name  string
		Kafka struct {
			Brokers []string
			TLS     *struct {
				Enabled  *bool
				Key      string `yaml:"key_file"`
				Cert     string `yaml:"cert_file"`
				CA       string `yaml:"ca_file"`
				Insecure bool   `yaml:"insecure_skip_verify"`
			} `yaml:"tls"`
			SASL *struct{ User, Password, Mechanism string } `yaml:"sasl"`
		} `yaml:"kafka_api"`
		Cloud map[string]any `yaml:"cloud_cluster"`
	}
}

func parseRpk(_, text string) ([]imported, error) {
	var config rpkConfig
	notes, err := decodeYAML(text, &config)
	if err != nil {
		return nil, err
	}
	var out []imported
	for _, p := range config.Profiles {
		i := imported{name: p.Name, set: map[string]string{keyBootstrap: strings.Join(p.Kafka.Brokers, ",")}}
		tlsOn := p.Kafka.TLS != nil && (p.Kafka.TLS.Enabled == nil || *p.Kafka.TLS.Enabled)
		i.protocol(tlsOn, p.Kafka.SASL != nil)
		if tlsOn {
			i.pemFiles(p.Kafka.TLS.CA, p.Kafka.TLS.Cert, p.Kafka.TLS.Key)
			i.skipsChain(p.Kafka.TLS.Insecure)
		}
		if s := p.Kafka.SASL; s != nil {
			i.mechanism(firstOf(s.Mechanism, "SCRAM-SHA-256"))
			i.set["sasl.username"], i.set["sasl.password"] = s.User, s.Password
		}
		if len(p.Cloud) > 0 {
			i.note("profile %s logs in to a cloud, which is not done", p.Name)
		}
		out = append(out, i)
	}
	return withNotes(out, notes), nil
}

// kclConfig is kcl's config.toml: one cluster, or one per profile.
type kclConfig struct {
	kclCluster
	Profiles map[string]kclCluster `toml:"profiles"`
}

type kclCluster struct {
	Seeds []string `toml:"seed_brokers"`
	TLS   *struct {
		CA         string `toml:"ca_cert_path"`
		Cert       string `toml:"client_cert_path"`
		Key        string `toml:"client_key_path"`
		ServerName string `toml:"server_name"`
		Insecure   bool   `toml:"insecure"`
	} `toml:"tls"`
	SASL *struct {
		Method  string `toml:"method"`
		User    string `toml:"user"`
		Pass    string `toml:"pass"`
		IsToken bool   `toml:"is_token"`
	} `toml:"sasl"`
}

func parseKcl(_, text string) ([]imported, error) {
	var config kclConfig
	notes, err := decodeTOML(text, &config)
	if err != nil {
		return nil, err
	}
	var out []imported
	if len(config.Seeds) > 0 || len(config.Profiles) == 0 {
		out = append(out, config.imported(""))
	}
	for _, name := range slices.Sorted(maps.Keys(config.Profiles)) {
		out = append(out, config.Profiles[name].imported(name))
	}
	return withNotes(out, notes), nil
}

func (c kclCluster) imported(name string) imported {
	i := imported{name: name, set: map[string]string{keyBootstrap: strings.Join(c.Seeds, ",")}}
	i.protocol(c.TLS != nil, c.SASL != nil)
	if c.TLS != nil {
		i.pemFiles(c.TLS.CA, c.TLS.Cert, c.TLS.Key)
		i.skipsChain(c.TLS.Insecure)
		if c.TLS.ServerName != "" {
			i.note("server_name is not used: the advertised host names are checked")
		}
	}
	if c.SASL != nil {
		i.mechanism(firstOf(c.SASL.Method, "PLAIN"))
		i.set["sasl.username"], i.set["sasl.password"] = c.SASL.User, c.SASL.Pass
		if c.SASL.IsToken {
			i.note("it logs in with a delegation token, which is sent as an ordinary password")
		}
	}
	return i
}
