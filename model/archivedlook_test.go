package model

import (
	"fmt"
	"slices"
	"testing"
)

// Rows are cut where something else was found, and say why where that is known.
func TestArchivedReasonsByLooks(t *testing.T) {
	look := func(first, last int64, found ArchivedFound) ArchivedLook {
		return ArchivedLook{TopicID: TopicID{1, 4}, First: first, Last: last, Found: found}
	}
	elsewhere := look(90, 99, FoundNoRecord)
	elsewhere.Partition = 1
	tests := []struct {
		name     string
		newest   []ArchivedLook
		standing []ArchivedLook
		limit    Number
		want     []string
	}{
		{"nobody looked", nil, nil, Known(5), []string{"90-95 rejected-or-gap", "102-105 rejected-or-gap", "110-110 limit"}},
		{"of another partition", []ArchivedLook{elsewhere}, nil, Known(5), []string{"90-95 rejected-or-gap", "102-105 rejected-or-gap", "110-110 limit"}},
		{"pending and unknown are not known", []ArchivedLook{look(90, 92, FoundPending), look(93, 95, FoundUnknown)}, nil, Known(5), []string{"90-95 rejected-or-gap", "102-105 rejected-or-gap", "110-110 limit"}},
		{
			"records, and a marker behind them",
			[]ArchivedLook{look(90, 94, FoundRecord), look(95, 95, FoundNoRecord)},
			[]ArchivedLook{look(104, 104, FoundRecord), look(105, 110, FoundNoRecord), look(102, 102, FoundNoRecord)},
			Known(5),
			[]string{"90-94 rejected", "95-95 no-record", "102-102 no-record", "103-103 rejected-or-gap", "104-104 rejected", "105-105 no-record", "110-110 no-record"},
		},
		{
			"the same offsets archived twice",
			[]ArchivedLook{look(92, 95, FoundRecord), look(90, 93, FoundRecord)},
			nil, Known(5),
			[]string{"90-95 rejected", "102-105 rejected-or-gap", "110-110 limit"},
		},
		{
			"records at the limit",
			nil,
			[]ArchivedLook{look(110, 110, FoundRecord)},
			Known(5),
			[]string{"90-95 rejected-or-gap", "102-105 rejected-or-gap", "110-110 limit"},
		},
		{"no limit", []ArchivedLook{look(90, 90, FoundNoRecord), look(91, 91, FoundRecord)}, nil, Number{}, []string{"90-90 no-record", "91-95 unknown", "102-105 unknown", "110-110 unknown"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g := &Group{ID: NewGroupID("g"), Archived: &ArchivedLooks{Newest: test.newest, Standing: test.standing}, Partitions: []SharePartition{{
				Topic: NewTopicName("jobs"), TopicID: TopicID{1, 4},
				State: NewPartitionState(StateParts{Start: 100, Highest: 110, Batches: Intervals{
					{102, 105, RecordArchived, 1}, {110, 110, RecordArchived, 5},
				}}),
			}}}
			if test.limit.IsKnown() {
				g.Settings = &Settings{DeliveryLimit: test.limit}
			}
			list := ArchivedIn(&Snapshot{Groups: []*Group{g}, State: &StateView{
				Archived: []StateEvent{gaveUp(7, 90, 95, 1, RecordArchived, RecordNew)},
			}}, g.ID)
			var got []string
			records, offsets := int64(0), int64(0)
			slices.SortFunc(list.Rows, func(a, b *ArchivedRow) int { return int(a.First - b.First) })
			for _, r := range list.Rows {
				got = append(got, fmt.Sprintf("%d-%d %s", r.First, r.Last, r.Reason()))
				records += r.Records()
				offsets += r.Len()
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
			if list.Records != records || list.Nothing != offsets-records || offsets != 11 {
				t.Errorf("%d records and %d offsets without one of %d", list.Records, list.Nothing, offsets)
			}
		})
	}
}

func TestArchiveReasonWords(t *testing.T) {
	for r, want := range []string{"unknown", "limit", "rejected-or-gap", "rejected", "no-record", "no-record"} {
		if got := ArchiveReason(r).String(); got != want { //nolint:gosec // a handful
			t.Errorf("reason %d is %q, want %q", r, got, want)
		}
	}
}
