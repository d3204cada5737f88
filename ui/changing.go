package ui

import (
	"context"

	"sharetop/keymap"
	"sharetop/model"
)

// Changer is what the screen changes share groups with. Every call may take
// seconds and is made in a command. What a call refuses is an error in a
// sentence; what came of a change that was tried stands in its result.
type Changer interface {
	// Look looks at a group and its logs, for a plan.
	Look(ctx context.Context, r model.LookRequest) (*model.GroupLook, error)
	// Crossed reads when the records were written that the rows of a plan pass
	// over; what can't be read is left out.
	Crossed(ctx context.Context, p *model.Plan) map[model.TopicPartition]model.Crossed
	// Reset writes a plan, unless something moved since it was made.
	Reset(ctx context.Context, p *model.Plan) (*model.ResetResult, error)
	// DeleteGroups deletes groups one by one.
	DeleteGroups(ctx context.Context, ids []model.GroupID) ([]model.DeleteResult, error)
	// DeleteOffsets deletes what a group has of one topic.
	DeleteOffsets(ctx context.Context, id model.GroupID, topic model.TopicName) (model.DeleteResult, error)
	// LookConfig looks at what a change of a config is judged by.
	LookConfig(ctx context.Context, c model.ConfigChange) (*model.ConfigFacts, error)
	// ChangeConfig sets or unsets one config of a group.
	ChangeConfig(ctx context.Context, c model.ConfigChange) (*model.ConfigResult, error)
}

// whyNoChanges is why nothing can be changed; empty when it can.
func whyNoChanges(cfg *Config) string {
	switch {
	case cfg.ReadOnly:
		return "read-only"
	case cfg.Changer == nil:
		return "nothing can be changed here"
	}
	return ""
}

// withChanges turns the keys off that change something when nothing can be
// changed.
func withChanges(k keymap.KeyMap, cfg *Config) keymap.KeyMap {
	why := whyNoChanges(cfg)
	if why == "" {
		return k
	}
	for _, b := range []*keymap.Binding{
		&k.Groups.Reset, &k.Groups.Delete, &k.Group.Reset, &k.Group.Delete, &k.Config.Edit, &k.Config.Unset,
	} {
		if !b.IsOff() {
			*b = b.Off(why)
		}
	}
	return k
}
