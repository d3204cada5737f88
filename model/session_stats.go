package model

import "time"

// SessionStats are a session's totals, by the metric names of the proposed
// share-group sink task.
type SessionStats struct {
	// Began is when the session joined.
	Began time.Time
	// Acquired counts deliveries to this session; Redelivered those of them with
	// a delivery count above 1.
	Acquired, Redelivered int64
	// Acknowledged, Released, Rejected and Renewed count what brokers confirmed;
	// Acknowledged are the accepted ones.
	Acknowledged, Released, Rejected, Renewed int64
	answered                                  int64
	total, longest                            time.Duration
}

func (s *SessionStats) acknowledged(d Decision, took time.Duration) {
	switch d {
	case Accept:
		s.Acknowledged++
	case Reject:
		s.Rejected++
	default:
		s.Released++
	}
	s.answered++
	s.total += took
	s.longest = max(s.longest, took)
}

// Stats are the totals so far; they are only to be read.
func (s *Session) Stats() *SessionStats { return &s.stats }

// AckTime is the average and the longest time from sending a decision to its
// confirmation; false before the first.
func (s *SessionStats) AckTime() (average, longest time.Duration, ok bool) {
	if s.answered == 0 {
		return 0, 0, false
	}
	return s.total / time.Duration(s.answered), s.longest, true
}

// Rate is a total per second since the session began.
func (s *SessionStats) Rate(total int64, now time.Time) Rate {
	seconds := now.Sub(s.Began).Seconds()
	if seconds < 1 {
		return Rate{}
	}
	return Rate{PerSecond: float64(total) / seconds, Known: true}
}
