package dial

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// hop is one SSH host on the way.
type hop struct {
	// name is how the person calls it.
	name string
	// addr is host:port to dial, user whom to log in as.
	addr, user string
	// identities are key files; onlyThese leaves other keys of the agent out.
	identities []string
	onlyThese  bool
	knownHosts []string
}

// Bounds of ~/.ssh/config.
const (
	// maxHops bounds the way, with all ProxyJump in it.
	maxHops = 8
	// maxIncludes bounds how deep Include goes.
	maxIncludes = 8
	maxConfig   = 1 << 20 // bytes a file
)

// hops turns -J's list into hosts. As in OpenSSH only the first may have a
// ProxyJump of its own.
func hops(jumps []string, o Options) ([]hop, error) {
	lines, err := readConfigs(o)
	if err != nil {
		return nil, err
	}
	jumps = slices.Clone(jumps)
	for range maxHops {
		first, err := parseJump(jumps[0])
		if err != nil {
			return nil, err
		}
		via := lookup(lines, first.name)["proxyjump"]
		if len(via) == 0 || strings.EqualFold(via[0], "none") {
			break
		}
		jumps = append(strings.Split(via[0], ","), jumps...)
	}
	if len(jumps) > maxHops {
		return nil, fmt.Errorf("the way through SSH has more than %d hosts: is a ProxyJump going round in circles?", maxHops)
	}
	var out []hop
	for _, jump := range jumps {
		h, err := parseJump(jump)
		if err != nil {
			return nil, err
		}
		h.fill(lookup(lines, h.name), o)
		out = append(out, h)
	}
	return out, nil
}

// parseJump reads [user@]host[:port] or ssh://[user@]host[:port].
func parseJump(text string) (hop, error) {
	text = strings.TrimPrefix(strings.TrimSpace(text), "ssh://")
	h := hop{}
	if at := strings.LastIndexByte(text, '@'); at >= 0 {
		h.user, text = text[:at], text[at+1:]
	}
	h.name = strings.Trim(text, "[]")
	if host, port, err := net.SplitHostPort(text); err == nil {
		h.name, h.addr = host, net.JoinHostPort("", port)
	}
	if h.name == "" || strings.ContainsAny(h.name, " /") {
		return h, errors.New("--ssh-jump needs [USER@]HOST[:PORT], or a Host of ~/.ssh/config")
	}
	return h, nil
}

// fill adds what the configuration says of a host; what is given counts first.
func (h *hop) fill(set map[string][]string, o Options) {
	first := func(key, other string) string {
		if v := set[key]; len(v) > 0 {
			return v[0]
		}
		return other
	}
	host := strings.ReplaceAll(first("hostname", h.name), "%h", h.name)
	_, port, _ := net.SplitHostPort(h.addr)
	if port == "" {
		port = first("port", "22")
	}
	h.addr = net.JoinHostPort(host, port)
	if h.user == "" {
		h.user = first("user", o.User)
	}
	h.onlyThese = strings.EqualFold(first("identitiesonly", "no"), "yes")
	expand := strings.NewReplacer("%d", o.Home, "%h", host, "%r", h.user, "%u", o.User, "%p", port, "%n", h.name, "%%", "%")
	for _, file := range set["identityfile"] {
		h.identities = append(h.identities, inHome(expand.Replace(file), o.Home))
	}
	for _, file := range strings.Fields(first("userknownhostsfile", "~/.ssh/known_hosts ~/.ssh/known_hosts2")) {
		h.knownHosts = append(h.knownHosts, inHome(expand.Replace(file), o.Home))
	}
	h.knownHosts = append(h.knownHosts, "/etc/ssh/ssh_known_hosts")
}

func inHome(file, home string) string {
	if rest, ok := strings.CutPrefix(file, "~/"); ok {
		return filepath.Join(home, rest)
	}
	return file
}

// configLine is one keyword of ssh_config with the block that it stands in.
type configLine struct {
	// hosts are the patterns of the block; nil for lines before any.
	hosts []string
	// never says that the block's condition (Match) is not understood.
	never      bool
	key, value string
}

// readConfigs reads the person's and the system's configuration. Files that are
// not there are no error.
func readConfigs(o Options) ([]configLine, error) {
	var all []configLine
	for _, file := range []string{filepath.Join(o.Home, ".ssh", "config"), "/etc/ssh/ssh_config"} {
		lines, err := readConfig(file, filepath.Dir(file), o.Home, configLine{}, 0)
		if err != nil {
			return nil, err
		}
		all = append(all, lines...)
	}
	return all, nil
}

func readConfig(file, base, home string, block configLine, depth int) ([]configLine, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the SSH settings can't be read: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxConfig))
	if err != nil {
		return nil, fmt.Errorf("the SSH settings in %s can't be read: %w", file, err)
	}
	var out []configLine
	for line := range strings.Lines(string(text)) {
		key, value := cutKeyword(line)
		switch key {
		case "":
		case "host":
			block = configLine{hosts: strings.Fields(value)}
		case "match":
			block = configLine{hosts: []string{"*"}, never: !strings.EqualFold(value, "all")}
		case "include":
			if depth == maxIncludes {
				return nil, fmt.Errorf("%s: Include goes deeper than %d files", file, maxIncludes)
			}
			for _, pattern := range strings.Fields(value) {
				more, err := include(inHome(pattern, home), base, home, block, depth)
				if err != nil {
					return nil, err
				}
				out = append(out, more...)
			}
		default:
			out = append(out, configLine{hosts: block.hosts, never: block.never, key: key, value: value})
		}
	}
	return out, nil
}

// include reads all files of a pattern.
func include(pattern, base, home string, block configLine, depth int) ([]configLine, error) {
	if !filepath.IsAbs(pattern) {
		pattern = filepath.Join(base, pattern)
	}
	files, _ := filepath.Glob(pattern)
	var out []configLine
	for _, file := range files {
		more, err := readConfig(file, base, home, block, depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// cutKeyword splits a line: the keyword in small letters, and its argument
// without quotes.
func cutKeyword(line string) (key, value string) {
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' {
		return "", ""
	}
	end := strings.IndexAny(line, " \t=")
	if end < 0 {
		return strings.ToLower(line), ""
	}
	value = strings.TrimLeft(line[end:], " \t")
	value = strings.TrimSpace(strings.TrimPrefix(value, "="))
	if len(value) > 1 && value[0] == '"' && value[len(value)-1] == '"' {
		value = value[1 : len(value)-1]
	}
	return strings.ToLower(line[:end]), value
}

// lookup gathers what holds for a host. Of most keywords the first value counts;
// all are kept, since those of IdentityFile add up.
func lookup(lines []configLine, host string) map[string][]string {
	set := map[string][]string{}
	for _, l := range lines {
		if !l.never && (l.hosts == nil || matchesHost(l.hosts, host)) {
			set[l.key] = append(set[l.key], l.value)
		}
	}
	return set
}

// matchesHost holds a host against the patterns of a Host line: one must fit,
// and none with a ! before it.
func matchesHost(patterns []string, host string) bool {
	fits := false
	for _, p := range patterns {
		pattern, negated := strings.CutPrefix(p, "!")
		ok, err := path.Match(strings.ToLower(pattern), strings.ToLower(host))
		switch {
		case err != nil || !ok:
		case negated:
			return false
		default:
			fits = true
		}
	}
	return fits
}
