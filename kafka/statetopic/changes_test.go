package statetopic

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sharetop/model"
)

func describe(events []model.RecordEvent) string {
	var lines []string
	for _, e := range events {
		lines = append(lines, fmt.Sprintf("%d-%d %s>%s %d", e.First, e.Last, e.Before, e.State, e.Count))
	}
	return strings.Join(lines, ", ")
}

// The life of three records: given back, given back and accepted, given up.
func watchedFeed(t *testing.T) *feed {
	f := newFeed(t)
	f.snapshot(Snapshot{StateEpoch: 2, DeliveryCompleteCount: 0})
	f.update(released(90, 99, 1))
	f.table.Watch(0)
	f.update(released(0, 9, 1))
	f.update(settled(StateAcknowledged, 5, 12, 2))
	f.update(released(0, 1, 2))
	f.update(settled(StateArchiving, 0, 0, 3))
	f.update(settled(StateArchived, 0, 0, 3))
	f.update(settled(StateArchived, 2, 3, 2))
	return f
}

func TestTally(t *testing.T) {
	f := watchedFeed(t)
	// Deliveries: 10 by the first release; 5 second ones accepted; 10 to 12 had
	// no release that was seen, and were on their second; 2, 1 and 2 more.
	want := model.Tally{Accepted: 8, Archived: 3, Released: 12, Deliveries: 10 + 5 + 6 + 2 + 1 + 2}
	if got := f.state().Tally(); got != want {
		t.Errorf("tally %+v, want %+v", got, want)
	}
	f.update(Update{LeaderEpoch: NotTold, StartOffset: 6})
	want.Skipped = 2
	if got := f.state().Tally(); got != want {
		t.Errorf("1 and 4 were passed unfinished: tally %+v, want %+v", got, want)
	}
}

func TestNothingIsCountedWhileLoading(t *testing.T) {
	f := newFeed(t)
	f.snapshot(Snapshot{})
	f.update(settled(StateArchived, 0, 3, 1))
	f.update(Update{LeaderEpoch: NotTold, StartOffset: 9})
	if got := f.state().Tally(); got != (model.Tally{}) {
		t.Errorf("tally %+v", got)
	}
	if events, next, lost := f.table.Archived(0); events != nil || next != 0 || lost != 0 {
		t.Errorf("events %v, next %d, lost %d", events, next, lost)
	}
}

func TestHistory(t *testing.T) {
	f := watchedFeed(t)
	for offset, want := range map[int64]string{
		0:  "0-9 new>released 1, 0-1 released>released 2, 0-0 released>archiving 3, 0-0 archiving>archived 3",
		2:  "0-9 new>released 1, 2-3 released>archived 2",
		5:  "0-9 new>released 1, 5-9 released>finished 2",
		11: "",
		95: "",
	} {
		if got := describe(f.table.History(f.share, offset)); got != want {
			t.Errorf("offset %d: %s, want %s", offset, got, want)
		}
	}
	other := f.share
	other.Partition++
	if got := f.table.History(other, 0); got != nil {
		t.Errorf("another partition: %v", got)
	}
}

func TestArchived(t *testing.T) {
	f := watchedFeed(t)
	events, next, lost := f.table.Archived(0)
	var got []model.RecordEvent
	for _, e := range events {
		if e.ShareKey != f.share {
			t.Errorf("event of %+v", e.ShareKey)
		}
		got = append(got, e.RecordEvent)
	}
	const want = "0-0 released>archiving 3, 0-0 archiving>archived 3, 2-3 released>archived 2"
	if describe(got) != want || next != 3 || lost != 0 {
		t.Errorf("%s, next %d, lost %d", describe(got), next, lost)
	}
	if got[2].Millis != f.at(7).Millis() {
		t.Errorf("archived at %d", got[2].Millis)
	}
	if events, next, _ = f.table.Archived(next); events != nil || next != 3 {
		t.Errorf("nothing new: %v, next %d", events, next)
	}
	f.update(settled(StateArchived, 60, 60, 1))
	if events, next, _ = f.table.Archived(next); len(events) != 1 || events[0].First != 60 || next != 4 {
		t.Errorf("one new: %v, next %d", events, next)
	}
	f.put(SnapshotKey, nil)
	if events, _, _ = f.table.Archived(0); len(events) != 4 {
		t.Error("with its share-partition goes what it lost")
	}
}

// The rings hold the newest; how many are gone is told.
func TestEventsAreBounded(t *testing.T) {
	f := newFeed(t)
	f.snapshot(Snapshot{})
	f.table.Watch(0)
	const more = 5
	for i := range int64(MaxArchivedEvents + more) {
		f.update(settled(StateArchived, i*2, i*2, 1))
	}
	events, next, lost := f.table.Archived(2)
	if len(events) != MaxArchivedEvents || lost != more-2 || next != MaxArchivedEvents+more {
		t.Errorf("%d events, lost %d, next %d", len(events), lost, next)
	}
	if !slices.IsSortedFunc(events, func(a, b Event) int { return int(a.First - b.First) }) || events[0].First != 2*more {
		t.Errorf("the first is %+v", events[0])
	}
	if events, next, lost := f.table.Archived(next + 100); events != nil || lost != 0 || next != MaxArchivedEvents+more {
		t.Errorf("a number from elsewhere: %d events, next %d, lost %d", len(events), next, lost)
	}
}

// Sampled on a table that overlays at random: what changed adds up to the
// difference between the states before and after.
func TestTallyAddsUp(t *testing.T) {
	f := newFeed(t)
	f.snapshot(Snapshot{})
	f.table.Watch(0)
	for i := range int64(200) {
		state := []int8{StateAvailable, StateAcknowledged, StateArchived}[i*7%3]
		first := i * 13 % 50
		before := f.state()
		f.update(settled(state, first, first+i*5%9, int16(1+i%4)))
		after := f.state()
		checkAdds(t, before, after)
	}
}

func checkAdds(t *testing.T, before, after *model.PartitionState) {
	t.Helper()
	var accepted, deliveries int64
	for o := range int64(70) {
		was, n := before.StateAt(o)
		is, m := after.StateAt(o)
		deliveries += int64(m - n)
		if is == model.RecordFinished && (was != is || m != n) {
			accepted++
		}
	}
	a, b := after.Tally(), before.Tally()
	if a.Accepted-b.Accepted != accepted || a.Deliveries-b.Deliveries != deliveries {
		t.Fatalf("tally %+v after %+v; accepted %d, deliveries %d", a, b, accepted, deliveries)
	}
}
