package cli

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"sharetop/model"
)

// Environment variables that stand for flags.
const (
	envBootstrap = "SHARETOP_BOOTSTRAP_SERVER"
	envReadOnly  = "SHARETOP_READ_ONLY"
)

// Bounds and defaults of flags.
const (
	// defaultTimeout is how long --once waits without any news of the cluster.
	defaultTimeout = 10 * time.Second
	// maxWatch bounds --for.
	maxWatch = time.Hour
	// maxTimeout bounds --timeout.
	maxTimeout = time.Hour
)

// flags are the flags as given.
type flags struct {
	bootstrap         []string
	group             string
	readOnly          bool
	once              bool
	output            string
	watch             time.Duration
	demo              bool
	offsetsFrom       string
	utc, ascii        bool
	interval, timeout time.Duration
	version           bool
}

func (f *flags) register(set *pflag.FlagSet) {
	set.SortFlags = false
	set.StringSliceVar(&f.bootstrap, "bootstrap-server", nil,
		"brokers to start from, as `HOST:PORT,…` (environment: "+envBootstrap+")")
	set.StringVar(&f.group, "group", "", "open this share `group`, or with --once print only it")
	set.BoolVar(&f.readOnly, "read-only", false,
		"refuse every request that could change something (environment: "+envReadOnly+"=1)")
	set.StringVar(&f.offsetsFrom, "offsets-from", string(model.OffsetsAuto),
		"where start offsets and lag come from: auto, requests or state-topic (`source`)")
	set.BoolVar(&f.demo, "demo", false, "watch a demo cluster inside this program")
	set.BoolVar(&f.once, "once", false, "print one look and exit")
	set.StringVarP(&f.output, "output", "o", "table", "with --once: table, json or csv (`format`)")
	set.DurationVar(&f.watch, "for", 0, "with --once: watch this long first, so that there are rates (`duration`, e.g. 10s)")
	set.DurationVar(&f.timeout, "timeout", defaultTimeout,
		"with --once: give up after so long without news of the cluster (`duration`)")
	set.DurationVar(&f.interval, "interval", model.DefaultInterval, "time between two looks (`duration`, 500ms to 1m)")
	set.BoolVar(&f.utc, "utc", false, "show times of day in UTC")
	set.BoolVar(&f.ascii, "ascii", false, "write ASCII only")
	set.BoolVar(&f.version, "version", false, "print the version and exit")
}

// settings are flags and environment, checked and put together.
type settings struct {
	connection        model.Connection
	group             string
	once, demo        bool
	format            format
	watch             time.Duration
	utc, ascii        bool
	interval, timeout time.Duration
}

// settings checks the flags; changed tells which were given. The error is one
// sentence.
func (f *flags) settings(changed func(string) bool, getenv func(string) string) (settings, error) {
	s := settings{
		group: f.group, once: f.once, demo: f.demo, watch: f.watch, utc: f.utc,
		ascii: f.ascii || !speaksUTF8(getenv), interval: f.interval, timeout: f.timeout,
	}
	if err := f.check(changed); err != nil {
		return s, err
	}
	var err error
	if s.format, err = parseFormat(f.output); err != nil {
		return s, err
	}
	if s.connection.OffsetsFrom, err = model.ParseOffsetsChoice(f.offsetsFrom); err != nil {
		return s, fmt.Errorf("--offsets-from: %w", err)
	}
	readOnly, err := truth(envReadOnly, getenv(envReadOnly))
	if err != nil {
		return s, err
	}
	// One look changes nothing, so it need not be able to.
	s.connection.ReadOnly = f.readOnly || readOnly || f.once
	s.connection.DialTimeout = min(f.timeout, model.DefaultDialTimeout)
	if f.demo {
		return s, nil
	}
	s.connection.Bootstrap, err = bootstrapServers(f.bootstrap, getenv(envBootstrap))
	return s, err
}

// check finds values that are out of bounds and flags that do not go together.
func (f *flags) check(changed func(string) bool) error {
	for _, name := range []string{"output", "for", "timeout"} {
		if changed(name) && !f.once {
			return fmt.Errorf("--%s does nothing without --once", name)
		}
	}
	switch {
	case changed("group") && f.group == "":
		return errors.New("--group needs the id of a share group")
	case f.demo && len(f.bootstrap) > 0:
		return errors.New("--demo brings its own cluster: leave out --bootstrap-server")
	case changed("for") && (f.watch <= 0 || f.watch > maxWatch):
		return fmt.Errorf("--for %s is out of bounds: use more than 0 and at most %s", f.watch, maxWatch)
	case f.timeout <= 0 || f.timeout > maxTimeout:
		return fmt.Errorf("--timeout %s is out of bounds: use more than 0 and at most %s", f.timeout, maxTimeout)
	case f.interval < model.MinInterval || f.interval > model.MaxInterval:
		return fmt.Errorf("--interval %s is out of bounds: use %s to %s", f.interval, model.MinInterval, model.MaxInterval)
	}
	return nil
}

// bootstrapServers takes the flag, else the environment, and checks each.
func bootstrapServers(flag []string, env string) ([]string, error) {
	origin, servers := "--bootstrap-server", flag
	if len(servers) == 0 {
		origin, servers = envBootstrap, strings.Split(env, ",")
	}
	for i := range servers {
		servers[i] = strings.TrimSpace(servers[i])
	}
	servers = slices.DeleteFunc(servers, func(s string) bool { return s == "" })
	if len(servers) == 0 {
		return nil, fmt.Errorf("no cluster to watch: give --bootstrap-server HOST:PORT, set %s, or try --demo", envBootstrap)
	}
	for _, s := range servers {
		host, port, err := net.SplitHostPort(s)
		if err != nil || host == "" {
			return nil, fmt.Errorf("%s: %q is not HOST:PORT, e.g. localhost:9092", origin, s)
		}
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return nil, fmt.Errorf("%s: the port of %q is not a number from 1 to 65535", origin, s)
		}
	}
	return servers, nil
}

// truth reads a switch from the environment. What is neither yes nor no is an
// error: a misspelt read-only must not be taken for off.
func truth(name, value string) (bool, error) {
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "", "0", "false", "no", "off":
		return false, nil
	case "1", "true", "yes", "on":
		return true, nil
	}
	return false, fmt.Errorf("%s=%s is neither yes nor no: set it to 1 or 0", name, value)
}

// speaksUTF8 tells whether the locale can show more than ASCII. Where none is
// set, as in many containers, terminals do.
func speaksUTF8(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToLower(getenv(name)); locale != "" {
			return strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
		}
	}
	return true
}
