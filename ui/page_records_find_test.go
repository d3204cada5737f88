package ui

import (
	"slices"
	"testing"
	"time"
)

func TestRecordsInterleaved(t *testing.T) {
	records(t, 200, 50, refundsPeeker(), func(d *driver) {
		d.keys("[")
		d.wantText("refunds, 3 partitions by time")
		rows := d.app.page().(*groupPage).records.table.rows
		for i := 1; i < len(rows); i++ {
			if rows[i].Millis < rows[i-1].Millis {
				t.Fatalf("row %d is before row %d", i, i-1)
			}
		}
		if len(rows) < 100 {
			t.Errorf("%d rows", len(rows))
		}
	})
}

// A partition with many records is loaded no further than others: what the list
// has behind that is marked, and only that partition is read on.
func TestRecordsInterleavedSayWhatIsNotLoaded(t *testing.T) {
	for width, says := range map[int]string{80: "complete up to 0@", 200: "complete up to refunds-0@9,219 (dim rows: not all loaded)"} {
		f := refundsPeeker()
		dense := filled("refunds", 0, 8800, 9900)
		for _, r := range dense.records[320:] { // from its head at 9,120 on
			r.Millis = dense.records[320].Millis + r.Offset - 9120
		}
		dense.atMost = 100
		f.log("refunds", 0, dense)
		records(t, width, 40, f, func(d *driver) {
			d.keys("[")
			d.wantText(says)
			tab := tabOf(d)
			n := len(tab.table.rows)
			if last := tab.table.rows[n-1]; last.Partition == 0 || !tab.table.stale(last) || tab.table.stale(tab.table.rows[0]) {
				t.Fatalf("the last of %d rows is of partition %d", n, last.Partition)
			}
			for i, r := range tab.table.rows {
				if r.Offset == 9219 && r.Partition == 0 {
					tab.table.moveTo(i - 5)
				}
			}
			asked := len(f.asked)
			d.keys("j")
			for _, r := range f.asked[asked:] {
				if r.Partition != 0 || r.Offset != 9220 || r.Backward {
					t.Errorf("asked for %+v", r)
				}
			}
			if len(f.asked) != asked+1 || tab.table.stale(tab.table.rows[tab.table.cursor]) {
				t.Errorf("asked %d times, %s", len(f.asked)-asked, d.text())
			}
			for range 20 {
				d.keys("G")
			}
			d.wantNoText("complete up to")
		})
	}
}

// Following shows what comes in, once a second, and stops asking when it is
// left.
func TestRecordsFollow(t *testing.T) {
	f := refundsPeeker()
	records(t, 120, 40, f, func(d *driver) {
		d.keys("f")
		d.wantText("FOLLOW", "9,146")
		more := filled("refunds", 0, 9000, 9150)
		f.mu.Lock()
		f.logs["refunds-0"] = more
		f.mu.Unlock()
		d.wait(followEvery)
		d.wantText("9,149")
		n := len(f.asked)
		for range 10 {
			d.wait(followEvery)
		}
		if asked := len(f.asked) - n; asked > 10 || asked < 9 {
			t.Errorf("asked %d times in 10 seconds", asked)
		}
		d.keys("f")
		n = len(f.asked)
		d.wait(5 * followEvery)
		d.wantNoText("FOLLOW")
		if len(f.asked) != n {
			t.Error("asked when not following any more")
		}
	})
}

func TestRecordsSearch(t *testing.T) {
	records(t, 120, 40, refundsPeeker(), func(d *driver) {
		d.keys("/")
		d.typed("R-88140")
		d.keys("enter")
		d.wantText("r-88140")
		d.wantNoText("r-88141")
		d.keys("/")
		d.typed("nowhere")
		d.keys("enter")
		d.wantText("Nothing loaded has")
		d.keys("esc")
		d.wantText("r-88141")
	})
}

// After a search the next match is shown among its neighbours.
func TestRecordsNextMatch(t *testing.T) {
	records(t, 120, 40, refundsPeeker(), func(d *driver) {
		d.keys("n")
		d.wantText("Nothing was looked for yet")
		d.keys("/")
		d.typed("r-8812")
		d.keys("enter", "esc", "g")
		at := func() int64 {
			r, _ := d.app.page().(*groupPage).records.table.Cursor()
			return r.Offset
		}
		var seen []int64
		for range 3 {
			d.keys("n")
			seen = append(seen, at())
		}
		d.keys("b")
		if seen = append(seen, at()); !slices.Equal(seen, []int64{9121, 9122, 9123, 9122}) {
			t.Errorf("went to %v", seen)
		}
		d.wantText("9,119")
		d.keys("G", "n")
		d.wantText("No more of")
	})
}

// Leaving the page ends what is outstanding: the bubble would not end.
func TestLeavingRecordsEndsFollowing(t *testing.T) {
	f := refundsPeeker()
	drive(t, 120, 40, func(d *driver) {
		d.board(refundsWithState())
		d.keys("v", "f", "esc")
		n := len(f.asked)
		d.wait(5 * time.Second)
		if len(f.asked) != n {
			t.Error("asked after the page was left")
		}
	}, withPeeker(f))
}
