package profile

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"sharetop/model"
)

// Sources of settings that stand nowhere.
const (
	sourceDefault = "default"
	sourceAsked   = "asked"
)

// list gives the effective settings for printing, sorted by key.
func (s *settings) list() []model.Setting {
	out := make([]model.Setting, 0, len(s.byKey))
	for _, e := range s.byKey {
		out = append(out, s.shown(e))
	}
	slices.SortFunc(out, func(a, b model.Setting) int { return cmp.Compare(a.Key, b.Key) })
	return out
}

// withDefaults adds to a list what holds where nobody has set anything.
func (s *settings) withDefaults(list []model.Setting) []model.Setting {
	defaults := map[string]string{"security.protocol": string(model.Plaintext), keyReadOnly: "false"}
	protocol := model.SecurityProtocol(strings.ToUpper(s.get("security.protocol")))
	if protocol.Encrypted() {
		defaults["ssl.endpoint.identification.algorithm"] = "https"
		defaults["ssl.enabled.protocols"] = "TLSv1.2,TLSv1.3"
		if s.get("ssl.truststore.certificates", "ssl.ca.pem", "ssl.ca.location") == "" {
			defaults["ssl.truststore.location"] = "the system's authorities"
		}
	}
	if protocol.LogsIn() && s.get("sasl.mechanisms") == "" {
		defaults["sasl.mechanism"] = string(model.MechanismGSSAPI)
	}
	for key, value := range defaults {
		if _, set := s.byKey[key]; !set {
			list = append(list, model.Setting{Key: key, Value: value, Source: sourceDefault})
		}
	}
	slices.SortFunc(list, func(a, b model.Setting) int { return cmp.Compare(a.Key, b.Key) })
	return list
}

// shown is a setting as it may be printed. A value whose key is not understood
// is not shown either: a password under a key with a slip in it is still one.
func (s *settings) shown(e entry) model.Setting {
	set := model.Setting{Key: e.key, Value: withoutLogin(e.value), Source: e.source}
	if e.key == keyReadOnly && s.readOnly != "" {
		set.Value, set.Source = "true", s.readOnly
	}
	hidden := isSecretName(e.key)
	switch useOf(e.key) {
	case useSecret:
		hidden = true
	case useIgnored:
		set.Note = "ignored by sharetop"
	case useUnknown:
		set.Note, hidden = "not known to sharetop, ignored", true
	case useRefused:
		set.Note, hidden = "not supported", true
	case useYes:
	}
	if hidden {
		set.Value = model.NewSecret(e.value).String()
	}
	return set
}

// withoutLogin hides user and password in the addresses of a value.
func withoutLogin(value string) string {
	if !strings.Contains(value, "://") || !strings.Contains(value, "@") {
		return value
	}
	if u, err := url.Parse(value); err == nil && u.User != nil {
		u.User = nil
		return strings.Replace(u.String(), "://", "://"+model.NewSecret("login").String()+"@", 1)
	}
	return model.NewSecret(value).String()
}
