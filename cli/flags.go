package cli

import (
	"errors"
	"fmt"
	"strconv"
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
	maxTimeout = 24 * time.Hour
)

// sharedFlags are those that every command takes beside connectFlags.
type sharedFlags struct {
	output      string
	noHeader    bool
	timeout     time.Duration
	demo        bool
	offsetsFrom string
	utc, ascii  bool
	auditFile   string
	budget      model.StateBudget
}

func (f *sharedFlags) register(set *pflag.FlagSet) {
	set.SortFlags = false
	set.StringVarP(&f.output, "output", "o", "table", "`format`: table, wide, json, jsonl or csv")
	set.BoolVar(&f.noHeader, "no-header", false, "leave out the line of titles in tables and CSV")
	f.timeout = defaultTimeout
	set.Var((*timeoutValue)(&f.timeout), "timeout",
		"give up after this `duration` without news, e.g. 10s; a bare number is milliseconds, as for Kafka's own commands")
	set.StringVar(&f.offsetsFrom, "offsets-from", string(model.OffsetsAuto),
		"`source` of start offsets and lag: auto, requests or state-topic")
	set.Func("state-topic-memory", "`size` of what reading the state topic may take of memory, 256MB unless set; above it requests take over", f.budget.SetMemory)
	set.Func("state-topic-load", "`duration` that loading it may take, 10s unless set", f.budget.SetLoad)
	set.Func("state-topic-rate", "`size` that it may bring a second, averaged over a minute, 1MB unless set", f.budget.SetRate)
	set.BoolVar(&f.demo, "demo", false, "use a demo cluster inside this program")
	set.StringVar(&f.auditFile, "audit-file", "",
		"write changes and acknowledgements down in this `file`, not in $XDG_STATE_HOME/sharetop/audit.jsonl")
	set.BoolVar(&f.utc, "utc", false, "show times of day in UTC")
	set.BoolVar(&f.ascii, "ascii", false, "write ASCII only")
}

// check finds values that are out of bounds.
func (f *sharedFlags) check(connect *connectFlags) error {
	switch {
	case f.timeout <= 0 || f.timeout > maxTimeout:
		return fmt.Errorf("--timeout %s is out of bounds: use more than 0 and at most %s", f.timeout, maxTimeout)
	case f.demo && len(connect.bootstrap) > 0:
		return errors.New("--demo brings its own cluster: leave out --bootstrap-server")
	case f.demo && (connect.commandConfig != "" || connect.context != ""):
		return errors.New("--demo brings its own cluster: leave out --command-config and --context")
	}
	return nil
}

// offsetsChoice reads --offsets-from.
func (f *sharedFlags) offsetsChoice() (model.OffsetsChoice, error) {
	choice, err := model.ParseOffsetsChoice(f.offsetsFrom)
	if err != nil {
		return choice, fmt.Errorf("--offsets-from: %w", err)
	}
	return choice, nil
}

// timeoutValue is a duration that may be a bare number of milliseconds.
type timeoutValue time.Duration

// Set reads the flag.
func (v *timeoutValue) Set(text string) error {
	if ms, err := strconv.ParseInt(text, 10, 32); err == nil {
		*v = timeoutValue(time.Duration(ms) * time.Millisecond)
		return nil
	}
	d, err := time.ParseDuration(text)
	*v = timeoutValue(d)
	return err
}

// String is the value as it is shown in help.
func (v *timeoutValue) String() string { return time.Duration(*v).String() }

// Type is pflag's name for the value.
func (v *timeoutValue) Type() string { return "duration" }

// rootFlags are those of the screen and of --once.
type rootFlags struct {
	group     string
	once      bool
	watch     time.Duration
	logValues bool
	interval  time.Duration
	version   bool
}

func (f *rootFlags) register(set *pflag.FlagSet) {
	set.SortFlags = false
	set.StringVar(&f.group, "group", "", "open this share `group`, or with --once print only it")
	set.BoolVar(&f.once, "once", false, "print one look and exit")
	set.DurationVar(&f.watch, "for", 0, "with --once: watch for this `duration` first, e.g. 10s, so that there are rates")
	set.DurationVar(&f.interval, "interval", model.DefaultInterval, "`duration` between two looks, 500ms to 1m")
	set.BoolVar(&f.logValues, "log-values", false, "write keys and values of records to the audit file too")
	set.BoolVar(&f.version, "version", false, "print the version and exit")
}

// check finds values that are out of bounds and flags that do nothing; changed
// tells which were given.
func (f *rootFlags) check(changed func(string) bool, form format) error {
	for _, name := range []string{"output", "for", "timeout", "no-header"} {
		if changed(name) && !f.once {
			return fmt.Errorf("--%s does nothing without --once or a command", name)
		}
	}
	switch {
	case changed("group") && f.group == "":
		return errors.New("--group needs the id of a share group")
	case changed("no-header"):
		return errors.New("--once has no --no-header: use one of the commands")
	case f.once && (form == formatWide || form == formatJSONLines):
		return errors.New("--once prints table, json or csv: for wide and jsonl use one of the commands")
	case f.interval < model.MinInterval || f.interval > model.MaxInterval:
		return fmt.Errorf("--interval %s is out of bounds: use %s to %s", f.interval, model.MinInterval, model.MaxInterval)
	}
	return checkWatch(f.watch, changed("for"))
}

// checkWatch checks the value of --for where it was given.
func checkWatch(watch time.Duration, given bool) error {
	if given && (watch <= 0 || watch > maxWatch) {
		return fmt.Errorf("--for %s is out of bounds: use more than 0 and at most %s", watch, maxWatch)
	}
	return nil
}
