package kafka

import (
	"context"
	"testing"
	"time"
)

// A panic in a job is told, and neither ends the process nor keeps Wait
// waiting.
func TestPanicOfAJobIsTold(t *testing.T) {
	told := make(chan any, 1)
	w := &workers{panicked: func(r any) { told <- r }}
	s := newScheduler(time.Now, func(time.Time) bool { return true }, w)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.add(ctx, fixed(time.Hour), func(context.Context) error { panic("on purpose") })
	w.Go(func() { s.loop(ctx) })
	if got := <-told; got != "on purpose" {
		t.Errorf("told %v", got)
	}
	cancel()
	w.Wait()
}
