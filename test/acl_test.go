//go:build unix

package test

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"

	"sharetop/model"
)

// testForbidden watches as a user who may describe the cluster and four of
// five groups, but not the fifth, nor the only topic of the fourth, nor any
// config.
func testForbidden(t *testing.T, c cluster) {
	const open, hidden = "acl.open", "acl.hidden"
	groups := []string{"acl-1", "acl-2", "acl-3", "acl-half", "acl-forbidden"}
	for _, topic := range []string{open, hidden} {
		must(t, c.work.CreateTopic(t.Context(), topic, 1))
		must(t, c.work.Produce(t.Context(), topic, 0, 10))
	}
	for _, group := range groups {
		must(t, c.work.PlaceGroup(t.Context(), group, open, 4))
	}
	must(t, c.work.PlaceGroup(t.Context(), "acl-half", hidden, 0))
	grantDescribe(t, c, kadm.NewACLs().Clusters())
	grantDescribe(t, c, kadm.NewACLs().Groups(groups[:4]...))
	grantDescribe(t, c, kadm.NewACLs().Topics(open))

	w := watchThrough(t, c.SaslBootstrap(), dialAs(auditor, auditorPassword), groups[:4]...)
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
}

// grantDescribe allows the auditor to describe something.
func grantDescribe(t *testing.T, c cluster, what *kadm.ACLBuilder) {
	t.Helper()
	acl := what.Allow("User:" + auditor).AllowHosts().Operations(kadm.OpDescribe).ResourcePatternType(kadm.ACLPatternLiteral)
	results, err := c.work.Admin().CreateACLs(t.Context(), acl)
	must(t, err)
	for _, r := range results {
		must(t, r.Err)
	}
}
