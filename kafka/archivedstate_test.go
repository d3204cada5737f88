package kafka

import (
	"fmt"
	"testing"
	"time"

	"sharetop/model"
)

// archiving is a state in which groups archive markers, by a clock of the test's.
type archiving struct {
	*state
	clock time.Time
	topic model.TopicID
}

func newArchiving(t *testing.T, partitions int, groups ...string) *archiving {
	t.Helper()
	a := &archiving{clock: time.Unix(1_700_000_000, 0), topic: model.TopicID{7}}
	a.state = newState(func() time.Time { return a.clock })
	a.ids.learn(a.topic, "jobs")
	a.mu.Lock()
	defer a.mu.Unlock()
	e := a.wantTopic("jobs")
	topic := &model.Topic{Name: model.NewTopicName("jobs"), ID: a.topic}
	for range partitions {
		topic.Partitions = append(topic.Partitions, model.PartitionLog{Asked: true, Leader: 1, LogStart: model.Known(10)})
	}
	e.topic = topic
	for _, g := range groups {
		a.create(g, 1)
	}
	a.view = &model.StateView{Since: a.clock}
	return a
}

// archive tells of an offset that a group has archived.
func (a *archiving) archive(group string, partition int32, offset int64) {
	next := *a.view
	next.Archived = append(next.Archived, model.StateEvent{
		Group: id(group), TopicID: a.topic, Partition: partition,
		RecordEvent: model.RecordEvent{StateBatch: model.StateBatch{First: offset, Last: offset, State: model.RecordArchived, Count: 1}},
	})
	a.view = &next
}

// answer finds nothing but markers.
func (a *archiving) answer(due []archivedQuestion) {
	for i := range due {
		q := &due[i]
		q.ranges()
		a.keepArchived(q, q.answers(&archivedScan{at: 1 << 40}))
	}
}

func (a *archiving) newest(group string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if looks := a.groups[group].group.Archived; looks != nil {
		return foundIn(looks.Newest)
	}
	return ""
}

// Each tick asks archivedPerTick share-partitions, those on screen first and then who
// has waited longest; when all is known nothing is asked.
func TestArchivedQuestionsTakeTurns(t *testing.T) {
	t.Parallel()
	a := newArchiving(t, 2*archivedPerTick, "billing", "shipping")
	for p := range int32(archivedPerTick) {
		a.archive("billing", p, 20)
		a.archive("shipping", p, 20)
		a.archive("shipping", p+archivedPerTick, 20)
	}
	scope := model.Scope{Visible: []model.GroupID{id("billing")}}
	seen := map[string]int{}
	for tick := range 3 {
		a.clock = a.clock.Add(time.Second)
		due := a.archivedDue(scope)
		if len(due) != archivedPerTick {
			t.Fatalf("tick %d asks %d", tick, len(due))
		}
		for _, q := range due {
			seen[fmt.Sprintf("%s %d", q.group, q.partition)]++
			if (q.group == "billing") != (tick == 0) {
				t.Errorf("tick %d asks about %s", tick, q.group)
			}
		}
		if tick == 0 {
			a.answer(due)
		}
	}
	if len(seen) != 3*archivedPerTick {
		t.Errorf("%d of %d were asked", len(seen), 3*archivedPerTick)
	}
	a.answer(a.archivedDue(scope))
	a.answer(a.archivedDue(scope))
	if due := a.archivedDue(scope); len(due) != 0 || a.archived.settled != a.view {
		t.Errorf("with all known, %d are asked", len(due))
	}
	before := a.groups["billing"].group
	a.archive("shipping", 3, 21)
	if due := a.archivedDue(scope); len(due) != 1 || len(due[0].runs) != 1 || due[0].runs[0].first != 21 {
		t.Errorf("one more archived: asked %+v", due)
	}
	if a.groups["billing"].group != before {
		t.Error("a group was changed that nothing is new of")
	}
}

// A look takes the newest runs of a log, and no more than it can keep up with.
func TestArchivedQuestionIsBounded(t *testing.T) {
	t.Parallel()
	a := newArchiving(t, 1, "billing")
	for i := range int64(2 * model.MaxArchivedLooks) {
		a.archive("billing", 0, 100+2*i)
	}
	due := a.archivedDue(model.Scope{})
	if len(due) != 1 || len(due[0].runs) != archivedRuns || due[0].runs[0].first != 100+2*(2*model.MaxArchivedLooks-1) {
		t.Fatalf("asked %+v", due)
	}
	for range 2 * model.MaxArchivedLooks / archivedRuns {
		a.answer(a.archivedDue(model.Scope{}))
	}
	looks := a.groups["billing"].group.Archived
	if len(looks.Newest) != model.MaxArchivedLooks || len(a.archivedDue(model.Scope{})) != 0 {
		t.Errorf("%d looks", len(looks.Newest))
	}
	// As events go, so does what was found of them.
	next := *a.view
	next.Archived, next.ArchivedDropped = next.Archived[len(next.Archived)-1:], uint64(len(next.Archived)-1)
	a.view = &next
	a.archivedDue(model.Scope{})
	if got := a.newest("billing"); len(a.archived.found) != 1 || got != "1122-1122 none" {
		t.Errorf("%d are kept, and %s", len(a.archived.found), got)
	}
	a.archive("billing", 0, 2000)
	late := a.archivedDue(model.Scope{})
	a.view = &model.StateView{Since: a.clock.Add(time.Second)}
	a.archive("billing", 0, 2000)
	a.archivedDue(model.Scope{})
	if a.answer(late); a.archivedDue(model.Scope{}) == nil {
		t.Error("what was asked before watching began anew has answered what came after")
	}
	a.view = &model.StateView{Since: a.clock.Add(time.Minute)}
	if a.archivedDue(model.Scope{}); len(a.archived.found) != 0 || a.newest("billing") != "" {
		t.Error("watching began anew, and something is kept")
	}
}

// What nobody answers is unknown after a while, and known once it is answered. What
// is below the log start is unknown at once.
func TestArchivedQuestionWithoutAnswer(t *testing.T) {
	t.Parallel()
	a := newArchiving(t, 1, "billing")
	a.archive("billing", 0, 9)
	a.archive("billing", 0, 20)
	a.archivedDue(model.Scope{})
	if got := a.newest("billing"); got != "20-20 pending, 9-9 unknown" {
		t.Errorf("at once: %s", got)
	}
	a.clock = a.clock.Add(archivedWait)
	due := a.archivedDue(model.Scope{})
	if got := a.newest("billing"); got != "20-20 unknown, 9-9 unknown" {
		t.Errorf("after %s: %s", archivedWait, got)
	}
	a.answer(due)
	a.archivedDue(model.Scope{})
	if got := a.newest("billing"); got != "20-20 none, 9-9 unknown" {
		t.Errorf("answered: %s", got)
	}
}

// A topic that may not be read is asked about again after a while.
func TestArchivedQuestionDenied(t *testing.T) {
	t.Parallel()
	a := newArchiving(t, 1, "billing")
	a.archive("billing", 0, 20)
	a.archivedDue(model.Scope{})
	a.denyArchived(a.topic, "jobs")
	if due := a.archivedDue(model.Scope{}); len(due) != 0 || a.newest("billing") != "20-20 unknown" {
		t.Errorf("asked %d, %s", len(due), a.newest("billing"))
	}
	a.clock = a.clock.Add(headRetry)
	if due := a.archivedDue(model.Scope{}); len(due) != 1 {
		t.Errorf("asked %d after %s", len(due), headRetry)
	}
}
