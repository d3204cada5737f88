package kafka

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// The tests of this file and of moments_error_test.go hold every snapshot that a
// client gives against those before it, while brokers go, freeze, leave or answer
// with errors at one moment after the other. All run in fake time.

// How many moments of each kind are tried at most, see moments: where there is one
// broker that is every one, and with two there are about 45.
const (
	mostAlone      = 40
	mostOfTwo      = 8
	mostErrors     = 8
	mostDepartures = 4
)

// Bounds of these tests, in fake time.
const (
	// wholeTime is what it may take until all is shown, or shown again.
	wholeTime = 2 * time.Minute
	// outageTime is longer than every timeout and every time for which something
	// is kept, but departedFor.
	outageTime = 45 * time.Second
)

// moments are the numbers of answers after which something is to happen: every
// one of them, or evenly spread so that there are not more than most; a tenth of
// that in short mode. Which they are differs by the turn.
func moments(all, most, turn int) []int {
	if testing.Short() {
		most = max(1, most/10)
	}
	step := max(1, (all+most-1)/most)
	var out []int
	for k := 1 + turn%step; k <= all; k += step {
		out = append(out, k)
	}
	return out
}

// outing is what happens to a stage, and what is to be seen without that.
type outing struct {
	name    string
	brokers int
	how     going
	addr    string
	conn    model.Connection
	whole   func(*model.Snapshot) bool
}

const secondBroker = "localhost:9093"

// mayGo begins what may be known no more while brokers are away: where one is left
// it can be asked for offsets.
func (o outing) mayGo() []string {
	if o.addr == "" {
		return nil
	}
	return []string{byStateTopic}
}

// most is how many moments of an outing are tried.
func (o outing) most() int {
	if o.brokers > 1 {
		return mostOfTwo
	}
	return mostAlone
}

func outings() []outing {
	topic, requests := model.Connection{}, model.Connection{OffsetsFrom: model.OffsetsByRequests}
	forced := model.Connection{OffsetsFrom: model.OffsetsByStateTopic}
	const first, second = "localhost:9092", secondBroker
	return []outing{
		{"killed", 1, byKill, "", topic, completeLive},
		{"frozen", 1, byFreeze, "", topic, completeLive},
		{"killed, by requests", 1, byKill, "", requests, complete},
		{"frozen, by requests", 1, byFreeze, "", requests, complete},
		{"killed, state topic only", 1, byKill, "", forced, completeLive},
		{"second of two killed, state topic only", 2, byKill, second, forced, completeLive},
		{"first of two killed", 2, byKill, first, topic, completeLive},
		{"second of two killed", 2, byKill, second, topic, completeLive},
		{"first of two frozen", 2, byFreeze, first, topic, completeLive},
		{"second of two frozen", 2, byFreeze, second, topic, completeLive},
		{"first of two killed, by requests", 2, byKill, first, requests, complete},
		{"second of two killed, by requests", 2, byKill, second, requests, complete},
		{"first of two frozen, by requests", 2, byFreeze, first, requests, complete},
		{"second of two frozen, by requests", 2, byFreeze, second, requests, complete},
	}
}

// Whenever brokers go, what was shown stays, and all of it is there again after
// they are back.
func TestNothingShownIsLostWhenBrokersGo(t *testing.T) {
	for turn, o := range outings() {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t, o.brokers)
				for _, k := range moments(s.answersUntil(o), o.most(), turn) {
					s.goAfter(k, o)
				}
			})
		})
	}
}

// answersUntil is how many answers it takes until all is shown.
func (s *stage) answersUntil(o outing) int {
	s.t.Helper()
	v := s.viewer(o.name+", before", o.conn, s.outage(o.how, o.addr))
	defer v.close()
	if !v.until(wholeTime, o.whole) {
		s.t.Fatalf("not complete: %s", dump(v.last))
	}
	return v.outage.answers()
}

func (s *stage) goAfter(k int, o outing) {
	s.t.Helper()
	v := s.viewer(fmt.Sprintf("%s after %d answers", o.name, k), o.conn, s.outage(o.how, o.addr))
	defer v.close()
	v.mayGo = o.mayGo()
	v.outage.after(k)
	v.pass(outageTime)
	if len(v.last.Problems) == 0 {
		v.t.Errorf("%s: nothing says that what is shown is old: %+v", v.what, v.last.Offsets)
	}
	if o.addr == "" {
		v.wantSilence()
	}
	v.mayGo = []string{byStateTopic} // requests may be answered first
	v.outage.heal()
	v.wantAgain(o.whole)
}

// wantSilence checks that after a long silence nothing counts as told just now,
// and that nothing was concluded from it: a lock duration went by in which nobody
// said whether records were finished.
func (v *viewer) wantSilence() {
	v.t.Helper()
	if isLive(v.last) {
		v.t.Errorf("%s: the state topic counts as read: %+v", v.what, v.last.Offsets)
	}
	for _, r := range v.tracker.Apply(v.last, v.scope.Open, time.Now()).Rows {
		if r.Fresh || (len(r.Group.Members) > 0 && r.Verdict.Severity >= model.SeverityWarn) {
			v.t.Errorf("%s: after the silence %s is fresh: %v, and said to be %q", v.what, r.Group.ID, r.Fresh, r.Verdict.Text)
		}
	}
}

// wantAgain waits until all is shown again.
func (v *viewer) wantAgain(whole func(*model.Snapshot) bool) {
	v.t.Helper()
	if !v.until(wholeTime, whole) {
		v.t.Errorf("%s: not complete again: %s", v.what, dump(v.last))
	}
}

// The state topic can't be read any more, and brokers go while requests take over.
func TestNothingShownIsLostWhenRequestsTakeOver(t *testing.T) {
	for turn, o := range outings() {
		if o.conn.OffsetsFrom != "" { // nobody takes over
			continue
		}
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t, o.brokers)
				for _, k := range moments(s.fallBack(-1, o), o.most(), turn) {
					s.fallBack(k, o)
				}
			})
		})
	}
}

// fallBack takes the state topic away from a client that reads it, and has brokers
// go so many answers later; never for a number below zero. It returns how many
// answers it took until all came by requests.
func (s *stage) fallBack(k int, o outing) int {
	s.t.Helper()
	v := s.viewer(fmt.Sprintf("%s, %d answers after the state topic was denied", o.name, k), o.conn, s.outage(o.how, o.addr))
	defer v.close()
	v.mayGo = []string{byStateTopic}
	v.wantAgain(o.whole)
	denied := s.c.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.Fetch, kmsg.Metadata, kmsg.ListOffsets}, Topic: stateTopic, Err: kerr.TopicAuthorizationFailed, Count: -1,
	})
	v.outage.after(k)
	if k >= 0 {
		v.pass(outageTime)
		v.outage.heal()
	}
	v.wantAgain(func(s *model.Snapshot) bool {
		return complete(s) && !slices.ContainsFunc(s.Groups, func(g *model.Group) bool { return g.OffsetsFrom != model.FromRequests })
	})
	answers := v.outage.answers()
	denied.Remove()
	v.scope.Refresh++
	v.wantAgain(o.whole)
	return answers
}

// A broker leaves the cluster, and its group is on its way: nobody lists it.
func TestNothingShownIsLostWhenABrokerLeaves(t *testing.T) {
	for turn, o := range outings() {
		if o.addr != secondBroker {
			continue
		}
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t, 2)
				for _, k := range moments(s.answersUntil(o), mostDepartures, turn) {
					newStage(t, 2).leaveAfter(k, o)
				}
			})
		})
	}
}

// leaveAfter has the second broker go, and then leave, after so many answers.
func (s *stage) leaveAfter(k int, o outing) {
	s.t.Helper()
	v := s.viewer(fmt.Sprintf("%s and left after %d answers", o.name, k), o.conn, s.outage(o.how, o.addr))
	defer v.close()
	v.mayGo = []string{byStateTopic}
	v.outage.after(k)
	v.pass(10 * time.Second)
	v.mayGo = append(v.mayGo, "broker 1")
	if err := s.c.RemoveNode(1); err != nil {
		s.t.Fatal(err)
	}
	var moved atomic.Bool
	control(s.c, kmsg.ListGroups, func(r kmsg.Request) kmsg.Response {
		if moved.Load() {
			return nil
		}
		resp := r.ResponseKind().(*kmsg.ListGroupsResponse)
		resp.Groups = append(resp.Groups, kmsg.ListGroupsResponseGroup{Group: "billing", GroupType: groupType, GroupState: "Stable"})
		return resp
	})
	v.pass(outageTime)
	moved.Store(true)
	v.wantAgain(func(s *model.Snapshot) bool {
		g := s.Group(id("packing"))
		return g != nil && g.Coordinator == 0 && !g.Described.IsZero() && len(g.Partitions) == 6
	})
}

// A leader that does not answer the coordinator either: all that is told of its
// partitions is an error.
func TestNothingShownIsLostWhenALeaderIsSilent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, 2)
		o := outing{"a leader silent", 2, byKill, secondBroker, model.Connection{OffsetsFrom: model.OffsetsByRequests}, complete}
		v := s.viewer(o.name, o.conn, s.outage(o.how, o.addr))
		defer v.close()
		v.wantAgain(o.whole)
		silent := s.c.Fault(kfake.Fault{
			Keys: []kmsg.Key{kmsg.DescribeShareGroupOffsets}, Topic: "refunds", Partitions: []int32{0, 1, 2},
			Err: kerr.NetworkException, Count: -1,
		})
		v.outage.after(0)
		v.pass(outageTime)
		p := v.last.Group(id("billing")).Partitions[3]
		if p.Topic.Raw() != "refunds" || p.Problem == nil || p.Start != model.Known(2) || p.Lag != model.Known(8) {
			t.Errorf("refunds-0 of billing is %+v", p)
		}
		silent.Remove()
		v.outage.heal()
		v.wantAgain(o.whole)
	})
}

// Part of the state topic has to be loaded again, and a broker goes meanwhile.
func TestNothingShownIsLostWhileItIsLoadedAgain(t *testing.T) {
	for turn, o := range outings() {
		if o.conn.OffsetsFrom == model.OffsetsByRequests {
			continue
		}
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t, o.brokers)
				for _, k := range moments(answersOfReload, mostOfTwo, turn) {
					s.reloadAnd(k, o)
				}
			})
		})
	}
}

// answersOfReload is how many answers it takes to load part of the state topic
// again, and some more.
const answersOfReload = 20

// reloadAnd has part of the state topic loaded again, and a broker go so many
// answers later.
func (s *stage) reloadAnd(k int, o outing) {
	s.t.Helper()
	v := s.viewer(fmt.Sprintf("%s, %d answers after a reload", o.name, k), o.conn, s.outage(o.how, o.addr))
	defer v.close()
	v.mayGo = o.mayGo()
	v.wantAgain(o.whole)
	lost := s.c.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.Fetch}, Topic: stateTopic, Partitions: []int32{1, 3}, Err: kerr.OffsetOutOfRange,
	})
	defer lost.Remove()
	v.until(time.Minute, func(*model.Snapshot) bool { return lost.Hits() > 0 })
	v.outage.after(k)
	v.pass(outageTime)
	v.mayGo = []string{byStateTopic}
	v.outage.heal()
	v.wantAgain(o.whole)
}
