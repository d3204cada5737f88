package model

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
)

func archivedLine(r *ArchivedRow) string {
	seconds := "–"
	if !r.At.IsZero() {
		seconds = strconv.FormatInt(r.At.Unix(), 10)
	}
	return fmt.Sprintf("%s %s-%d %d-%d %s after %d/%d: %s at %s below %t", r.Group, r.Topic, r.Partition,
		r.First, r.Last, r.State, r.Count, r.Limit.Count, r.Reason(), seconds, r.BelowStart)
}

// gaveUp is an event of group "g" on jobs-0, at so many seconds.
func gaveUp(second, first, last int64, count int16, state, before RecordState) StateEvent {
	return StateEvent{
		Group: NewGroupID("g"), Topic: NewTopicName("jobs"), TopicID: TopicID{1, 4},
		RecordEvent: RecordEvent{Millis: second * 1000, StateBatch: StateBatch{first, last, state, count}, Before: before},
	}
}

func TestArchivedIn(t *testing.T) {
	archived := func(first, last int64, count int16) StateBatch {
		return StateBatch{first, last, RecordArchived, count}
	}
	tests := []struct {
		name    string
		batches Intervals
		events  []StateEvent
		want    []string
	}{
		{"nothing", nil, nil, nil},
		{
			"from before we looked",
			Intervals{archived(102, 103, 5), {104, 104, RecordFinished, 1}, {105, 105, RecordArchiving, 2}},
			nil,
			[]string{
				"g jobs-0 102-103 archived after 5/5: limit at – below false",
				"g jobs-0 105-105 archiving after 2/5: rejected-or-gap at – below false",
			},
		},
		{
			"seen, and passed by the start offset since", nil,
			[]StateEvent{gaveUp(7, 90, 91, 5, RecordArchived, RecordReleased)},
			[]string{"g jobs-0 90-91 archived after 5/5: limit at 7 below true"},
		},
		{
			"seen and still there: one row",
			Intervals{archived(102, 103, 5)},
			[]StateEvent{gaveUp(7, 102, 103, 5, RecordArchived, RecordReleased)},
			[]string{"g jobs-0 102-103 archived after 5/5: limit at 7 below false"},
		},
		{
			"one of three was seen",
			Intervals{archived(102, 104, 5)},
			[]StateEvent{gaveUp(7, 103, 103, 5, RecordArchived, RecordReleased)},
			[]string{
				"g jobs-0 103-103 archived after 5/5: limit at 7 below false",
				"g jobs-0 102-102 archived after 5/5: limit at – below false",
				"g jobs-0 104-104 archived after 5/5: limit at – below false",
			},
		},
		{
			"written to the dead-letter topic since",
			Intervals{archived(102, 103, 1)},
			[]StateEvent{
				gaveUp(7, 102, 103, 1, RecordArchiving, RecordNew),
				gaveUp(8, 102, 102, 1, RecordArchived, RecordArchiving),
				gaveUp(9, 103, 103, 1, RecordArchived, RecordArchiving),
			},
			[]string{"g jobs-0 102-103 archived after 1/5: rejected-or-gap at 7 below false"},
		},
		{
			"only the end of its writing was seen", nil,
			[]StateEvent{gaveUp(8, 90, 90, 1, RecordArchived, RecordArchiving)},
			[]string{"g jobs-0 90-90 archived after 1/5: rejected-or-gap at 8 below true"},
		},
		{
			"newest first", nil,
			[]StateEvent{
				gaveUp(7, 90, 90, 5, RecordArchived, RecordReleased), gaveUp(8, 91, 91, 5, RecordArchived, RecordReleased),
			},
			[]string{
				"g jobs-0 91-91 archived after 5/5: limit at 8 below true",
				"g jobs-0 90-90 archived after 5/5: limit at 7 below true",
			},
		},
	}
	for _, test := range tests {
		g := &Group{
			ID: NewGroupID("g"), Settings: &Settings{DeliveryLimit: Known(5)},
			Partitions: []SharePartition{statePart("jobs", 0, 100, test.batches...)},
		}
		other := gaveUp(9, 1, 1, 5, RecordArchived, RecordReleased)
		other.Group = NewGroupID("other")
		s := &Snapshot{Groups: []*Group{g}, State: &StateView{Since: at(0), Archived: append([]StateEvent{other}, test.events...)}}
		list := ArchivedIn(s, g.ID)
		var got []string
		for _, r := range list.Rows {
			got = append(got, archivedLine(r))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: got\n%q, want\n%q", test.name, got, test.want)
		}
		if !list.Since.Equal(at(0)) {
			t.Errorf("%s: since %v", test.name, list.Since)
		}
		if all := ArchivedIn(s, GroupID{}); len(all.Rows) != len(test.want)+1 {
			t.Errorf("%s: %d rows in all groups", test.name, len(all.Rows))
		}
	}
}

// Of a group whose limit nobody told no reason is claimed, nor of one that is
// gone.
func TestArchivedReasonNeedsALimit(t *testing.T) {
	e := gaveUp(7, 90, 90, 5, RecordArchived, RecordReleased)
	s := &Snapshot{State: &StateView{Archived: []StateEvent{e}, ArchivedDropped: 3}}
	list := ArchivedIn(s, e.Group)
	if len(list.Rows) != 1 || list.Rows[0].Reason() != ArchivedUnknown || list.More != 3 {
		t.Errorf("%+v", list)
	}
	if ArchivedIn(nil, e.Group).Rows != nil {
		t.Error("no snapshot has no rows")
	}
}

func TestArchivedIsBounded(t *testing.T) {
	var batches Intervals
	for i := range int64(MaxArchivedRows + 7) {
		batches = append(batches, StateBatch{2 * i, 2 * i, RecordArchived, 5})
	}
	g := &Group{ID: NewGroupID("g"), Partitions: []SharePartition{statePart("jobs", 0, 0, batches...)}}
	list := ArchivedIn(&Snapshot{Groups: []*Group{g}}, g.ID)
	if len(list.Rows) != MaxArchivedRows || list.More != 7 || list.Records != MaxArchivedRows {
		t.Errorf("%d rows, %d more, %d records", len(list.Rows), list.More, list.Records)
	}
}

func TestSpans(t *testing.T) {
	var s spans
	for _, r := range []span{{5, 9}, {20, 30}, {10, 12}, {1, 2}, {3, 4}, {25, 40}} {
		s = s.with(r)
	}
	if want := (spans{{1, 12}, {20, 40}}); !slices.Equal(s, want) {
		t.Errorf("got %v, want %v", s, want)
	}
	if got := s.without(span{0, 50}); !slices.Equal(got, []span{{0, 0}, {13, 19}, {41, 50}}) {
		t.Errorf("parts %v", got)
	}
	if got := s.without(span{2, 5}); got != nil {
		t.Errorf("parts %v of what is covered", got)
	}
}
