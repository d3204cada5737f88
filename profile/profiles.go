package profile

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Profile is a named set of settings: of config.toml, or of another tool's
// file, which is only read.
type Profile struct {
	// Name is what --context takes: the profile's name, with the tool's name and
	// a colon before it where it is another tool's.
	Name string
	// Source is the file.
	Source string
	// Problem says why it can't be used, in one sentence; empty when it can.
	Problem string
	// Notes say what of it was not understood.
	Notes []string

	layers []layer
}

// maxProfiles bounds how many profiles of one file are taken.
const maxProfiles = 1000

// FindProfiles lists all profiles on this machine. A file that can't be read is
// a profile with a problem; the others are not stopped by it.
func FindProfiles(env Env) []Profile {
	profiles := ownProfiles(env)
	for _, tool := range otherTools() {
		profiles = append(profiles, tool.profiles(env)...)
	}
	return profiles
}

// contextLayers are the layers of the profile with a name; none without one.
func contextLayers(env Env, name string) ([]layer, []string, error) {
	if name == "" {
		return nil, nil, nil
	}
	var names []string
	for _, p := range FindProfiles(env) {
		if p.Name != name {
			names = append(names, p.Name)
			continue
		}
		if p.Problem != "" {
			return nil, nil, fmt.Errorf("the profile %s can't be used: %s", name, p.Problem)
		}
		named := layer{entries: []entry{{key: keyName, value: p.Name, source: p.Source}}}
		return append(p.layers, named), p.Notes, nil
	}
	if len(names) == 0 {
		return nil, nil, fmt.Errorf("there is no profile %s, nor any other on this machine", name)
	}
	return nil, nil, fmt.Errorf("there is no profile %s: there are %s", name, strings.Join(names, ", "))
}

// configTree reads config.toml; an empty tree when there is none.
func configTree(env Env) (tree map[string]any, file string, err error) {
	if file = ConfigPath(env.Getenv); file == "" {
		return nil, "", nil
	}
	text, err := readBounded(file)
	if isMissing(err) {
		return nil, file, nil
	}
	if err == nil {
		tree, err = parseTOML(file, text)
	}
	return tree, file, err
}

func defaultProfile(env Env) string {
	tree, _, _ := configTree(env)
	name, _ := tree["default_profile"].(string)
	return name
}

// readOnlyEverywhere is what config.toml asks of every cluster.
func readOnlyEverywhere(env Env) layer {
	tree, file, _ := configTree(env)
	if on, _ := tree["read_only"].(bool); !on {
		return layer{}
	}
	return layer{entries: []entry{{key: keyReadOnly, value: "true", source: file}}}
}

// ownProfiles are the [profiles.NAME] tables of config.toml.
func ownProfiles(env Env) []Profile {
	tree, file, err := configTree(env)
	if err != nil {
		return []Profile{{Name: "config.toml", Source: file, Problem: oneLine(err)}}
	}
	tables, _ := tree["profiles"].(map[string]any)
	var out []Profile
	for _, name := range sortedKeys(tables) {
		p := Profile{Name: name, Source: file}
		if table, ok := tables[name].(map[string]any); ok {
			p.fill(env, table)
		} else {
			p.Problem = fmt.Sprintf("%s: profiles.%s must be a table", file, name)
		}
		out = append(out, p)
	}
	return out[:min(len(out), maxProfiles)]
}

// ownNames are the keys of a profile that stand for a setting.
func ownNames() map[string]string {
	return map[string]string{
		"bootstrap_servers": keyBootstrap, "read_only": keyReadOnly, "ssh_jump": keySSHJump, "socks5": keySOCKS5,
		"socks5_user": keySOCKS5User, "socks5_password": keySOCKS5Password, "resolve": keyResolve, "color": keyColor,
	}
}

// fill reads a profile's table. Its own settings count before those of its
// command_config.
func (p *Profile) fill(env Env, table map[string]any) {
	source := fmt.Sprintf("%s, profile %s", p.Source, p.Name)
	var own layer
	add := func(key string, value any) {
		text, ok := settingText(value)
		if !ok {
			p.Problem = fmt.Sprintf("%s: %s must be a text, a number, yes or no, or a list of texts", source, key)
			return
		}
		own.entries = append(own.entries, entry{key: key, value: text, source: source})
	}
	var file string
	for _, key := range sortedKeys(table) {
		setting, known := ownNames()[key]
		switch {
		case known:
			add(setting, table[key])
		case key == "command_config":
			file, _ = table[key].(string)
		case key == "properties":
			properties, _ := table[key].(map[string]any)
			for _, name := range sortedKeys(properties) {
				add(name, properties[name])
			}
		default:
			p.Problem = fmt.Sprintf("%s: %s is not a setting of a profile: there are command_config, properties, %s",
				source, key, strings.Join(slices.Sorted(maps.Keys(ownNames())), ", "))
		}
	}
	p.layers = append(p.layers, own)
	p.warnOfSecrets(env, own)
	if file == "" || p.Problem != "" {
		return
	}
	if rest := env.path(file); !filepath.IsAbs(rest) {
		file = filepath.Join(filepath.Dir(p.Source), rest)
	}
	l, warnings, err := fileLayer(env, file)
	if err != nil {
		p.Problem = err.Error()
	}
	p.Notes = append(p.Notes, warnings...)
	p.layers = append(p.layers, l)
}

// warnOfSecrets warns when the profile's file holds a secret and others can
// read it.
func (p *Profile) warnOfSecrets(env Env, l layer) {
	for _, e := range l.entries {
		if isSecretName(e.key) && e.value != "" {
			if w := env.readableByOthers(p.Source); w != "" {
				p.Notes = append(p.Notes, w)
			}
			return
		}
	}
}

// settingText writes a TOML or YAML value as a properties file has it.
func settingText(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case bool, int, int64, float64:
		return fmt.Sprint(v), true
	case []any:
		parts := make([]string, 0, len(v))
		for _, item := range v {
			text, ok := item.(string)
			if !ok {
				return "", false
			}
			parts = append(parts, text)
		}
		return strings.Join(parts, ","), true
	}
	return "", false
}

// isMissing tells whether a file is simply not there.
func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
