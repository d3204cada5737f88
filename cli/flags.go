package cli

import (
	"errors"
	"fmt"
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
	connect           connectFlags
	group             string
	once              bool
	output            string
	watch             time.Duration
	demo              bool
	offsetsFrom       string
	utc, ascii        bool
	auditFile         string
	logValues         bool
	interval, timeout time.Duration
	version           bool
}

func (f *flags) register(set *pflag.FlagSet) {
	set.SortFlags = false
	set.StringVar(&f.group, "group", "", "open this share `group`, or with --once print only it")
	set.StringVar(&f.offsetsFrom, "offsets-from", string(model.OffsetsAuto),
		"where start offsets and lag come from: auto, requests or state-topic (`source`)")
	set.BoolVar(&f.demo, "demo", false, "watch a demo cluster inside this program")
	set.BoolVar(&f.once, "once", false, "print one look and exit")
	set.StringVarP(&f.output, "output", "o", "table", "with --once: table, json or csv (`format`)")
	set.DurationVar(&f.watch, "for", 0, "with --once: watch this long first, so that there are rates (`duration`, e.g. 10s)")
	set.DurationVar(&f.timeout, "timeout", defaultTimeout,
		"with --once: give up after so long without news of the cluster (`duration`)")
	set.DurationVar(&f.interval, "interval", model.DefaultInterval, "time between two looks (`duration`, 500ms to 1m)")
	set.StringVar(&f.auditFile, "audit-file", "",
		"write acknowledgements to this `file`, not to $XDG_STATE_HOME/sharetop/audit.jsonl")
	set.BoolVar(&f.logValues, "log-values", false, "write keys and values of records to the audit file too")
	set.BoolVar(&f.utc, "utc", false, "show times of day in UTC")
	set.BoolVar(&f.ascii, "ascii", false, "write ASCII only")
	set.BoolVar(&f.version, "version", false, "print the version and exit")
}

// settings are flags and environment, checked and put together.
type settings struct {
	// request says how to connect; connection is what has come of it.
	request           model.ConnectRequest
	connection        model.Connection
	group             string
	once, demo        bool
	format            format
	watch             time.Duration
	utc, ascii        bool
	auditFile         string
	logValues         bool
	interval, timeout time.Duration
}

// settings checks the flags; changed tells which were given. The error is one
// sentence.
func (f *flags) settings(changed func(string) bool, getenv func(string) string) (settings, error) {
	s := settings{
		group: f.group, once: f.once, demo: f.demo, watch: f.watch, utc: f.utc,
		ascii: f.ascii || !speaksUTF8(getenv), interval: f.interval, timeout: f.timeout,
		auditFile: f.auditFile, logValues: f.logValues,
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
	s.request = f.connect.request()
	s.request.NoCluster = f.demo
	s.connection.DialTimeout = min(f.timeout, model.DefaultDialTimeout)
	return s, nil
}

// check finds values that are out of bounds and flags that do not go together.
func (f *flags) check(changed func(string) bool) error {
	for _, name := range []string{"output", "for", "timeout"} {
		if changed(name) && !f.once {
			return fmt.Errorf("--%s does nothing without --once", name)
		}
	}
	if changed("group") && f.group == "" {
		return errors.New("--group needs the id of a share group")
	}
	if err := f.checkDemo(); err != nil {
		return err
	}
	switch {
	case changed("for") && (f.watch <= 0 || f.watch > maxWatch):
		return fmt.Errorf("--for %s is out of bounds: use more than 0 and at most %s", f.watch, maxWatch)
	case f.timeout <= 0 || f.timeout > maxTimeout:
		return fmt.Errorf("--timeout %s is out of bounds: use more than 0 and at most %s", f.timeout, maxTimeout)
	case f.interval < model.MinInterval || f.interval > model.MaxInterval:
		return fmt.Errorf("--interval %s is out of bounds: use %s to %s", f.interval, model.MinInterval, model.MaxInterval)
	}
	return nil
}

// checkDemo finds flags about another cluster than the demo's.
func (f *flags) checkDemo() error {
	switch c := &f.connect; {
	case f.demo && len(c.bootstrap) > 0:
		return errors.New("--demo brings its own cluster: leave out --bootstrap-server")
	case f.demo && (c.commandConfig != "" || c.context != ""):
		return errors.New("--demo brings its own cluster: leave out --command-config and --context")
	}
	return nil
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
