//go:build unix

package test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"sharetop/audit"
	"sharetop/kafka"
	"sharetop/model"
)

// aclCase is one user with some rights, and a group and topic of their own.
type aclCase struct {
	cluster
	user, group, topic string
	rights             []aclRight
	// want is in what is said; empty when all is to work.
	want string
	try  func(t *testing.T, c aclCase, want string) string
}

const aclPassword = "least-rights"

// aclCases are all actions with exactly their rights, and with each of these
// missing.
func aclCases() map[string]*aclCase {
	cases := make(map[string]*aclCase)
	add := func(name string, rights []aclRight, want string, a *aclAction) {
		id := "acls-" + strings.ReplaceAll(name, " ", "-")
		cases[name] = &aclCase{user: id, group: id, topic: id, rights: rights, want: want, try: a.try}
	}
	all := aclActions()
	for i := range all {
		a := &all[i]
		base := slices.Clone(all[0].needed())
		if i == 0 {
			base = nil
		}
		add(a.name, append(base, a.rights...), "", a)
		for j, missing := range a.rights {
			add(fmt.Sprintf("%s without %d", a.name, j+1), append(base[:len(base):len(base)], slices.Delete(slices.Clone(a.rights), j, j+1)...), missing.without, a)
		}
	}
	return cases
}

// grant creates exactly the case's ACLs.
func (c *aclCase) grant(t *testing.T) {
	t.Helper()
	for _, r := range c.rights {
		acl := kadm.NewACLs().Allow("User:" + c.user).AllowHosts().Operations(r.operation).ResourcePatternType(kadm.ACLPatternLiteral)
		switch r.on {
		case onCluster:
			acl = acl.Clusters()
		case onGroup:
			acl = acl.Groups(c.group)
		case onState:
			acl = acl.Topics(stateTopic)
		default:
			acl = acl.Topics(c.topic)
		}
		must(t, c.work.Grant(t.Context(), acl))
	}
}

// testLeastRights does everything with exactly the ACLs of docs/acls.md, and
// with each of them missing: then that is what is said.
func testLeastRights(t *testing.T, c cluster) {
	must(t, c.work.CreateTopic(t.Context(), "acls-other", 1))
	must(t, c.work.PlaceGroup(t.Context(), "acls-other", "acls-other", 0))
	for name, ac := range aclCases() {
		ac.cluster = c
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			must(t, c.work.CreateTopic(t.Context(), ac.topic, 1))
			must(t, c.work.Produce(t.Context(), ac.topic, 0, 10))
			must(t, c.work.PlaceGroup(t.Context(), ac.group, ac.topic, 4))
			ac.grant(t)
			if said := ac.try(t, *ac, ac.want); ac.want == "" && said != "" || !strings.Contains(said, ac.want) {
				t.Errorf("it says %q, want %q", said, ac.want)
			}
		})
	}
}

// as opens a client of the case's user.
func (c *aclCase) as(t *testing.T, readOnly bool) *kafka.Client {
	t.Helper()
	client, err := kafka.Open(model.Connection{Bootstrap: c.SaslBootstrap(), ReadOnly: readOnly},
		kafka.Options{Now: time.Now, Dial: dialAs(c.user, aclPassword)})
	must(t, err)
	t.Cleanup(client.Close)
	return client
}

func (c *aclCase) changer(t *testing.T) *kafka.Changer {
	t.Helper()
	book := audit.New(filepath.Join(t.TempDir(), "audit.jsonl"))
	t.Cleanup(func() { _ = book.Close() })
	return c.as(t, false).Changes(kafka.ChangeOptions{
		Audit: book, Who: "test@here",
		SaveUndo: func(g model.GroupID, csv []byte) (string, error) { return book.SaveUndo(g, csv, time.Now()) },
	})
}

// said joins what is not empty.
func said(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), "\n")
}

func saidError(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// tryWatch watches the group, with a member in it, until what is expected is
// said, or nothing is missing.
func tryWatch(t *testing.T, c aclCase, want string) string {
	t.Helper()
	accept(t, c.cluster, c.topic, c.group).waitFor(t, 1)
	w := watchThrough(t, c.SaslBootstrap(), dialAs(c.user, aclPassword), c.group)
	w.scope.Open = model.NewGroupID(c.group)
	var last string
	w.until("what "+c.user+" is told", func(b *model.Board) bool {
		last = c.missing(b)
		return want == "" && last == "" || want != "" && strings.Contains(last, want)
	})
	return last
}

// missing is all that a board says or shows to be missing for the case's group.
func (c *aclCase) missing(b *model.Board) string {
	var out []string
	for _, p := range b.Snapshot.Problems {
		if !strings.HasPrefix(p.Target.Raw(), "group ") || p.Target.Raw() == "group "+c.group {
			out = append(out, p.Detail, p.Advice)
		}
	}
	r := row(b, c.group)
	if r == nil {
		return said(append(out, "the group is not there")...)
	}
	for _, p := range r.Group.Problems {
		out = append(out, p.Detail, p.Advice)
	}
	if configs := r.Group.Configs; configs == nil {
		out = append(out, "the configs are not there")
	} else if p := configs.Problem; p != nil {
		out = append(out, p.Detail, p.Advice)
	}
	switch {
	case !r.Lag.IsKnown():
		out = append(out, "the lag is unknown")
	case r.Group.Effective().LockDuration == 0:
		out = append(out, "the settings are unknown")
	case len(b.Snapshot.Cluster.BrokerLimits) == 0:
		out = append(out, "the ranges are unknown")
	}
	if b.Snapshot.Offsets.Source != model.FromStateTopic {
		out = append(out, "offsets by requests", b.Snapshot.Offsets.Why)
	}
	if len(b.Snapshot.Groups) < 2 {
		out = append(out, "other groups are not named")
	}
	if topic := b.Snapshot.Topics[model.NewTopicName(c.topic)]; topic == nil || !topic.Retention.IsKnown() {
		out = append(out, "retention is unknown")
	}
	return said(out...)
}

func tryPeek(t *testing.T, c aclCase, _ string) string {
	t.Helper()
	r := peek(t, c.as(t, true), model.PeekRequest{Topic: model.NewTopicName(c.topic)})
	if r.Problem != nil {
		return said(r.Problem.Detail, r.Problem.Advice)
	}
	if len(r.Records) != 10 {
		return fmt.Sprintf("%d records", len(r.Records))
	}
	return ""
}

func tryConsume(t *testing.T, c aclCase, _ string) string {
	t.Helper()
	s, err := c.as(t, false).Join(t.Context(), model.JoinRequest{
		Group: model.NewGroupID(c.group), Topics: []model.TopicName{model.NewTopicName(c.topic)},
	}, kafka.JoinOptions{Audit: &logbook{}, Who: "test"})
	if err != nil {
		return err.Error()
	}
	defer s.Leave(t.Context())
	records, err := s.Take(t.Context(), 2)
	if err != nil {
		return err.Error()
	}
	outcomes(t, sends(t, s, model.Accept, records...), model.OutcomeDone)
	return ""
}

func tryReset(t *testing.T, c aclCase, _ string) string {
	t.Helper()
	ch := c.changer(t)
	r, err := ch.Reset(t.Context(), planFor(t, ch, c.group, model.ResetTarget{Kind: model.ToEarliest}))
	if err != nil {
		return err.Error()
	}
	out := []string{r.Trouble}
	for _, row := range r.Rows {
		out = append(out, row.Problem, row.Advice)
	}
	return said(out...)
}

func tryConfig(t *testing.T, c aclCase, _ string) string {
	t.Helper()
	ch := c.changer(t)
	change := model.ConfigChange{Group: model.NewGroupID(c.group), Key: model.NewText("share.auto.offset.reset"), Value: model.NewText("earliest")}
	r, err := ch.ChangeConfig(t.Context(), change)
	if err != nil {
		return err.Error()
	}
	return said(r.Problem, r.Advice)
}

func tryDelete(t *testing.T, c aclCase, _ string) string {
	t.Helper()
	r, err := c.changer(t).DeleteGroups(t.Context(), []model.GroupID{model.NewGroupID(c.group)})
	if err != nil {
		return err.Error()
	}
	return said(r[0].Problem, r[0].Advice)
}

func tryDeleteOffsets(t *testing.T, c aclCase, _ string) string {
	t.Helper()
	r, err := c.changer(t).DeleteOffsets(t.Context(), model.NewGroupID(c.group), model.NewTopicName(c.topic))
	return said(saidError(err), r.Problem, r.Advice)
}
