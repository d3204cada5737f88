package model

import (
	"testing"
	"time"
)

// tallied gives the only partition of a group a state with that tally.
func (s *scene) tallied(id string, tally Tally) {
	p := &s.groups[id].Partitions[0]
	p.State = NewPartitionState(StateParts{Start: 0, Finished: 0, Highest: -1, Tally: &tally})
}

// liveScene is a group that the state topic tells of, opened.
func liveScene(t *testing.T) *scene {
	s := newScene(t, Rules{})
	s.source, s.open = FromStateTopic, NewGroupID("g")
	s.topic("jobs", [2]int64{0, 1000})
	s.group("g", 1, part("jobs", 0, 0, 100))
	return s
}

func TestStateRates(t *testing.T) {
	s := liveScene(t)
	s.look(0)
	if r := s.row("g"); r.State.Accepted.Known || r.Retrying.IsKnown() || s.board.Open.Activity != nil {
		t.Fatalf("known without a state: %+v", r.State)
	}
	s.tallied("g", Tally{})
	s.look(time.Second)
	s.tallied("g", Tally{Accepted: 100, Archived: 10, Released: 40, Deliveries: 150})
	s.look(10 * time.Second)
	want := StateRates{
		Accepted: Rate{10, true}, Archived: Rate{1, true}, Released: Rate{4, true}, Deliveries: Rate{15, true},
	}
	if got := s.row("g").State; got != want {
		t.Errorf("got %+v", got)
	}
	// A new load begins the tally anew: that is no growth, and none backwards.
	s.tallied("g", Tally{Accepted: 3})
	s.look(time.Second)
	if got := s.row("g").State.Accepted.PerSecond; got < 8 || got > 10 {
		t.Errorf("%v accepted a second after a new load", got)
	}
	// Silence of a live source is that nothing happens.
	for range 20 {
		s.now = s.now.Add(time.Second)
		s.lookAt(func(string) bool { return false })
	}
	if got := s.row("g").State; !got.still() || !got.Accepted.Known {
		t.Errorf("after 20 s of silence: %+v", got)
	}
}

func TestActivity(t *testing.T) {
	s := liveScene(t)
	s.tallied("g", Tally{})
	s.look(0)
	s.tallied("g", Tally{Accepted: 7, Released: 2, Archived: 1})
	s.look(ActivityStep)
	s.look(2 * ActivityStep)
	a := s.board.Open.Activity
	last := ActivityPoints - 1
	for i, want := range []int64{0, 0, 7, 0} {
		if got := a.Accepted[last-i]; got != Known(want) {
			t.Errorf("%d steps ago %v accepted, want %d", i, got, want)
		}
	}
	if a.Released[last-2] != Known(2) || a.Archived[last-2] != Known(1) || a.Accepted[last-4].IsKnown() {
		t.Errorf("released %v, archived %v, before that %v", a.Released[last-2], a.Archived[last-2], a.Accepted[last-4])
	}
	// An hour later nothing of it is left, and nothing is out of bounds.
	s.look(time.Hour)
	if got := s.board.Open.Activity.Accepted[0]; got.IsKnown() && got != Known(0) {
		t.Errorf("got %v", got)
	}
	s.now = s.now.Add(-time.Minute)
	s.look(0)
}

func TestRetryingCountsRecords(t *testing.T) {
	g := &Group{Partitions: []SharePartition{
		statePart("jobs", 0, 0, released(0, 0, 3), StateBatch{1, 5, RecordFinished, 1}, released(6, 9, 1)),
		statePart("jobs", 1, 0, StateBatch{0, 5, RecordReleased, 0}),
		part("jobs", 2, 0, 3),
	}}
	if got := retrying(g); got != Known(5) {
		t.Errorf("got %v, want 5", got)
	}
	if got := retrying(&Group{Partitions: g.Partitions[2:]}); got.IsKnown() {
		t.Errorf("%v without a state", got)
	}
}

func TestOpenPartitionHasItsHead(t *testing.T) {
	s := liveScene(t)
	p := &s.groups["g"].Partitions[0]
	p.State = refunds()
	p.Head = &HeadRecord{Offset: 9120, Record: Known(9120), Timestamp: at(-840)}
	s.look(0)
	row := s.board.Open.Partitions[0]
	if row.Head != Known(9120) || !row.HeadTime.Equal(at(-840)) || row.Window != Known(15) {
		t.Errorf("head %v of %v, window %v", row.Head, row.HeadTime, row.Window)
	}
	p.Head = &HeadRecord{Offset: 9000, Timestamp: at(-840)}
	s.look(time.Second)
	if row := s.board.Open.Partitions[0]; !row.HeadTime.IsZero() {
		t.Error("the time of another record is shown")
	}
}

// The window begins at the head where it is known: the persisted start offset
// trails by one write.
func TestWindowBeginsAtTheHead(t *testing.T) {
	p := statePart("jobs", 0, 100, StateBatch{100, 179, RecordFinished, 1}, released(180, 189, 1), StateBatch{190, 199, RecordFinished, 1})
	if got := windowOf(&p, PartitionLog{End: Known(300)}); got != Known(20) {
		t.Errorf("got %v, want 20", got)
	}
	done := statePart("jobs", 0, 100, StateBatch{100, 199, RecordFinished, 1})
	if got := windowOf(&done, PartitionLog{End: Known(200)}); got != Known(0) {
		t.Errorf("got %v when all is done", got)
	}
	fresh := statePart("jobs", 0, 100)
	if got := windowOf(&fresh, PartitionLog{End: Known(200)}); got != Known(0) {
		t.Errorf("got %v when nothing was settled", got)
	}
}
