package profile

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Kafka's own config providers; others are Java code, which can't be run.
const (
	providerFile = "org.apache.kafka.common.config.provider.FileConfigProvider"
	providerDir  = "org.apache.kafka.common.config.provider.DirectoryConfigProvider"
	providerEnv  = "org.apache.kafka.common.config.provider.EnvVarConfigProvider"
)

// reference is ${provider:path:key} or ${provider:key}, as Kafka finds it.
func reference() *regexp.Regexp { return regexp.MustCompile(`\$\{([^}]*?):(([^}]*?):)?([^}]*?)\}`) }

// providers gives the function that resolves ${…} by the config providers that
// a file asks for; nil when it asks for none. A reference to a provider that is
// not declared stays as it is, as in Kafka.
func providers(env Env, properties []property) func(string) (string, error) {
	set := map[string]string{}
	for _, p := range properties {
		set[p.key] = p.value
	}
	names := splitList(set["config.providers"])
	if len(names) == 0 {
		return nil
	}
	pattern := reference()
	return func(value string) (string, error) {
		var failed error
		out := pattern.ReplaceAllStringFunc(value, func(ref string) string {
			m := pattern.FindStringSubmatch(ref)
			if !slices.Contains(names, m[1]) {
				return ref
			}
			p := provider{env: env, name: m[1], set: set}
			resolved, err := p.get(m[3], m[4])
			failed = errors.Join(failed, err)
			return resolved
		})
		return out, failed
	}
}

// provider is one config provider with its parameters.
type provider struct {
	env  Env
	name string
	set  map[string]string
}

func (p provider) param(name string) string {
	return p.set["config.providers."+p.name+".param."+name]
}

// get resolves one reference.
func (p provider) get(path, key string) (string, error) {
	switch class := strings.TrimSpace(p.set["config.providers."+p.name+".class"]); class {
	case providerFile:
		return p.fromFile(path, key)
	case providerDir:
		return p.fromDir(path, key)
	case providerEnv:
		return p.fromEnv(key)
	case "":
		return "", fmt.Errorf("config provider %s has no class: set config.providers.%s.class", p.name, p.name)
	default:
		return "", fmt.Errorf("config provider %s is the Java class %s, which sharetop can't run: it knows Kafka's file, "+
			"directory and environment providers", p.name, class)
	}
}

func (p provider) fromFile(path, key string) (string, error) {
	if err := p.allowed(path); err != nil {
		return "", err
	}
	text, err := p.env.read(path)
	if err != nil {
		return "", err
	}
	properties, err := parseProperties(decodeProperties(text))
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	for _, q := range properties {
		if q.key == key {
			return q.value, nil
		}
	}
	return "", fmt.Errorf("there is no key %s in %s", key, path)
}

// fromDir gives a whole file, each key being a file of the directory.
func (p provider) fromDir(path, key string) (string, error) {
	file := filepath.Join(path, key)
	if err := p.allowed(path); err != nil {
		return "", err
	}
	if filepath.Base(file) != key {
		return "", fmt.Errorf("%s is not the name of a file in %s", key, path)
	}
	return p.env.read(file)
}

func (p provider) fromEnv(key string) (string, error) {
	if allow := p.param("allowlist.pattern"); allow != "" {
		pattern, err := regexp.Compile("^(?:" + allow + ")$")
		if err != nil || !pattern.MatchString(key) {
			return "", fmt.Errorf("the variable %s is not allowed by allowlist.pattern", key)
		}
	}
	value := p.env.Getenv(key)
	if value == "" {
		return "", fmt.Errorf("the variable %s is not set", key)
	}
	return value, nil
}

// allowed holds allowed.paths.
func (p provider) allowed(path string) error {
	allowed := splitList(p.param("allowed.paths"))
	if len(allowed) == 0 {
		return nil
	}
	clean := filepath.Clean(path)
	for _, root := range allowed {
		if rel, err := filepath.Rel(root, clean); err == nil && rel != ".." && !strings.HasPrefix(rel, "../") {
			return nil
		}
	}
	return fmt.Errorf("%s is not inside allowed.paths of config provider %s", path, p.name)
}

// splitList reads a list with commas.
func splitList(text string) []string {
	var list []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}
