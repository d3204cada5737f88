package ui

import (
	"testing"
	"testing/synctest"
	"time"

	"sharetop/model"
)

// maxCountdown is the most bytes that one changed countdown may write: a lock
// runs down each second on every row, over SSH too.
const maxCountdown = 20

// With 500 held records only the countdowns that are on screen are written, and
// of each no more than what has changed of it.
func TestBytesOfACountdown(t *testing.T) {
	startSignals()
	synctest.Test(t, func(t *testing.T) {
		out, began := &counter{}, time.Now()
		a := New(Config{
			Cluster: Cluster{Source: &fakeSource{changed: make(chan struct{})}, ClusterName: "prod-eu", Consumer: newFakeGroup()},
			UTC:     true, Now: func() time.Time { return fixtureTime().Add(time.Since(began)) },
		})
		page := newConsumePage(&a.env, 1, startConsume{most: model.MaxTake})
		a.push(page)
		page.joined(&a.env, joinedMsg{number: 1, session: &fakeSession{newFakeGroup(), began}})
		page.stop()
		records := newFakeGroup(make([]int, model.MaxTake)...).records
		for i := range records {
			records[i].Lock, records[i].LockEnds = time.Minute, fixtureTime().Add(time.Minute)
		}
		page.took(&a.env, tookMsg{number: 1, records: records})
		_, stop := runProgram(t, a, out, 120, 40)
		defer stop()
		time.Sleep(5 * time.Second)
		synctest.Wait()
		rows := len(page.table.Visible())
		out.take()
		const ticks = 10
		time.Sleep(ticks * time.Second)
		synctest.Wait()
		perCell := out.take() / ticks / rows
		t.Logf("%d bytes for each of %d countdowns on screen", perCell, rows)
		if perCell == 0 || perCell > maxCountdown {
			t.Errorf("%d bytes for each of %d countdowns on screen, want at most %d and more than none", perCell, rows, maxCountdown)
		}
	})
}
