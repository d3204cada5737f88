package kafka

import (
	"sync/atomic"
	"time"

	"sharetop/model"
)

// longest is the longest of some durations; the zero value has none. It is safe
// for concurrent use.
type longest struct{ nanos atomic.Int64 }

func (l *longest) note(d time.Duration) {
	for {
		before := l.nanos.Load()
		if int64(d) <= before || l.nanos.CompareAndSwap(before, int64(d)) {
			return
		}
	}
}

// millis is it in milliseconds, rounded up; unknown when there was none.
func (l *longest) millis() model.Number {
	d := time.Duration(l.nanos.Load())
	if d == 0 {
		return model.Number{}
	}
	return model.Known(int64((d + time.Millisecond - 1) / time.Millisecond))
}
