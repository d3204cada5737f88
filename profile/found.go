package profile

import (
	"fmt"
	"slices"
	"strings"

	"sharetop/model"
)

// List gives all profiles on this machine for a person to choose from. Nothing
// is asked and no key store is opened for it. Problems and notes say which file
// could not be read, or only half.
func List(env Env) []model.Profile {
	found := FindProfiles(env)
	out := make([]model.Profile, len(found))
	for i, p := range found {
		out[i] = p.summary(env)
	}
	return out
}

// summary is what a person is told of a profile.
func (p *Profile) summary(env Env) model.Profile {
	text := func(s string) model.Text { return model.NewText(env.short(s)) }
	out := model.Profile{Name: model.NewText(p.Name), Source: text(p.Source), Problem: text(p.Problem)}
	for _, note := range p.Notes {
		out.Notes = append(out.Notes, text(note))
	}
	if p.Problem != "" {
		return out
	}
	s, err := merge(p.layers)
	if err == nil {
		err = s.refused()
	}
	if err != nil {
		out.Problem = text(err.Error())
		return out
	}
	servers := splitList(s.get(keyBootstrap, "metadata.broker.list"))
	out.Bootstrap = model.NewText(strings.Join(servers, ", "))
	out.Security = model.NewText(s.securityText())
	out.Way = model.NewText(s.wayText())
	out.ReadOnly = s.readOnly != ""
	if c := model.ClusterColor(strings.ToLower(s.get(keyColor))); c.Known() {
		out.Color = c
	}
	if len(servers) == 0 {
		out.Problem = text(fmt.Sprintf("%s: %s names no brokers", p.Source, p.Name))
	}
	if unknown := s.unknown(); len(unknown) > 0 {
		out.Notes = append(out.Notes, text(fmt.Sprintf("%s: not known to sharetop and ignored: %s",
			p.Source, strings.Join(unknown, ", "))))
	}
	return out
}

// securityText is the protocol with the mechanism.
func (s *settings) securityText() string {
	protocol := model.SecurityProtocol(strings.ToUpper(firstOf(s.get("security.protocol"), string(model.Plaintext))))
	if !protocol.LogsIn() {
		return string(protocol)
	}
	return string(protocol) + " " + strings.ToUpper(firstOf(s.get("sasl.mechanism", "sasl.mechanisms"), string(model.MechanismGSSAPI)))
}

// wayText is the way in words; empty where it is direct.
func (s *settings) wayText() string {
	var parts []string
	if proxy := s.get(keySOCKS5); proxy != "" {
		parts = append(parts, "SOCKS5 "+proxy)
	}
	if jumps := splitList(s.get(keySSHJump)); len(jumps) > 0 {
		parts = append(parts, "SSH "+strings.Join(jumps, ", "))
	}
	return strings.Join(parts, "; ")
}

// maxUnknown bounds how many settings a note names.
const maxUnknown = 10

// unknown are the keys that nobody has heard of.
func (s *settings) unknown() []string {
	var keys []string
	for key := range s.byKey {
		if useOf(key) == useUnknown {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys[:min(len(keys), maxUnknown)]
}
