package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"sharetop/model"
)

// groupFlags name the groups that a verb is about: as arguments, or with --group
// as for Kafka's own command.
type groupFlags struct {
	ids []string
	all bool
}

func (f *groupFlags) register(set *pflag.FlagSet) {
	set.StringArrayVar(&f.ids, "group", nil, "share `group`; the same as an argument")
}

// registerAll is register for verbs that can be about all groups.
func (f *groupFlags) registerAll(set *pflag.FlagSet) {
	f.register(set)
	set.BoolVar(&f.all, "all-groups", false, "all share groups of the cluster")
}

// maxGroups bounds how many groups can be named.
const maxGroups = 10_000

// named are the groups, each once; none when all are meant.
func (f *groupFlags) named(args []string) ([]model.GroupID, error) {
	var ids []model.GroupID
	seen := map[string]bool{}
	for _, raw := range append(append([]string{}, args...), f.ids...) {
		if raw == "" {
			return nil, errors.New("a group has an empty name")
		}
		if !seen[raw] {
			seen[raw] = true
			ids = append(ids, model.NewGroupID(raw))
		}
	}
	switch {
	case f.all && len(ids) > 0:
		return nil, errors.New("name groups or give --all-groups, not both")
	case !f.all && len(ids) == 0:
		return nil, errors.New("no share group was named")
	case len(ids) > maxGroups:
		return nil, fmt.Errorf("%d groups were named; use at most %d", len(ids), maxGroups)
	}
	return ids, nil
}

// one is the only group.
func (f *groupFlags) one(args []string) (model.GroupID, error) {
	ids, err := f.named(args)
	switch {
	case err != nil:
		return model.GroupID{}, err
	case len(ids) > 1:
		return model.GroupID{}, fmt.Errorf("one share group at a time: %d were named", len(ids))
	}
	return ids[0], nil
}
