package kafka

import (
	"testing"
	"time"

	"sharetop/model"
)

// A head that moves on is not looked for, whatever the brokers' clock says.
func TestHeadAtRest(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	k := headKey{partition: 1, offset: 7}
	moved := k
	moved.offset++
	for name, tt := range map[string]struct {
		before headKey
		since  time.Duration // ago
		want   bool
	}{
		"just come here":                         {moved, 0, false},
		"just come here, on a clock ahead of us": {moved, -time.Hour, false},
		"here for long":                          {moved, headRests, true},
		"here at the look before":                {k, 0, true},
		"the same, on a clock ahead of us":       {k, -time.Hour, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			since := model.NewStamp(now.Add(-tt.since).UnixMilli(), false)
			if got := atRest(map[headKey]struct{}{tt.before: {}}, k, since, now); got != tt.want {
				t.Errorf("at rest: %t", got)
			}
		})
	}
}
