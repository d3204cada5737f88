package model

import "time"

// RatesBetween are records per second that came into a share-partition and that
// were finished, between two looks; unknown where one of them does not tell,
// where both are of the same moment, or where the offsets were altered.
func RatesBetween(before, after *Snapshot, id GroupID, place TopicPartition) (in, done Rate) {
	a, b := sampleOf(before, id, place), sampleOf(after, id, place)
	in = perSecond(a.end, b.end, b.endAt.Sub(a.endAt))
	done = perSecond(a.finished, b.finished, b.at.Sub(a.at))
	return in, done
}

// placeSample is what one snapshot says about a share-partition's progress.
type placeSample struct {
	end, finished Number
	endAt, at     time.Time
}

func sampleOf(s *Snapshot, id GroupID, place TopicPartition) placeSample {
	g, log := s.Group(id), s.Log(place.Topic, place.Partition)
	out := placeSample{end: log.End, endAt: log.EndAt, at: log.EndAt}
	if g == nil {
		return out
	}
	for i := range g.Partitions {
		p := &g.Partitions[i]
		if p.Topic != place.Topic || p.Partition != place.Partition || p.Problem != nil {
			continue
		}
		end, ok1 := p.LagEnd.Get()
		if !ok1 {
			end, ok1 = log.End.Get()
		}
		if lag, ok2 := p.Lag.Get(); ok1 && ok2 {
			out.finished = Known(subClamped(end, lag))
		}
	}
	return out
}

// perSecond is the growth of a counter; one that fell was altered.
func perSecond(before, after Number, took time.Duration) Rate {
	a, ok1 := before.Get()
	b, ok2 := after.Get()
	if !ok1 || !ok2 || took <= 0 || b < a {
		return Rate{}
	}
	return knownRate(float64(b-a) / took.Seconds())
}
