package main

import (
	"bytes"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/cli"
	"sharetop/model"
	"sharetop/ui"
)

// heldBack keeps requests with a key from being answered until release is called;
// arrived has an element for each that came.
func heldBack(c *counted, key kmsg.Key) (arrived <-chan kmsg.Request, release func()) {
	came, gate := make(chan kmsg.Request, 100), make(chan struct{})
	c.ControlKey(key.Int16(), func(r kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		came <- r
		c.SleepControl(func() { <-gate })
		return nil, nil, false
	})
	return came, func() { close(gate) }
}

// joins begins to join a group and returns once the coordinator was asked; joined
// has the error at the end.
func joins(t *testing.T, to *ui.Cluster, arrived <-chan kmsg.Request) (joined <-chan error) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		_, err := to.Consumer.Join(t.Context(), model.JoinRequest{Group: model.NewGroupID("billing"), Topics: []model.TopicName{model.NewTopicName("orders")}})
		done <- err
	}()
	<-arrived
	return done
}

// closes begins to close a cluster; said has what it says.
func closes(c *clusters) (said <-chan string) {
	out := make(chan string, 1)
	kept := c.opened[0].sessions
	go func() {
		var lines bytes.Buffer
		c.close(&lines)
		out <- lines.String()
	}()
	begun := func() bool {
		kept.mu.Lock()
		defer kept.mu.Unlock()
		return kept.closed
	}
	for !begun() {
		runtime.Gosched()
	}
	return out
}

// The end in the middle of joining waits until that is given up: no member is left
// behind, and nobody joins after it.
func TestTheEndGivesUpJoining(t *testing.T) {
	all := map[string]*counted{"a": countedCluster(t)}
	c := clustersOf(cli.ScreenOptions{AuditFile: t.TempDir() + "/audit.jsonl"}, all)
	opened := openIt(t, c, "a")
	arrived, release := heldBack(all["a"], kmsg.ShareGroupHeartbeat)
	joined, kept := joins(t, opened, arrived), c.opened[0].sessions
	said := closes(c)
	release()
	if text := <-said; text != "" {
		t.Errorf("it says %q", text)
	}
	kept.mu.Lock()
	under := len(kept.joining)
	kept.mu.Unlock()
	if under > 0 {
		t.Error("the end did not wait")
	}
	if err := <-joined; err == nil {
		t.Error("it joined")
	}
	cl, err := kgo.NewClient(kgo.SeedBrokers(all["a"].ListenAddrs()...))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	groups, err := kadm.NewClient(cl).DescribeShareGroups(t.Context(), "billing")
	if err != nil || len(groups["billing"].Members) > 0 {
		t.Errorf("%+v, %v", groups["billing"].Members, err)
	}
	if _, err := opened.Consumer.Join(t.Context(), model.JoinRequest{}); err == nil {
		t.Error("somebody joined after the end")
	}
}

// A coordinator that answers neither keeps the program from ending only so long,
// and it is said that the member may stay.
func TestTheEndDoesNotWaitForEver(t *testing.T) {
	all := map[string]*counted{"a": countedCluster(t)}
	c := clustersOf(cli.ScreenOptions{AuditFile: t.TempDir() + "/audit.jsonl"}, all)
	opened := openIt(t, c, "a")
	arrived, release := heldBack(all["a"], kmsg.ShareGroupHeartbeat)
	defer release()
	joined := joins(t, opened, arrived)
	if text := <-closes(c); !strings.Contains(text, "billing") || !strings.Contains(text, model.ErrMemberStays.Error()) {
		t.Errorf("it says %q", text)
	}
	if err := <-joined; err == nil {
		t.Error("it joined")
	}
}

// What is held is not held longer for a change that is waited for.
func TestAChangeOnItsWayKeepsNoRecords(t *testing.T) {
	all := map[string]*counted{"a": countedCluster(t)}
	c := clustersOf(cli.ScreenOptions{AuditFile: t.TempDir() + "/audit.jsonl"}, all)
	opened := openIt(t, c, "a")
	if _, err := opened.Consumer.Join(t.Context(), model.JoinRequest{
		Group: model.NewGroupID("billing"), Topics: []model.TopicName{model.NewTopicName("orders")},
	}); err != nil {
		t.Fatal(err)
	}
	left := make(chan struct{}, 1)
	all["a"].ControlKey(kmsg.ShareGroupHeartbeat.Int16(), func(r kmsg.Request) (kmsg.Response, error, bool) {
		all["a"].KeepControl()
		if r.(*kmsg.ShareGroupHeartbeatRequest).MemberEpoch < 0 {
			left <- struct{}{}
		}
		return nil, nil, false
	})
	arrived, release := heldBack(all["a"], kmsg.IncrementalAlterConfigs)
	changed := make(chan struct{})
	go func() {
		defer close(changed)
		_, _ = opened.Changer.ChangeConfig(t.Context(), model.ConfigChange{
			Group: model.NewGroupID("billing"), Key: model.NewText("share.record.lock.duration.ms"), Value: model.NewText("20000"),
		})
	}()
	<-arrived
	said := closes(c)
	select {
	case <-left:
	case <-time.After(childTimeout):
		t.Error("the group is not left before the change is answered")
	}
	release()
	if text := <-said; !strings.Contains(text, "a change is on its way") {
		t.Errorf("it says %q", text)
	}
	<-changed
}
