package kafka

import (
	"sync/atomic"
	"time"
)

// lastAnswer is when a broker last answered anything. Answers come from many
// goroutines at once, so it holds no lock. The zero lastAnswer is "never".
type lastAnswer struct{ nanos atomic.Int64 }

// note takes in an answer; an older one changes nothing.
func (l *lastAnswer) note(at time.Time) {
	for now := at.UnixNano(); ; {
		last := l.nanos.Load()
		if last >= now || l.nanos.CompareAndSwap(last, now) {
			return
		}
	}
}

// at is the moment of the last answer; the zero time before the first.
func (l *lastAnswer) at() time.Time {
	if n := l.nanos.Load(); n != 0 {
		return time.Unix(0, n)
	}
	return time.Time{}
}
