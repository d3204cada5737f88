//go:build unix

package test

import (
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"

	"sharetop/model"
)

// testForbidden watches as a user who may describe the cluster and five of six
// groups, but not the last, nor one topic of the fourth and the fifth, nor any
// config.
func testForbidden(t *testing.T, c cluster) {
	const open, hidden = "acl.open", "acl.hidden"
	groups := []string{"acl-1", "acl-2", "acl-3", "acl-half", "acl-joined", "acl-forbidden"}
	const allowed = 5
	for _, topic := range []string{open, hidden} {
		must(t, c.work.CreateTopic(t.Context(), topic, 1))
		must(t, c.work.Produce(t.Context(), topic, 0, 10))
	}
	for _, group := range groups {
		must(t, c.work.PlaceGroup(t.Context(), group, open, 4))
	}
	must(t, c.work.PlaceGroup(t.Context(), "acl-half", hidden, 0))
	grantDescribe(t, c, auditor, kadm.NewACLs().Clusters())
	grantDescribe(t, c, auditor, kadm.NewACLs().Groups(groups[:allowed]...))
	grantDescribe(t, c, auditor, kadm.NewACLs().Topics(open))

	w := watchThrough(t, c.SaslBootstrap(), dialAs(auditor, auditorPassword), groups[:allowed]...)
	board := w.until("what may be seen, and the forbidden group named", func(b *model.Board) bool {
		return hasLag(b, "acl-1", 6) && hasLag(b, "acl-2", 6) && hasLag(b, "acl-3", 6) && row(b, "acl-half") != nil &&
			row(b, "acl-half").Lag.IsKnown() && problemOf(b, model.ProblemDenied, "acl-forbidden") != nil
	})
	denied := problemOf(board, model.ProblemDenied, "acl-forbidden")
	if denied.Advice == "" || denied.Detail == "" {
		t.Errorf("the forbidden group's problem has no reason or no advice: %+v", denied)
	}
	wantFinding(t, board, "acl-forbidden", model.FindingDenied)
	if !board.Totals.Partial {
		t.Errorf("totals without the forbidden group are not marked as partial:\n%s", describe(board))
	}
	w.until("that the configs may not be read", func(b *model.Board) bool {
		return problemOf(b, model.ProblemDenied, "DESCRIBE_CONFIGS") != nil
	})
	wantHiddenTopic(t, c, w, "acl-joined", open, hidden)
}

// wantHiddenTopic lets members join a group that subscribe to a topic which the
// watcher may not describe. As long as such a member has no partition of it the
// broker shows the member, and the topic is named. Once it has one the broker
// hides the whole group and does not say which topic is the reason; neither
// must we.
func wantHiddenTopic(t *testing.T, c cluster, w *watching, group, open, hidden string) {
	t.Helper()
	// From Kafka 4.3 on a group can be told to leave some seconds between two
	// assignments (KIP-1263), so that the member can be seen without one: as many as
	// a busy machine may need from the first member to the second.
	waits := c.work.SetGroupConfig(t.Context(), group, "share.assignment.interval.ms", "15000") == nil
	accept(t, c, open, group)
	w.until("a member", func(b *model.Board) bool { return len(row(b, group).Group.Members) == 1 })
	accept(t, c, hidden, group)
	if waits {
		w.until("the hidden topic's name", func(b *model.Board) bool {
			return len(row(b, group).Group.Members) == 2 && names(b, group, hidden)
		})
	}
	w.until("a hidden group and no topic's name", func(b *model.Board) bool {
		r := row(b, group)
		return r.Verdict.Finding == model.FindingDenied && len(r.Group.Members) == 0 && !names(b, group, hidden)
	})
}

// names tells whether anything that is said of a group has a topic's name.
func names(b *model.Board, group, topic string) bool {
	r := row(b, group)
	told := append([]string{r.Verdict.Text}, r.Verdict.Next...)
	for _, sentence := range r.Verdict.Evidence {
		told = append(told, sentence.String())
	}
	for _, p := range append(slices.Clone(r.Group.Problems), b.Snapshot.Problems...) {
		told = append(told, p.Target.Raw(), p.Detail, p.Advice)
	}
	return slices.ContainsFunc(told, func(text string) bool { return strings.Contains(text, topic) })
}

// grantDescribe allows a user to describe something.
func grantDescribe(t *testing.T, c cluster, user string, what *kadm.ACLBuilder) {
	t.Helper()
	acl := what.Allow("User:" + user).AllowHosts().Operations(kadm.OpDescribe).ResourcePatternType(kadm.ACLPatternLiteral)
	must(t, c.work.Grant(t.Context(), acl))
}
