package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"sharetop/model"
)

// executeFlags say whether a change is made. Without --execute nothing is: that
// is what Kafka's own command calls --dry-run.
type executeFlags struct{ execute, dryRun bool }

func (f *executeFlags) register(set *pflag.FlagSet) {
	set.BoolVar(&f.execute, "execute", false, "do it; without this it is only said what would be done")
	set.BoolVar(&f.dryRun, "dry-run", false, "only say what would be done (this is the default)")
}

func (f *executeFlags) check() error {
	if f.execute && f.dryRun {
		return errors.New("--execute and --dry-run exclude each other")
	}
	return nil
}

// opening connects without the power to change anything unless --execute is
// given.
func (f *executeFlags) opening() opening { return opening{mayChange: func() bool { return f.execute }} }

// outcome is what became of one thing that was to be changed.
type outcome string

const (
	planned outcome = "planned"
	done    outcome = "done"
	refused outcome = "refused"
	failed  outcome = "failed"
)

// outcomes counts what became of all of them.
type outcomes map[outcome]int

// error is what the exit code is made of.
func (o outcomes) error() error {
	well := o[planned] + o[done] + o[leftOut]
	bad := o[refused] + o[failed]
	switch {
	case bad == 0:
		return nil
	case well > 0:
		return exit(ExitPartial, fmt.Sprintf("%d of %d were not changed: each says why", bad, well+bad))
	case o[failed] == 0:
		return exit(ExitRefused, "refused: nothing was changed")
	}
	return exit(ExitFailure, "nothing was changed: each says why")
}

// cell is the word, which asks for attention where it went wrong.
func (o outcome) cell() cell {
	if o == refused || o == failed {
		return toned(word(string(o)), badTone)
	}
	return word(string(o))
}

// changer makes what looks at groups and changes them. To execute something is
// refused where the person said read-only, to look is not.
func (v *visit) changer(execute bool) (Changer, error) {
	if execute && v.readOnly() {
		return nil, exit(ExitRefused, "refused: the connection is read-only (--read-only, its variable or the profile); nothing was sent")
	}
	changer, wait, err := v.env.Changer(v.source, v.shared.auditFile)
	if err != nil {
		return nil, err
	}
	v.closers = append(v.closers, wait)
	return changer, nil
}

// remark says a line of a plan or of a result, which is a sentence already.
func (v *visit) remark(lines ...string) {
	for _, line := range lines {
		v.say("%s", lowerFirst(model.Sanitize(line)))
	}
}
