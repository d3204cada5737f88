package model

import "time"

// Crossed are the times of the first and the last record that a start offset
// passes over when it moves, back or on. Either is zero where it could not be
// read. Timestamps may be the producers': the last can be before the first.
type Crossed struct{ First, Last time.Time }

// Known tells whether both times are.
func (c Crossed) Known() bool { return !c.First.IsZero() && !c.Last.IsZero() }

// Length is how much time is crossed; unknown is false.
func (c Crossed) Length() (d time.Duration, known bool) {
	if !c.Known() {
		return 0, false
	}
	return c.Last.Sub(c.First).Abs(), true
}

// Crosses are the offsets that a row passes over which are still in its log, from
// first up to but without end; false when there are none.
func (p *Plan) Crosses(r *PlanRow) (first, end int64, ok bool) {
	from, known := r.Now.Get()
	to, planned := r.New.Get()
	if !r.Write || !known || !planned {
		return 0, 0, false
	}
	first, end = min(from, to), max(from, to)
	for i := range p.Look.Partitions {
		if l := &p.Look.Partitions[i]; l.TopicPartition == r.TopicPartition {
			first, end = max(first, l.LogStart.Or(0)), min(end, l.End.Or(end))
		}
	}
	return first, end, first < end
}
