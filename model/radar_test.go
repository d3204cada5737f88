package model

import (
	"fmt"
	"slices"
	"testing"
)

// statePart is a share-partition with those batches from a start offset on.
func statePart(topic string, partition int32, start int64, batches ...StateBatch) SharePartition {
	p := part(topic, partition, start, 10)
	p.TopicID = TopicID{1, byte(len(topic))}
	parts := StateParts{Start: start, Finished: -1, Highest: -1, Batches: batches}
	if n := len(batches); n > 0 {
		parts.Highest = batches[n-1].Last
	}
	p.State = NewPartitionState(parts)
	return p
}

func released(first, last int64, count int16) StateBatch {
	return StateBatch{First: first, Last: last, State: RecordReleased, Count: count}
}

func radarLine(r *RadarRow) string {
	from, halves := r.Halving()
	return fmt.Sprintf("%s %s-%d %d-%d %d/%d left %d last %t halves %t from %d head %t",
		r.Group, r.Topic, r.Partition, r.First, r.Last, r.Count, r.Limit.Count, r.Left(), r.NextIsLast(), halves, from, r.Head)
}

func TestRadarIsWorstFirst(t *testing.T) {
	s := &Snapshot{Groups: []*Group{
		{ID: NewGroupID("a"), Partitions: []SharePartition{
			statePart("jobs", 0, 100, released(100, 100, 3), StateBatch{101, 120, RecordFinished, 1}, released(9134, 9633, 1)),
			statePart("jobs", 1, 7, StateBatch{7, 7, RecordReleased, 0}),
		}},
		{ID: NewGroupID("b"), Settings: &Settings{DeliveryLimit: Known(2)}, Partitions: []SharePartition{
			statePart("jobs", 0, 100, StateBatch{100, 100, RecordFinished, 1}, released(101, 101, 1)),
		}},
		{ID: NewGroupID("c"), Settings: &Settings{DeliveryLimit: Known(10)}, Partitions: []SharePartition{
			statePart("jobs", 0, 100, released(104, 105, 8)),
		}},
		{ID: NewGroupID("d"), Partitions: []SharePartition{part("jobs", 0, 100, 4)}},
	}}
	r := RadarOf(s, nil)
	want := []string{
		"b jobs-0 101-101 1/2 left 1 last true halves false from 3 head true",
		"c jobs-0 104-105 8/10 left 2 last false halves true from 6 head false",
		"a jobs-0 100-100 3/5 left 2 last false halves true from 4 head true",
		"a jobs-0 9134-9633 1/5 left 4 last false halves false from 4 head false",
	}
	var got []string
	for _, row := range r.Rows {
		got = append(got, radarLine(row))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
	if r.Runs != 4 || r.Records != 504 || r.Groups != 3 || r.Live != 3 {
		t.Errorf("%d runs, %d records, %d groups, %d live", r.Runs, r.Records, r.Groups, r.Live)
	}
	if !r.Rows[2].Limit.Assumed || r.Rows[0].Limit.Assumed {
		t.Error("only a limit that nobody told is assumed")
	}
}

// A group that did not change is not looked at again, one that did is.
func TestRadarLooksAtWhatChanged(t *testing.T) {
	group := func(id string, count int16) *Group {
		return &Group{ID: NewGroupID(id), Partitions: []SharePartition{statePart("jobs", 0, 0, released(0, 0, count))}}
	}
	a, b, c := group("a", 1), group("b", 2), group("c", 3)
	before := RadarOf(&Snapshot{Groups: []*Group{a, b}}, nil)
	after := RadarOf(&Snapshot{Groups: []*Group{group("b", 4), c}}, before)
	if got := len(after.Rows); got != 2 || after.Rows[0].Count != 4 || after.Rows[1].Group != c.ID {
		t.Errorf("got %d rows, %v", got, after.Rows)
	}
	again := RadarOf(&Snapshot{Groups: []*Group{a, b}}, before)
	for i := range again.Rows {
		if again.Rows[i] != before.Rows[i] {
			t.Errorf("row %d was made anew", i)
		}
	}
	if RadarOf(nil, before).Runs != 0 {
		t.Error("nothing is known of no snapshot")
	}
}

func TestRadarIsBounded(t *testing.T) {
	var batches Intervals
	for i := range int64(MaxRadarRows + 500) {
		batches = append(batches, released(2*i, 2*i, int16(1+i%4)))
	}
	g := &Group{ID: NewGroupID("g"), Partitions: []SharePartition{statePart("jobs", 0, 0, batches...)}}
	r := RadarOf(&Snapshot{Groups: []*Group{g}}, nil)
	if len(r.Rows) != MaxRadarRows || r.Runs != MaxRadarRows+500 {
		t.Fatalf("%d rows of %d", len(r.Rows), r.Runs)
	}
	// What is left out is what has most deliveries left.
	if r.Rows[0].Count != 4 || r.Rows[len(r.Rows)-1].Count != 1 || !slices.IsSortedFunc(r.Rows, compareRadar) {
		t.Errorf("from count %d to %d", r.Rows[0].Count, r.Rows[len(r.Rows)-1].Count)
	}
}

func TestHalvesFrom(t *testing.T) {
	// Measured with limit 5: three deliveries with all 10 records, then halves.
	for limit, want := range map[int64]int64{2: 3, 3: 3, 4: 3, 5: 4, 6: 4, 10: 6} {
		if got := (DeliveryLimit{Count: limit}).HalvesFrom(); got != want {
			t.Errorf("limit %d: from %d, want %d", limit, got, want)
		}
	}
}

// radarCrowd is a snapshot with that many runs in as many groups.
func radarCrowd(n int) *Snapshot {
	s := &Snapshot{}
	for i := range n {
		s.Groups = append(s.Groups, &Group{
			ID:         NewGroupID(fmt.Sprintf("group-%06d", i)),
			Partitions: []SharePartition{statePart("jobs", 0, 0, released(0, int64(i%9), int16(1+i%4)))},
		})
	}
	return s
}

func BenchmarkRadarOf(b *testing.B) {
	s := radarCrowd(10_000)
	before := RadarOf(s, nil)
	changed := *s.Groups[17]
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		// One group changes, as at every acknowledgement.
		g := changed
		s.Groups[17] = &g
		before = RadarOf(s, before)
	}
}
