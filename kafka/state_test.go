package kafka

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// clock is a clock that a test moves.
type clock struct{ at time.Time }

func (c *clock) now() time.Time          { return c.at }
func (c *clock) advance(d time.Duration) { c.at = c.at.Add(d) }

func stateAt(t *testing.T) (*state, *clock) {
	t.Helper()
	c := &clock{at: time.Date(2026, 11, 29, 14, 57, 3, 0, time.UTC)}
	return newState(c.now), c
}

// snapshotOf makes a snapshot whatever the pace.
func snapshotOf(s *state) *model.Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.build(s.now())
	return s.pub.last
}

func TestGroupMovesWithItsCoordinator(t *testing.T) {
	billing := []listedGroup{{"billing", "Empty"}}
	coordinator := func(s *state) int32 {
		g := snapshotOf(s).Group(id("billing"))
		if g == nil {
			return -99
		}
		return g.Coordinator
	}
	tests := []struct {
		name  string
		steps func(*state, *clock)
		want  int32
	}{
		{"listed by one", func(*state, *clock) {}, 1},
		{"listed by both, stays", func(s *state, _ *clock) { s.mergeList(2, billing, 0) }, 1},
		{"the first no longer lists it", func(s *state, _ *clock) {
			s.mergeList(2, billing, 0)
			s.mergeList(1, nil, 0)
		}, 2},
		{"the first does not answer", func(s *state, _ *clock) {
			s.listFailed(1)
			s.mergeList(2, billing, 0)
		}, 2},
		{"the first does not answer and nobody else has it", func(s *state, _ *clock) {
			s.listFailed(1)
			s.mergeList(2, nil, 0)
		}, 1},
		{"nobody lists it", func(s *state, _ *clock) { s.mergeList(1, nil, 0) }, -99},
		{"on its way to a broker that is loading", func(s *state, _ *clock) {
			s.listFailed(2)
			s.mergeList(1, nil, 0)
		}, 1},
		{"on its way for too long", func(s *state, c *clock) {
			s.listFailed(2)
			s.mergeList(1, nil, 0)
			c.advance(keepUnlisted)
			s.mergeList(1, nil, 0)
		}, -99},
		{"its broker left, another has it", func(s *state, _ *clock) {
			s.dropNode(1)
			s.mergeList(2, billing, 0)
		}, 2},
		{"its broker left, nobody has it", func(s *state, _ *clock) {
			s.dropNode(1)
			s.mergeList(2, nil, 0)
		}, 1},
		{"its broker left long ago", func(s *state, c *clock) {
			s.dropNode(1)
			s.mergeList(2, nil, 0)
			c.advance(departedFor)
			s.mergeList(2, nil, 0)
		}, -99},
		{"its broker left, another had it and has not any more", func(s *state, _ *clock) {
			s.dropNode(1)
			s.mergeList(2, billing, 0)
			s.mergeList(2, nil, 0)
		}, -99},
		{"its broker is back without it", func(s *state, _ *clock) {
			s.dropNode(1)
			s.expectNode(1)
			s.mergeList(2, nil, 0)
			s.mergeList(1, nil, 0)
		}, -99},
		{"listed by both, the first denies it", func(s *state, _ *clock) {
			s.mergeList(2, billing, 0)
			s.mergeOffsets(1, &GroupOffsets{Group: "billing", Moved: true, Problem: &model.Problem{}, Transient: true})
		}, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, c := stateAt(t)
			s.mergeList(2, nil, 0)
			s.mergeList(1, billing, 0)
			test.steps(s, c)
			if got := coordinator(s); got != test.want {
				t.Errorf("coordinator %d, not %d", got, test.want)
			}
		})
	}
}

// However many groups read a partition, its end is asked once a tick, and its
// start every startEvery.
func TestLogOffsetsAreAskedOncePerPartitionAndTick(t *testing.T) {
	s, c := stateAt(t)
	var listed []listedGroup
	for i := range 50 {
		listed = append(listed, listedGroup{fmt.Sprint("g", i), "Empty"})
	}
	s.mergeList(1, listed, 0)
	answer := func() {
		c.advance(time.Millisecond)
		defer c.advance(time.Millisecond)
		for _, l := range listed {
			s.mergeOffsets(1, &GroupOffsets{Group: l.id, At: c.now(), partitions: offsetsOf(l.id, 3).partitions})
		}
	}
	answer()
	meta := kmsg.NewMetadataResponseTopic()
	meta.Topic = kmsg.StringPtr("orders")
	for p := range int32(5) {
		m := kmsg.NewMetadataResponseTopicPartition()
		m.Partition, m.Leader = p, p%2
		meta.Partitions = append(meta.Partitions, m)
	}
	s.mergeTopic(&meta)

	const tick = 800 * time.Millisecond
	due := func(leader int32, wantEnds, wantStarts int) {
		t.Helper()
		ends, starts := s.dueLogs(leader, tick)
		if len(ends) != wantEnds || len(starts) != wantStarts {
			t.Errorf("%d ends and %d starts, not %d and %d", len(ends), len(starts), wantEnds, wantStarts)
		}
		for which, questions := range map[bool][]logQuestion{false: ends, true: starts} {
			s.mergeLogs(logsOf(questions, 20), which, c.now())
		}
	}
	due(0, 3, 3)
	due(1, 2, 2)
	due(0, 0, 0)
	c.advance(time.Second)
	due(0, 0, 0) // no group was answered since
	answer()
	due(0, 3, 0)
	answer()
	due(0, 0, 0) // within the same tick
	c.advance(startEvery)
	answer()
	due(0, 3, 3)

	if log := snapshotOf(s).Log(model.NewTopicName("orders"), 4); log.End != model.Known(20) || log.Leader != 0 ||
		log.EndAt.IsZero() {
		t.Errorf("log is %+v", log)
	}
}

// logsOf answers questions with one offset.
func logsOf(questions []logQuestion, offset int64) *kmsg.ListOffsetsResponse {
	r := kmsg.NewPtrListOffsetsResponse()
	for _, q := range questions {
		t := kmsg.NewListOffsetsResponseTopic()
		t.Topic = q.topic
		p := kmsg.NewListOffsetsResponseTopicPartition()
		p.Partition, p.Offset = q.partition, offset
		t.Partitions = append(t.Partitions, p)
		r.Topics = append(r.Topics, t)
	}
	return r
}

// A topic that was deleted and made again under the same name is another one.
func TestTopicWithANewIDStartsAfresh(t *testing.T) {
	s, c := stateAt(t)
	s.mergeList(1, []listedGroup{{"billing", "Empty"}}, 0)
	s.mergeOffsets(1, offsetsOf("billing", 0))
	meta := kmsg.NewMetadataResponseTopic()
	meta.Topic, meta.TopicID = kmsg.StringPtr("orders"), [16]byte{1}
	meta.Partitions = []kmsg.MetadataResponseTopicPartition{{Partition: 0, Leader: 1}}
	s.mergeTopic(&meta)
	s.mergeLogs(logsOf([]logQuestion{{"orders", 0}}, 20), false, c.now())
	before := snapshotOf(s).Topics[model.NewTopicName("orders")]
	s.mergeTopic(&meta)
	if again := snapshotOf(s).Topics[model.NewTopicName("orders")]; again != before {
		t.Error("a topic in which nothing changed lost its pointer")
	}
	meta.TopicID = [16]byte{2}
	meta.Partitions[0].Leader = -1
	s.mergeTopic(&meta)
	topic := snapshotOf(s).Topics[model.NewTopicName("orders")]
	if p := topic.Partitions[0]; p.End.IsKnown() || p.Leader != model.NoLeader || !p.Asked {
		t.Errorf("partition is %+v", p)
	}
	if p := before.Partitions[0]; p.End != model.Known(20) {
		t.Errorf("what was handed over has changed: %+v", p)
	}
	meta.ErrorCode = kerr.UnknownTopicOrPartition.Code
	s.mergeTopic(&meta)
	if topic := snapshotOf(s).Topics[model.NewTopicName("orders")]; !topic.Gone || topic.Problem == nil ||
		topic.Problem.Kind != model.ProblemGone {
		t.Errorf("topic is %+v", topic)
	}
}

func TestProblemKeepsWhenItWasFirstSeen(t *testing.T) {
	s, c := stateAt(t)
	began := c.now()
	key := problemKey{actionReach, "broker 1"}
	s.report(key, reachProblem(1, "a:1", errNoAnswerYet))
	c.advance(time.Minute)
	s.report(key, reachProblem(1, "a:1", errNoAnswerYet))
	p := snapshotOf(s).Problems
	if len(p) != 1 || !p[0].First.Equal(began) || !p[0].At.Equal(c.now()) {
		t.Errorf("problems are %+v", p)
	}
	s.reportFirst(key, slowProblem(1, "b:2"))
	if got := snapshotOf(s).Problems[0]; got.Detail != p[0].Detail {
		t.Errorf("a slow retry replaced the reason: %s", got.Detail)
	}
	s.cure(key)
	if p := snapshotOf(s).Problems; len(p) != 0 {
		t.Errorf("problems are %+v", p)
	}
	c.advance(time.Minute)
	s.report(key, reachProblem(1, "a:1", errNoAnswerYet))
	if p := snapshotOf(s).Problems; !p[0].First.Equal(c.now()) {
		t.Errorf("a new problem began at %s", p[0].First)
	}
}

func TestSweepsComeInRounds(t *testing.T) {
	c := &clock{at: time.Unix(1000, 0)}
	w := newSweeper(c.now)
	fresh, fast := w.extend([]string{"a", "b"}, time.Second)
	if !slices.Equal(fresh, []string{"a", "b"}) || !fast {
		t.Errorf("fresh %q, fast %t", fresh, fast)
	}
	if fresh, _ := w.extend([]string{"a", "b", "c"}, time.Second); !slices.Equal(fresh, []string{"c"}) {
		t.Errorf("fresh %q", fresh)
	}
	c.advance(3 * time.Second)
	w.done("a")
	if p := w.progress(); p.Done != 1 || p.Total != 3 || p.Round != 1 || p.FirstDone {
		t.Errorf("progress %+v", p)
	}
	w.retain(func(id string) bool { return id != "b" }) // b is gone
	w.done("c")
	if w.endFirst(false) {
		t.Error("the first round ends before all brokers were asked")
	}
	if !w.endFirst(true) || w.endFirst(true) {
		t.Error("the first round does not end once")
	}
	w.setFirstDone()
	if p := w.progress(); p.Done != 2 || p.Total != 2 || !p.FirstDone || p.Took != 3*time.Second {
		t.Errorf("progress %+v", p)
	}
	fresh, _ = w.extend([]string{"a", "c"}, 5*time.Second)
	if len(fresh) != 0 {
		t.Errorf("the next round began too soon: %q", fresh)
	}
	c.advance(2 * time.Second)
	fresh, fast = w.extend([]string{"a", "c"}, 5*time.Second)
	if !slices.Equal(fresh, []string{"a", "c"}) || fast || w.progress().Round != 2 {
		t.Errorf("fresh %q, fast %t, %+v", fresh, fast, w.progress())
	}
}

// A sweep over quiet groups does not make 20 snapshots a second.
func TestSameAnswerOffScreenWaitsForTheNextSnapshot(t *testing.T) {
	s, c := stateAt(t)
	s.mergeList(1, []listedGroup{{"billing", "Empty"}}, 0)
	answer := func(start int64, followed bool) bool {
		o := offsetsOf("billing", start)
		o.At, o.Followed = c.now(), followed
		s.mergeOffsets(1, o)
		dirty := s.pub.isDirty
		snapshotOf(s)
		return dirty
	}
	tests := []struct {
		name     string
		start    int64
		followed bool
		after    time.Duration
		dirty    bool
	}{
		{"the first", 3, false, 0, true},
		{"the same", 3, false, time.Millisecond, false},
		{"the same on screen", 3, true, time.Millisecond, true},
		{"another", 4, false, time.Millisecond, true},
		{"the same, long after the last snapshot", 4, false, quietGap, true},
	}
	for _, test := range tests {
		c.advance(test.after)
		if got := answer(test.start, test.followed); got != test.dirty {
			t.Errorf("%s: asks for a snapshot: %t", test.name, got)
		}
		if g := snapshotOf(s).Group(id("billing")); !g.OffsetsAt.Equal(c.now()) {
			t.Errorf("%s: OffsetsAt is %s", test.name, g.OffsetsAt)
		}
	}
}

// Outside text enters at one place, where it is made safe.
func TestOnlyTheBoundaryMakesText(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		if name == "convert.go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range []string{"model.NewText", "model.NewGroupID", "model.NewTopicName", "model.Sanitize"} {
			if strings.Contains(string(source), call) {
				t.Errorf("%s calls %s", name, call)
			}
		}
	}
}
