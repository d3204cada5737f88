package model

import "time"

// partitionHistory is the small running state of one share-partition: enough to
// tell how long its start offset has stayed, and when records were last seen to
// be finished. All times are unix nanoseconds of samples, 0 for never.
//
// "Finished" below is end - lag = start offset + finished records above it. It
// never falls unless someone alters the group's offsets. Start offsets
// themselves are no progress: they trail by one write, which can be the whole
// backlog.
type partitionHistory struct {
	start    int64 // the last known start offset
	end, lag int64 // of the last sample that had them
	// stayedSince is the first sample with this start offset and lag above 0,
	// stayedFrom the finished count at that sample.
	stayedSince, stayedFrom int64
	// finished is the count at the last sample that was certain to be higher
	// than before; finishedAt is that sample, finishedAfter the one before it.
	finished, finishedAt, finishedAfter int64
	startSince                          int64 // the first sample with this start offset
	lostAt                              int64 // when a known start offset became unknown
	flags                               historyFlags
	// rises counts the samples since stayedSince that showed more records
	// finished; 2 stands for more.
	rises uint8
}

type historyFlags uint8

const (
	hasStart historyFlags = 1 << iota
	hasEnd
	hasLag
	// stayedExact: something was seen to change at stayedSince; without it the
	// true moment lies before.
	stayedExact
	// finishedExact: the same of finishedAt.
	finishedExact
	// drained: the lag was 0 or below at the last sample.
	drained
	// doubted: the last sample was late and showed fewer records finished.
	doubted
)

func (h *partitionHistory) has(f historyFlags) bool { return h.flags&f != 0 }

func (h *partitionHistory) set(f historyFlags, on bool) {
	h.flags &^= f
	if on {
		h.flags |= f
	}
}

// partitionSample is one answer about one share-partition.
type partitionSample struct {
	at, previous    int64 // this sample and the one before; 0 when it is the first
	start, lag, end Number
	// skew is how many records end may be off, see endHistory.endAt.
	skew int64
	// late: the lag was asked for after the newest end offset was. A record that
	// came in between counts as one finished less, however few came before.
	late bool
	// idle: the group had no member at this sample nor at the one before, so
	// that only an alteration can move its start offset.
	idle bool
}

// delta is what changed between two samples.
type delta struct {
	in, done, net  int64
	hasIn, hasDone bool
	// altered: the series breaks here, what came before can't be compared.
	altered bool
}

// exactly tells whether a change first seen in this sample happened close
// enough before it to be dated by it.
func (s partitionSample) exactly() bool {
	return s.previous != 0 && s.at-s.previous <= int64(RateWindow)
}

// add takes one more sample.
func (h *partitionHistory) add(s partitionSample) delta {
	altered := h.addStart(s)
	d := h.addEnd(s)
	if altered || d.altered {
		h.restart(s)
		return delta{altered: true}
	}
	h.addProgress(s)
	return d
}

// addStart tells whether the start offset shows that someone altered it: moved
// back, moved while nobody was reading, or lost.
func (h *partitionHistory) addStart(s partitionSample) (altered bool) {
	start, known := s.start.Get()
	if !known {
		if h.has(hasStart) && h.lostAt == 0 {
			h.lostAt = s.at
			return true
		}
		return false
	}
	moved := !h.has(hasStart) || start != h.start
	altered = h.has(hasStart) && (start < h.start || start > h.start && s.idle)
	if h.lostAt != 0 {
		h.lostAt = 0
		h.set(stayedExact, false)
	}
	if moved {
		h.set(stayedExact, h.has(hasStart) && s.exactly())
		h.start, h.startSince, h.stayedSince = start, s.at, 0
		h.set(hasStart, true)
	}
	return altered
}

// addEnd returns the growth of the counters. An end offset that moved back, or
// records that are finished no longer, break the series; the latter only when
// it is more than the end offsets of both samples may be off, and of two late
// samples only when the second says so too: the first is then left out.
func (h *partitionHistory) addEnd(s partitionSample) delta {
	end, ok := s.end.Get()
	if !ok {
		h.set(hasEnd|hasLag, false)
		return delta{}
	}
	lag, lagKnown := s.lag.Get()
	var d delta
	if h.has(hasEnd) {
		d.in, d.hasIn = end-h.end, true
		d.altered = d.in < -s.skew
	}
	if lagKnown && h.has(hasLag) {
		d.net, d.done, d.hasDone = h.lag-lag, end-lag-(h.end-h.lag), true
		fewer := d.done < -2*s.skew
		if fewer && !d.altered && s.late && !h.has(doubted) {
			h.set(doubted, true)
			return delta{hasIn: true, hasDone: true}
		}
		h.set(doubted, false)
		d.altered = d.altered || fewer
		if s.idle {
			// Nobody was there to finish anything: the two were sampled a moment
			// apart while records came in.
			d.done = 0
		}
	}
	h.end, h.lag = end, lag
	h.set(hasEnd, true)
	h.set(hasLag, lagKnown)
	return d
}

// addProgress keeps the moments: since when the start offset has stayed while
// records wait, and when records were last finished.
func (h *partitionHistory) addProgress(s partitionSample) {
	if !h.has(hasStart) || !h.has(hasLag) {
		return
	}
	finished := h.end - h.lag
	if h.lag <= 0 {
		// All is finished: whatever waits from now on has not waited before.
		h.set(drained, true)
		h.stayedSince = 0
		h.set(stayedExact, true)
		h.progress(s, finished)
		return
	}
	if h.has(drained) {
		h.set(drained, false)
		h.set(stayedExact, s.exactly())
		h.progress(s, finished)
	}
	if h.stayedSince == 0 {
		h.stayedSince, h.stayedFrom = s.at, finished
		h.progress(s, finished)
		h.finishedAfter, h.rises = 0, 0
		return
	}
	if finished-h.finished > s.skew {
		h.progress(s, finished)
		h.finishedAfter = s.previous
		h.rises = min(h.rises+1, 2)
	}
}

// progress notes that records were finished, or could not wait, until now.
func (h *partitionHistory) progress(s partitionSample, finished int64) {
	h.set(finishedExact, h.finishedAt != 0 && s.exactly())
	h.finished, h.finishedAt = finished, s.at
}

// restart begins anew at this sample after an alteration.
func (h *partitionHistory) restart(s partitionSample) {
	h.stayedSince, h.finishedAfter = 0, 0
	h.set(drained, false)
	h.set(stayedExact|finishedExact, s.exactly())
	h.addProgress(s)
}

// PartitionFacts is what is known of one share-partition beside its snapshot:
// its log, and how its offsets have moved. The zero PartitionFacts knows
// nothing.
type PartitionFacts struct {
	Log PartitionLog
	// TopicGone is true when the cluster says that the topic does not exist.
	TopicGone bool
	// TopicProblem is why the topic's log can't be seen, as in Topic.
	TopicProblem *Problem
	// Retention is the topic's, as in Topic.
	Retention Number
	// StartSince is the first sample with this start offset; zero when unknown.
	StartSince time.Time
	// StayedSince is the first sample with this start offset since the lag was
	// last 0: since then records have waited and the start offset has stayed.
	// Zero while there is no such time. StayedAtLeast: it began earlier.
	StayedSince   time.Time
	StayedAtLeast bool
	// FinishedSince counts records finished since StayedSince.
	FinishedSince int64
	// FinishedAt is the sample that last showed more records finished, and
	// FinishedAfter the sample before that one: they were finished between the
	// two. FinishedAfter is zero when none was seen since StayedSince.
	FinishedAt, FinishedAfter time.Time
	// FinishedTwice: two samples or more since StayedSince showed records
	// finished.
	FinishedTwice bool
	// FinishedAtLeast: nothing was seen to finish; FinishedAt is then the first
	// sample.
	FinishedAtLeast bool
	// LastStart is the start offset known before it was lost at LostAt; unknown
	// while it is not lost.
	LastStart Number
	LostAt    time.Time
	// LeaderlessSince is when the partition was first seen without a leader;
	// LeaderlessAtLeast when no leader was seen before that.
	LeaderlessSince   time.Time
	LeaderlessAtLeast bool
}

// facts fills in what the running state says.
func (h *partitionHistory) facts() PartitionFacts {
	f := PartitionFacts{
		StartSince:      timeOf(h.startSince),
		StayedSince:     timeOf(h.stayedSince),
		StayedAtLeast:   !h.has(stayedExact),
		FinishedAt:      timeOf(h.finishedAt),
		FinishedAfter:   timeOf(h.finishedAfter),
		FinishedTwice:   h.rises >= 2,
		FinishedAtLeast: !h.has(finishedExact),
	}
	if h.stayedSince != 0 && h.has(hasLag) {
		f.FinishedSince = max(0, h.finished-h.stayedFrom)
	}
	if h.lostAt != 0 {
		f.LastStart, f.LostAt = Known(h.start), timeOf(h.lostAt)
	}
	return f
}
