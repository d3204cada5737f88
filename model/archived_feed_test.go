package model

import (
	"slices"
	"testing"
	"time"
)

func offsetsOf(rows []*ArchivedRow) (out []int64) {
	for _, r := range rows {
		out = append(out, r.First, r.Last)
	}
	return out
}

// Every run is given once, whichever of its event and its state comes first.
func TestArchivedFeed(t *testing.T) {
	since := time.Unix(1000, 0)
	state := func(batches ...StateBatch) []*Group {
		p := statePart("jobs", 0, 0, batches...)
		p.TopicID = TopicID{1, 4}
		return []*Group{{ID: NewGroupID("g"), Partitions: []SharePartition{p}}}
	}
	gone := func(first, last int64) StateBatch { return StateBatch{first, last, RecordArchived, 5} }
	at := func(second, first, last int64) StateEvent {
		return gaveUp(second, first, last, 5, RecordArchived, RecordReleased)
	}
	moved := gaveUp(1004, 7, 7, 5, RecordArchived, RecordArchiving)
	other := at(1005, 70, 70)
	other.Group = NewGroupID("another")
	steps := []struct {
		name   string
		groups []*Group
		view   *StateView
		want   []int64
		missed bool
	}{
		{"not read yet", state(gone(2, 3)), nil, nil, false},
		{"what stands there", state(gone(2, 3)), &StateView{Since: since}, []int64{2, 3}, false},
		{"the same again", state(gone(2, 3)), &StateView{Since: since}, nil, false},
		{
			"an event and its state", state(gone(2, 5)), &StateView{Since: since, Archived: []StateEvent{at(1001, 4, 5)}},
			[]int64{4, 5},
			false,
		},
		{
			"an event before its state", state(gone(2, 5)),
			&StateView{Since: since, Archived: []StateEvent{at(1001, 4, 5), at(1002, 6, 6)}},
			[]int64{6, 6},
			false,
		},
		{
			"its state, written to the dead-letter topic, another group's", state(gone(2, 6)),
			&StateView{Since: since, Archived: []StateEvent{at(1001, 4, 5), at(1002, 6, 6), moved, other}},
			nil, false,
		},
		{
			"after a reset", state(gone(2, 6)),
			&StateView{Since: since, Archived: []StateEvent{at(1002, 6, 6), moved, other, at(1006, 2, 2)}, ArchivedDropped: 1},
			[]int64{2, 2},
			false,
		},
		{
			"events that were dropped unseen", state(gone(2, 9)),
			&StateView{Since: since, Archived: []StateEvent{at(1008, 9, 9)}, ArchivedDropped: 7},
			[]int64{7, 8, 9, 9},
			true,
		},
		{"watching began anew", state(gone(2, 10)), &StateView{Since: since.Add(time.Hour)}, []int64{10, 10}, true},
	}
	feed := ArchivedFeed{Group: NewGroupID("g")}
	for _, step := range steps {
		rows, missed := feed.Take(&Snapshot{Groups: step.groups, State: step.view})
		if got := offsetsOf(rows); !slices.Equal(got, step.want) || missed != step.missed {
			t.Errorf("%s: %v, missed %v; want %v, %v", step.name, got, missed, step.want, step.missed)
		}
		for _, r := range rows {
			if r.Group.Empty() || r.Count != 5 {
				t.Errorf("%s: %+v", step.name, r)
			}
		}
	}
	if rows, missed := feed.Take(nil); rows != nil || missed {
		t.Error("nothing was seen, and rows")
	}
}

// What somebody is about to look at is given when that is over, once and in its
// order, and tells what was found.
func TestArchivedFeedWaitsForLooks(t *testing.T) {
	since := time.Unix(1000, 0)
	at := func(second, first, last int64) StateEvent {
		return gaveUp(second, first, last, 1, RecordArchived, RecordNew)
	}
	found := func(offset int64, what ArchivedFound) ArchivedLook {
		return ArchivedLook{TopicID: TopicID{1, 4}, First: offset, Last: offset, Found: what}
	}
	events := []StateEvent{at(1001, 4, 4), at(1002, 6, 6), at(1003, 8, 8), at(1004, 9, 9)}
	steps := []struct {
		name   string
		events int
		looks  []ArchivedLook
		want   []int64
	}{
		{"nobody has looked", 1, []ArchivedLook{found(4, FoundPending)}, nil},
		{"of another", 2, []ArchivedLook{found(4, FoundPending), found(6, FoundRecord)}, nil},
		{"the first", 3, []ArchivedLook{found(8, FoundPending), found(6, FoundRecord), found(4, FoundNoRecord)}, []int64{4, 4, 6, 6}},
		{"it can't be told", 3, []ArchivedLook{found(8, FoundUnknown)}, []int64{8, 8}},
		{"the same again", 3, nil, nil},
		{"one more", 4, []ArchivedLook{found(9, FoundPending)}, nil},
		{"in a hurry", 4, []ArchivedLook{found(9, FoundPending)}, []int64{9, 9}},
	}
	feed := ArchivedFeed{Group: NewGroupID("g")}
	for _, step := range steps {
		p := statePart("jobs", 0, 0, StateBatch{4, 4, RecordArchived, 1}, StateBatch{6, 6, RecordArchived, 1}, StateBatch{8, 8, RecordArchived, 1}, StateBatch{9, 9, RecordArchived, 1})
		p.TopicID, p.State = TopicID{1, 4}, NewPartitionState(StateParts{Start: 0, Highest: 9, Batches: p.State.Batches()[:step.events]})
		feed.Hurry = step.name == "in a hurry"
		g := &Group{ID: NewGroupID("g"), Partitions: []SharePartition{p}, Archived: &ArchivedLooks{Newest: step.looks}}
		rows, missed := feed.Take(&Snapshot{Groups: []*Group{g}, State: &StateView{Since: since, Archived: events[:step.events]}})
		if got := offsetsOf(rows); !slices.Equal(got, step.want) || missed {
			t.Errorf("%s: %v, missed %v; want %v", step.name, got, missed, step.want)
		}
		for _, r := range rows {
			if want := map[int64]ArchivedFound{4: FoundNoRecord, 6: FoundRecord}[r.First]; r.Found != want || r.At.IsZero() {
				t.Errorf("%s: %+v", step.name, r)
			}
		}
	}
}
