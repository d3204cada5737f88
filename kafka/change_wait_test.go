package kafka

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestWaitReturnsAtOnceWhenNothingIsOnItsWay(t *testing.T) {
	ch := &Changer{ended: make(chan struct{}, 1)}
	var out strings.Builder
	ch.begin()()
	ch.Wait(&out)
	if out.Len() != 0 {
		t.Errorf("it says %q", out.String())
	}
}

func TestWaitWaitsForEveryChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ch := &Changer{ended: make(chan struct{}, 1)}
		first, second := ch.begin(), ch.begin()
		var out strings.Builder
		done := false
		go func() {
			ch.Wait(&out)
			done = true
		}()
		synctest.Wait()
		first()
		synctest.Wait()
		if done {
			t.Error("it did not wait for the second change")
		}
		time.Sleep(changeTimeout / 2)
		second()
		synctest.Wait()
		if want := "sharetop: a change is on its way; waiting for its answer\n"; !done || out.String() != want {
			t.Errorf("done %t, says %q", done, out.String())
		}
	})
}

func TestWaitIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ch := &Changer{ended: make(chan struct{}, 1)}
		end := ch.begin()
		defer end()
		var out strings.Builder
		began := time.Now()
		ch.Wait(&out)
		if took := time.Since(began); took != changeTimeout {
			t.Errorf("it waited %s, want %s", took, changeTimeout)
		}
		if !strings.Contains(out.String(), "it may have been made or not; the audit file has what was sent") {
			t.Errorf("it says %q", out.String())
		}
	})
}
