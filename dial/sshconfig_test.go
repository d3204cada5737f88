package dial

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestSSHConfig(t *testing.T) {
	p := newPerson(t)
	p.write("config", `# comment
User everyone
Include more/*.conf
Host bastion Prod-*
  HostName="%h.example"
  Port = 2222
  IdentityFile ~/.ssh/work
  IdentityFile %d/second
  IdentitiesOnly yes
Host !prod-2 prod-*
  User first
Host prod-*
  User second
Match user x
  Port 9
Match all
  UserKnownHostsFile ~/known
Host *
  Port 23
`)
	tests := []struct {
		jump, addr, user string
		identities       int
	}{
		{"bastion", "bastion.example:2222", "everyone", 2},
		{"me2@bastion:24", "bastion.example:24", "me2", 2},
		{"ssh://a@other:25", "other:25", "a", 0},
		{"prod-1", "prod-1.example:2222", "everyone", 2},
		{"[::1]", "[::1]:23", "everyone", 0},
	}
	for _, tt := range tests {
		list, err := hops([]string{tt.jump}, p.options())
		must(t, err)
		h := list[0]
		if h.addr != tt.addr || h.user != tt.user || len(h.identities) != tt.identities || h.onlyThese != (tt.identities > 0) ||
			h.knownHosts[0] != filepath.Join(p.home, "known") {
			t.Errorf("%s: %+v, want %+v", tt.jump, h, tt)
		}
	}
	list, err := hops([]string{"bastion"}, p.options())
	must(t, err)
	want := []string{filepath.Join(p.home, ".ssh", "work"), filepath.Join(p.home, "second")}
	if !slices.Equal(list[0].identities, want) {
		t.Errorf("the key files are %q", list[0].identities)
	}
}

func TestMatchesHost(t *testing.T) {
	for _, tt := range []struct {
		patterns, host string
		want           bool
	}{
		{"*", "a", true},
		{"a?", "ab", true},
		{"a?", "a", false},
		{"!a *", "a", false},
		{"!a *", "b", true},
		{"A", "a", true},
		{"!a", "b", false},
		{"[", "[", false},
	} {
		if got := matchesHost(strings.Fields(tt.patterns), tt.host); got != tt.want {
			t.Errorf("%s fits %s: %v", tt.host, tt.patterns, got)
		}
	}
}
