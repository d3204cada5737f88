package ui

import (
	"strings"
	"testing"

	"sharetop/model"
)

func TestFilterIsLive(t *testing.T) {
	drive(t, 120, 20, func(d *driver) {
		d.board(incident())
		d.keys("/")
		d.typed("NIGHT")
		d.wantText("nightly-audit", "1 of 6")
		d.wantNoText("payments-retry")
		d.keys("enter")
		d.wantText("filter NIGHT (1 of 6)")
		d.keys("esc")
		d.wantText("payments-retry")
		d.wantNoText("filter NIGHT")
	})
}

func TestFilterWithAMistakeKeepsTheOneBefore(t *testing.T) {
	drive(t, 120, 20, func(d *driver) {
		d.board(incident())
		d.keys("/")
		d.typed("lag>")
		mistake := d.app.pages[0].(*groupsPage).mistake
		if mistake == "" || !strings.Contains(d.line(1), mistake[:10]) {
			t.Errorf("mistake %q, line %q", mistake, d.line(1))
		}
		d.keys("enter")
		if !d.app.page().capturesText() {
			t.Error("a filter with a mistake must not be accepted")
		}
		d.typed("5000")
		d.wantText("connect-orders-sink")
		d.wantNoText("payments-retry", mistake)
		d.keys("esc")
		d.wantText("payments-retry")
	})
}

func TestSortKeysAndArrow(t *testing.T) {
	drive(t, 120, 20, func(d *driver) {
		d.board(incident())
		d.keys("<")
		d.wantText("DRAIN↓")
		d.keys(">", ">")
		d.wantText("GROUP↑")
		if first := d.app.env.rows[0].Group.ID.Raw(); first != "booknest-packers" {
			t.Errorf("by name the first is %q", first)
		}
		d.keys("I")
		d.wantText("GROUP↓")
		d.keys(":")
		d.typed("sort lag")
		d.keys("enter")
		d.wantText("LAG↓")
		if first := d.app.env.rows[0].Group.ID.Raw(); first != "connect-orders-sink" {
			t.Errorf("by lag the first is %q", first)
		}
	})
}

// What only the state topic tells can be sorted by where it is shown.
func TestSortByWhatTheStateTopicTells(t *testing.T) {
	drive(t, 180, 20, func(d *driver) {
		b := incident()
		b.Snapshot.Offsets.Source = model.FromStateTopic
		b.Rows[len(b.Rows)-1].Retrying = model.Known(500)
		most := b.Rows[len(b.Rows)-1].Group.ID
		d.board(b)
		d.keys("<", "<")
		d.wantText("RETRY↓")
		if first := d.app.env.rows[0].Group.ID; first != most {
			t.Errorf("the first is %q, want %q", first, most)
		}
		d.keys("<")
		d.wantText("ARCH/s↓")
		d.keys("<")
		d.wantText("ACCEPT/s↓")
		d.keys("<")
		d.wantText("DONE/s↓")
	})
}

func TestSortedByNameUntilTheFirstSweepIsOver(t *testing.T) {
	drive(t, 120, 20, func(d *driver) {
		b := incident()
		b.Snapshot.Offsets.Sweep = model.Sweep{Round: 1, Done: 43, Total: 100}
		d.board(b)
		d.wantText("by name; by lag when all are seen: 43 %", "GROUP↑", "first sweep 43 %")
	})
}

func TestFilterThatHidesAllSaysSo(t *testing.T) {
	drive(t, 100, 20, func(d *driver) {
		d.board(incident())
		d.keys("/")
		d.typed("zzz")
		d.keys("enter")
		d.wantText("No group matches the filter zzz.", "esc clears it")
		d.keys("esc")
		d.wantText("payments-retry")
	})
}
