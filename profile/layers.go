package profile

import (
	"fmt"
	"strings"

	"sharetop/model"
)

// entry is one setting of one source.
type entry struct {
	key, value string
	// source is a flag, a variable, or a file with its line.
	source string
	// onCommandLine says that everybody on this machine can read the value.
	onCommandLine bool
}

// layer is all that one source says. Of two layers the one that comes first
// counts; inside one the last entry of a key does.
type layer struct {
	entries []entry
	// providers resolve ${…} in this layer's values; empty for none.
	expand func(value string) (string, error)
}

// withProxyParts takes user and password out of a proxy written as a person may
// write it, user:password@host:port, so that they are treated as what they are.
func (l layer) withProxyParts() layer {
	var out []entry
	for _, e := range l.entries {
		at := strings.LastIndexByte(e.value, '@')
		if e.key != keySOCKS5 || at < 0 {
			out = append(out, e)
			continue
		}
		login := e.value[:at]
		e.value = e.value[at+1:]
		out = append(out, e)
		user, password, _ := strings.Cut(login, ":")
		for key, value := range map[string]string{keySOCKS5User: user, keySOCKS5Password: password} {
			if value != "" {
				e.key, e.value = key, value
				out = append(out, e)
			}
		}
	}
	l.entries = out
	return l
}

// settings are the effective entries, by key.
type settings struct {
	byKey map[string]entry
	// readOnly is the first source that wants it; nothing turns it off.
	readOnly string
	// asked fills in what is missing; nil where nobody can be asked.
	ask func(prompt string) (model.Secret, error)
	// env is the world that files are read from.
	env Env
	// warnings are sentences.
	warnings []string
}

// merge puts layers together, the most important one first.
func merge(layers []layer) (*settings, error) {
	s := &settings{byKey: map[string]entry{}}
	for _, l := range layers {
		inLayer := map[string]entry{}
		for _, e := range l.withProxyParts().entries {
			if useOf(e.key) == useYes || useOf(e.key) == useSecret {
				expanded, err := l.value(e)
				if err != nil {
					return nil, err
				}
				e.value = strings.TrimSpace(expanded)
			}
			if err := s.noteReadOnly(e); err != nil {
				return nil, err
			}
			inLayer[e.key] = e
		}
		for key, e := range inLayer {
			if _, ok := s.byKey[key]; !ok {
				s.byKey[key] = e
			}
		}
	}
	return s, nil
}

// value resolves the config providers of a layer.
func (l layer) value(e entry) (string, error) {
	if l.expand == nil || strings.HasPrefix(e.key, "config.providers") {
		return e.value, nil
	}
	v, err := l.expand(e.value)
	if err != nil {
		return "", fmt.Errorf("%s: %s: %w", e.source, e.key, err)
	}
	return v, nil
}

// noteReadOnly remembers whoever asks for read-only.
func (s *settings) noteReadOnly(e entry) error {
	if e.key != keyReadOnly {
		return nil
	}
	on, ok := truth(e.value)
	if !ok {
		if strings.HasPrefix(e.source, "SHARETOP_") {
			return fmt.Errorf("%s=%s is neither yes nor no: set it to 1 or 0", e.source, e.value)
		}
		return fmt.Errorf("%s: %s=%s is neither yes nor no: set it to 1 or 0", e.source, e.key, e.value)
	}
	if on && s.readOnly == "" {
		s.readOnly = e.source
	}
	return nil
}

// truth reads a switch; ok is false for what is neither yes nor no.
func truth(value string) (on, ok bool) {
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "", "0", "false", "no", "off":
		return false, true
	case "1", "true", "yes", "on":
		return true, true
	}
	return false, false
}

// get is the value of the first of some keys that has one.
func (s *settings) get(keys ...string) string {
	v, _ := s.lookup(keys...)
	return v
}

// lookup also tells whether any of the keys is there, perhaps empty.
func (s *settings) lookup(keys ...string) (string, bool) {
	found := false
	for _, key := range keys {
		e, ok := s.byKey[key]
		if ok && e.value != "" {
			return e.value, true
		}
		found = found || ok
	}
	return "", found
}

func (s *settings) secret(keys ...string) model.Secret { return model.NewSecret(s.get(keys...)) }

// errorf is an error about a setting that names where it stands.
func (s *settings) errorf(key, format string, args ...any) error {
	source := s.byKey[key].source
	if source != "" {
		source += ": "
	}
	return fmt.Errorf("%s%s %w", source, key, fmt.Errorf(format, args...))
}

// refused is the error of the first setting that is not supported though it
// matters.
func (s *settings) refused() error {
	for _, set := range s.list() {
		if useOf(set.Key) == useRefused {
			return s.errorf(set.Key, "is not supported, and it changes how one connects: take it out, or check its spelling")
		}
	}
	return nil
}

// warnOfUnknown names settings that nobody has heard of: one may be a slip.
func (s *settings) warnOfUnknown() {
	if unknown := s.unknown(); len(unknown) > 0 {
		s.warnings = append(s.warnings, "not known to sharetop and ignored: "+strings.Join(unknown, ", "))
	}
}

// warnOfArguments names secrets that stand in the arguments.
func (s *settings) warnOfArguments() {
	for _, set := range s.list() {
		e := s.byKey[set.Key]
		if e.onCommandLine && e.value != "" && (useOf(e.key) == useSecret || isSecretName(e.key)) {
			s.warnings = append(s.warnings, fmt.Sprintf("%s is on the command line, where everybody on this machine can read it: "+
				"put it into a file, or leave it out and be asked", e.key))
		}
	}
}
