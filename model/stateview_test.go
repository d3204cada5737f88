package model

import (
	"testing"
	"time"
)

// A reader of the state topic that is behind makes no row fresh.
func TestRowsOfADeadTailAreNotFresh(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	g := &Group{OffsetsAt: now.Add(-time.Hour), OffsetsFrom: FromStateTopic}
	for phase, want := range map[TailPhase]bool{TailLive: true, TailBehind: false} {
		s := &Snapshot{Offsets: OffsetsState{Source: FromStateTopic, Tail: Tail{Phase: phase}}}
		if got := newRowClock(s, now, time.Second, Rules{}).fresh(g); got != want {
			t.Errorf("phase %d: fresh is %t", phase, got)
		}
	}
}

func TestOffsetsSeen(t *testing.T) {
	changed := time.Unix(1_800_000_000, 0)
	checked := changed.Add(time.Minute)
	s := &Snapshot{Offsets: OffsetsState{Tail: Tail{CheckedAt: checked}}}
	tests := []struct {
		name string
		g    Group
		want time.Time
	}{
		{"unknown", Group{OffsetsFrom: FromStateTopic}, time.Time{}},
		{"by request", Group{OffsetsAt: changed}, changed},
		{"live", Group{OffsetsAt: changed, OffsetsFrom: FromStateTopic}, checked},
		{"changed after the check", Group{OffsetsAt: checked.Add(1), OffsetsFrom: FromStateTopic}, checked.Add(1)},
	}
	for _, test := range tests {
		if got := s.OffsetsSeen(&test.g); !got.Equal(test.want) {
			t.Errorf("%s: seen at %s", test.name, got)
		}
	}
}

func TestOnlyMarkers(t *testing.T) {
	none := &HeadRecord{Offset: 5, NoneUpTo: Known(9)}
	if !none.OnlyMarkers(Known(9)) || none.OnlyMarkers(Known(10)) || none.OnlyMarkers(Number{}) {
		t.Error("nothing is left up to 9, and what is above is not known")
	}
	if (&HeadRecord{Offset: 5, Record: Known(6)}).OnlyMarkers(Known(9)) || (*HeadRecord)(nil).OnlyMarkers(Known(9)) {
		t.Error("a record is there, or nothing is known")
	}
}

func TestStateViewOfNothing(t *testing.T) {
	var v *StateView
	if v.HistoryOf(NewTopicName("t"), 0, 1) != nil || v.ArchivedOf(NewGroupID("g")) != nil {
		t.Error("nothing is known, and something is told")
	}
}
