package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"sharetop/model"
)

// refundsState is the state of refunds-0: its head on the fourth of five
// deliveries, 13 finished behind it, one given back twice, the rest new.
func refundsState() *model.PartitionState {
	return model.NewPartitionState(model.StateParts{
		Start: 9120, Finished: 13, Highest: 9134,
		LastWrite: model.NewStamp(fixtureTime().Add(-14*time.Minute).UnixMilli(), true),
		Batches: model.Intervals{
			{First: 9120, Last: 9120, State: model.RecordReleased, Count: 3},
			{First: 9121, Last: 9133, State: model.RecordFinished, Count: 1},
			{First: 9134, Last: 9134, State: model.RecordReleased, Count: 2},
		},
	})
}

// busyState is one of 100,000 offsets of which no two neighbours are alike.
func busyState() *model.PartitionState {
	states := [...]model.StateBatch{
		{State: model.RecordFinished, Count: 1},
		{State: model.RecordReleased, Count: 2},
		{State: model.RecordFinished, Count: 2},
		{State: model.RecordArchived, Count: 5},
	}
	var batches model.Intervals
	for i := range int64(100_000) {
		b := states[i%4]
		b.First, b.Last = 8803+i, 8803+i
		batches = append(batches, b)
	}
	return model.NewPartitionState(model.StateParts{Start: 8803, Finished: 75_000, Highest: 108_802, Batches: batches})
}

// liveBoard is the blocked group with all that the state topic tells.
func liveBoard() *model.Board {
	b := openRefunds()
	since := fixtureTime().Add(-14 * time.Minute)
	b.Snapshot.Offsets = model.OffsetsState{Source: model.FromStateTopic, Sweep: b.Snapshot.Offsets.Sweep, Tail: liveTail()}
	b.Snapshot.State = fixtureView(since)
	g := b.Rows[0].Group
	settings := g.Effective()
	settings.DeliveryLimit = model.Known(5)
	g.Settings = &settings
	rows := b.Open.Partitions
	rows[0].State, rows[1].State = refundsState(), busyState()
	rows[1].Log.End = model.Known(108_803)
	for i := range rows[:2] {
		rows[i].Head = rows[i].State.Head()
		rows[i].TopicID = model.TopicID{1}
		g.Partitions = append(g.Partitions, rows[i].SharePartition)
	}
	rows[0].HeadTime = since
	slices.SortFunc(b.Snapshot.Groups, func(x, y *model.Group) int { return strings.Compare(x.ID.Raw(), y.ID.Raw()) })
	b.Rows[0].State = model.StateRates{Accepted: perSecond(0), Archived: perSecond(0.4), Released: perSecond(3), Deliveries: perSecond(3)}
	b.Rows[0].Retrying = model.Known(2)
	b.Open.Activity = &model.Activity{Accepted: fixtureLag()[:60], Released: fixtureLag()[60:120], Archived: make([]model.Number, 60)}
	return b
}

func liveTail() model.Tail {
	return model.Tail{
		Phase: model.TailLive, Loaded: 18_066, Total: 18_066, Partitions: 50, Of: 50, Took: 90 * time.Millisecond,
		CheckedAt: fixtureTime().Add(-400 * time.Millisecond), Memory: 6 << 20, BytesPerSecond: 3400,
		MaxMemory: 256 << 20, MaxBytesPerSecond: 1 << 20, MaxLoad: 10 * time.Second,
	}
}

// fixtureView saw the head given back once more, and three records archived.
func fixtureView(since time.Time) *model.StateView {
	refunds := func(offset, last int64, count int16, state, before model.RecordState, after time.Duration) model.StateEvent {
		return model.StateEvent{
			Group: model.NewGroupID("payments-retry"), Topic: model.NewTopicName("refunds"), TopicID: model.TopicID{1},
			RecordEvent: model.RecordEvent{
				Millis:     since.Add(after).UnixMilli(),
				StateBatch: model.StateBatch{First: offset, Last: last, State: state, Count: count}, Before: before,
			},
		}
	}
	return &model.StateView{
		Since: since, Open: model.NewGroupID("payments-retry"),
		Archived: []model.StateEvent{
			refunds(9100, 9101, 5, model.RecordArchived, model.RecordReleased, time.Second),
			refunds(9111, 9111, 2, model.RecordArchived, model.RecordReleased, time.Minute),
		},
		Events: []model.StateEvent{
			refunds(9120, 9134, 1, model.RecordReleased, model.RecordNew, 2*time.Second),
			refunds(9120, 9120, 2, model.RecordReleased, model.RecordReleased, 32*time.Second),
			refunds(9120, 9120, 3, model.RecordReleased, model.RecordReleased, 64*time.Second),
		},
	}
}

// released is a run of records given back so many times.
func released(first, last int64, count int16) model.StateBatch {
	return model.StateBatch{First: first, Last: last, State: model.RecordReleased, Count: count}
}

// radarBoard has runs on second and later deliveries in three groups.
func radarBoard() *model.Board {
	b := liveBoard()
	add := func(i int, topic string, limit int64, batches ...model.StateBatch) {
		g := b.Rows[i].Group
		settings := g.Effective()
		settings.DeliveryLimit = model.Known(limit)
		g.Settings = &settings
		g.Partitions = append(g.Partitions, model.SharePartition{
			Topic: model.NewTopicName(topic), TopicID: model.TopicID{9}, Start: model.Known(9000),
			State: model.NewPartitionState(model.StateParts{Start: 9000, Finished: -1, Highest: 9700, Batches: batches}),
		})
	}
	b.Rows[0].Group.Partitions = b.Rows[0].Group.Partitions[:1]
	add(1, "orders", 5, released(9001, 9001, 4), released(9134, 9633, 1))
	add(4, "shipments", 2, released(9000, 9000, 1))
	return b
}

// manyReleased is a board of so many groups with one run each.
func manyReleased(n int) *model.Board {
	b := manyGroups(n)
	b.Snapshot.Offsets = model.OffsetsState{Source: model.FromStateTopic, Tail: liveTail()}
	for i, g := range b.Snapshot.Groups {
		g.Partitions = []model.SharePartition{{
			Topic: model.NewTopicName(fmt.Sprintf("topic-%d", i%100)), TopicID: model.TopicID{byte(i % 100)},
			State: model.NewPartitionState(model.StateParts{
				Finished: -1, Highest: 99, Batches: model.Intervals{released(int64(i%50), 60, int16(1+i%4))},
			}),
		}}
	}
	return b
}
