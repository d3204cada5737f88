package statetopic

import (
	"fmt"
	"math"
	"slices"

	"sharetop/model"
)

// MaxBatches bounds what is held of one share-partition (393 KB). Kafka hands
// out nothing more once share.partition.max.record.locks offsets are open, 10,000
// at the most it allows, so it takes something unusual to get here. Batches
// above are then left out until a snapshot has fewer.
const MaxBatches = 16_384

// merger combines batches as Kafka's PersisterStateBatchCombiner does: per
// offset the batch that Beats the other wins, and equal neighbours are joined
// (always; those of 4.2 and 4.3 now and then leave two apart).
// It owns the buffers that this takes.
type merger struct {
	in     []model.StateBatch
	pieces []model.StateBatch
	whole  model.Intervals
}

// convert checks batches and turns them into the model's, in a buffer that the
// next call reuses.
func (m *merger) convert(batches []Batch) ([]model.StateBatch, error) {
	m.in = m.in[:0]
	for i, b := range batches {
		if b.First < 0 || b.Last < b.First || b.Last == math.MaxInt64 || b.Count < 0 {
			return nil, fmt.Errorf("batch %d of %d is not possible: offsets %d to %d, delivery count %d",
				i+1, len(batches), b.First, b.Last, b.Count)
		}
		m.in = append(m.in, model.StateBatch{
			First: b.First, Last: b.Last, State: recordState(b.State), Count: b.Count,
		})
	}
	return m.in, nil
}

func recordState(id int8) model.RecordState {
	switch id {
	case StateAvailable:
		return model.RecordReleased
	case StateAcquired:
		return model.RecordAcquired
	case StateAcknowledged:
		return model.RecordFinished
	case StateArchiving:
		return model.RecordArchiving
	case StateArchived:
		return model.RecordArchived
	default:
		return model.RecordOther
	}
}

// normalize makes intervals of batches in any order, in a buffer that the next
// call reuses.
func (m *merger) normalize(batches []model.StateBatch, start int64) model.Intervals {
	m.whole = m.whole[:0]
	for _, b := range batches {
		if b.Last >= start {
			m.whole = m.overlay(m.whole, b.Clip(start, b.Last))
		}
	}
	return m.whole
}

// overlay puts a batch over intervals, in place where they have room.
func (m *merger) overlay(iv model.Intervals, b model.StateBatch) model.Intervals {
	// What overlaps or touches the batch is iv[i:j].
	i := iv.Find(b.First - 1)
	if i == len(iv) {
		return append(iv, b)
	}
	j := i
	for j < len(iv) && iv[j].First <= b.Last+1 {
		j++
	}
	m.pieces = m.pieces[:0]
	at := b.First
	for _, old := range iv[i:j] {
		if at < old.First && at <= b.Last {
			m.add(b, at, min(old.First-1, b.Last))
		}
		m.split(old, b)
		at = max(at, old.Last+1)
	}
	if at <= b.Last {
		m.add(b, at, b.Last)
	}
	return slices.Replace(iv, i, j, m.pieces...)
}

// split adds what becomes of an old batch under a new one.
func (m *merger) split(old, b model.StateBatch) {
	if old.First < b.First {
		m.add(old, old.First, min(old.Last, b.First-1))
	}
	if first, last := max(old.First, b.First), min(old.Last, b.Last); first <= last {
		winner := old
		if b.Beats(old) {
			winner = b
		}
		m.add(winner, first, last)
	}
	if old.Last > b.Last {
		m.add(old, max(old.First, b.Last+1), old.Last)
	}
}

// add adds offsets with the state of b, joined to the piece before when that
// touches and is alike.
func (m *merger) add(b model.StateBatch, first, last int64) {
	if n := len(m.pieces); n > 0 {
		before := &m.pieces[n-1]
		if before.Last+1 == first && before.SameState(b) {
			before.Last = last
			return
		}
	}
	b.First, b.Last = first, last
	m.pieces = append(m.pieces, b)
}

// clip drops what is below the start offset, in place.
func clip(iv model.Intervals, start int64) model.Intervals {
	i := iv.Find(start)
	if i > 0 {
		iv = append(iv[:0], iv[i:]...)
	}
	if len(iv) > 0 && iv[0].First < start {
		iv[0].First = start
	}
	return iv
}
