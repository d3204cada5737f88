package kafka

import "time"

// StateTopicBudget bounds what reading the state topic may take. Zero fields
// are the defaults.
type StateTopicBudget struct {
	// MaxMemory bounds the state held, in bytes.
	MaxMemory int64
	// MaxLoad bounds the time that loading takes.
	MaxLoad time.Duration
	// MaxBytesPerSecond bounds what changes bring, averaged over a minute.
	MaxBytesPerSecond int64
}

// The default budget of the state topic.
const (
	DefaultStateTopicMemory         = 256 << 20
	DefaultStateTopicLoad           = 10 * time.Second
	DefaultStateTopicBytesPerSecond = 1_000_000
)

func (b StateTopicBudget) withDefaults() StateTopicBudget {
	if b.MaxMemory <= 0 {
		b.MaxMemory = DefaultStateTopicMemory
	}
	if b.MaxLoad <= 0 {
		b.MaxLoad = DefaultStateTopicLoad
	}
	if b.MaxBytesPerSecond <= 0 {
		b.MaxBytesPerSecond = DefaultStateTopicBytesPerSecond
	}
	return b
}

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
