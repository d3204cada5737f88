package ui

import (
	"strings"

	"sharetop/model"
)

// emptyGroups says why there are no groups and what to do: each a sentence or
// two, wrapped to the window.
func emptyGroups(e *env) string {
	var out []string
	for _, sentence := range whyNoGroups(e) {
		out = append(out, wrap(sentence, e.body.W-2*gutter)...)
	}
	return strings.Join(out, "\n")
}

func whyNoGroups(e *env) []string {
	if e.cfg.Source == nil {
		return []string{"No cluster is connected to.", ":ctx lists those that were found on this machine."}
	}
	if e.board == nil {
		return notConnected(e)
	}
	s := e.board.Snapshot
	switch {
	case e.filter != "" && len(e.board.Rows) > 0:
		return []string{"No group matches the filter " + model.Sanitize(e.filter) + ".", "esc clears it, / changes it."}
	case s.Cluster.ShareGroups == model.ShareTooOld:
		return []string{
			"The brokers of this cluster do not know share groups.",
			"They came with Kafka 4.1 as a preview, and in full with 4.2.",
		}
	case s.Cluster.ShareGroups == model.ShareDisabled:
		return []string{
			"Share groups are off in this cluster: the feature share.version is not set.",
			"kafka-features.sh --bootstrap-server HOST:PORT upgrade --feature share.version=1 turns them on.",
		}
	case s.Listed.IsZero():
		return append(append(notConnected(e), problemSentences(s.Problems)...), elsewhere(e, s.Problems)...)
	default:
		return append([]string{
			"There are no share groups here, or none that you may see (DESCRIBE on the group).",
			"A group appears when its first share consumer joins. :group ID asks for one by name.",
		}, problemSentences(s.Problems)...)
	}
}

// elsewhere says what else can be done while a cluster can't be reached.
func elsewhere(e *env, problems []model.Problem) []string {
	if e.cfg.Clusters == nil || len(problems) == 0 {
		return nil
	}
	return []string{"", "It is tried again by itself. :ctx goes to another cluster, :settings shows what was set."}
}

// notConnected says which brokers are tried and what came of it.
func notConnected(e *env) []string {
	out := []string{"No broker has listed its groups yet."}
	if len(e.cfg.Bootstrap) > 0 {
		out = []string{"Connecting to " + model.Sanitize(strings.Join(e.cfg.Bootstrap, ", ")) + "."}
	}
	if e.feed.err != nil {
		out = append(out, model.Sanitize(e.feed.err.Error()))
	}
	return out
}

// maxSentences bounds the problems that an empty page shows; ! shows all.
const maxSentences = 4

func problemSentences(problems []model.Problem) []string {
	var out []string
	for _, p := range problems[:min(len(problems), maxSentences)] {
		out = append(out, "", p.Target.String()+": "+p.Detail)
		if p.Advice != "" {
			out = append(out, "next: "+p.Advice)
		}
	}
	return out
}
