package kafka

import "time"

// meterSeconds is how long a meter averages over.
const meterSeconds = 60

// meter measures bytes a second over the last minute. The zero meter has
// measured nothing.
type meter struct {
	second int64 // the newest, in unix seconds
	bytes  [meterSeconds]int64
}

// add counts bytes that came now.
func (m *meter) add(now time.Time, n int64) {
	m.advance(now)
	m.bytes[m.second%meterSeconds] += n
}

// advance empties the seconds that are over.
func (m *meter) advance(now time.Time) {
	second := now.Unix()
	if second-m.second >= meterSeconds || m.second-second >= meterSeconds {
		*m = meter{second: second}
	}
	for m.second < second {
		m.second++
		m.bytes[m.second%meterSeconds] = 0
	}
}

// perSecond is the average over the last minute; what came before measuring
// began counts as nothing.
func (m *meter) perSecond(now time.Time) int64 {
	m.advance(now)
	var sum int64
	for _, n := range m.bytes {
		sum += n
	}
	return sum / meterSeconds
}
