package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"sharetop/model"
)

func TestLeavingAsksAndReleases(t *testing.T) {
	for _, key := range []string{"esc", "q"} {
		g := newFakeGroup(5, 1)
		consuming(t, g, func(d *driver) {
			d.keys("a", "t", key)
			d.wantText("2 records are held", "1 decision is not sent", "release = archived for 1 record")
			d.keys("enter")
			if g.left != 0 || d.quit {
				t.Fatalf("%s and enter left", key)
			}
			d.keys(key, "y")
			if g.left != 1 || len(g.acks) != 0 {
				t.Errorf("%s: left %d times, sent %v", key, g.left, g.acks)
			}
			if d.quit != (key == "q") {
				t.Errorf("%s: quit is %v", key, d.quit)
			}
			if key == "esc" {
				d.wantText("Released 2 records of payments-retry")
				if d.app.consuming() != nil {
					t.Error("the page is still there")
				}
			}
		})
	}
}

// Warnings go by the delivery limit of the newest board.
func TestWarningsFollowTheDeliveryLimit(t *testing.T) {
	consuming(t, newFakeGroup(2), func(d *driver) {
		limited := func(limit int64) *model.Board {
			b := readable()
			for _, g := range b.Snapshot.Groups {
				g.Settings = &model.Settings{DeliveryLimit: model.Known(limit)}
			}
			return b
		}
		for limit, says := range map[int64]string{2: "release = archived", 3: "one delivery is left", 9: ""} {
			d.board(limited(limit))
			d.wantText(fmt.Sprintf("2 of %d", limit), fmt.Sprintf("delivery 2 of %d", limit), says)
			for _, keys := range [][]string{{"z", "S"}, {"esc"}} { // a send, and a way out
				d.keys(keys...)
				if limit == 2 {
					d.wantText("release = archived for 1 record")
				} else {
					d.wantNoText("release = archived")
				}
				d.keys("n")
			}
			d.keys("z")
		}
	})
}

func TestLeavingWithNothingHeldDoesNotAsk(t *testing.T) {
	g := newFakeGroup()
	consuming(t, g, func(d *driver) {
		d.wantText("can take a heartbeat: up to 5s more")
		d.keys("esc")
		if g.left != 1 || d.app.consuming() != nil {
			t.Errorf("left %d times", g.left)
		}
	})
}

func TestControlCReleasesThenQuits(t *testing.T) {
	g := newFakeGroup(1, 1)
	consuming(t, g, func(d *driver) {
		d.keys("a", "ctrl+c")
		if g.left != 1 || !d.quit || len(g.acks) != 0 {
			t.Errorf("left %d times, quit %v, sent %v", g.left, d.quit, g.acks)
		}
	})
}

// What was confirmed has begun before the next key is looked at: commands run in
// any order, and leaving would else overtake the decisions.
func TestWhatIsConfirmedBeginsBeforeTheNextKey(t *testing.T) {
	for keys, want := range map[string][]string{
		"a S y q y": {"send", "leave"}, "a S y ctrl+c": {"send", "leave"}, "a N y esc y": {"send", "leave"},
		"w a S y esc y": {"renew", "send", "leave"},
	} {
		g := newFakeGroup(1, 1)
		g.answers = make(chan struct{}) // commands, which wait for brokers, get nowhere
		consuming(t, g, func(d *driver) {
			for _, key := range strings.Fields(keys) {
				before := len(g.begun)
				_, cmd := d.app.Update(press(key))
				if key == "y" && len(g.begun) == before && len(g.begun) < len(want)-1 {
					t.Errorf("%s: %v has begun when the next key is looked at", keys, g.begun)
				}
				d.run(cmd)
			}
			close(g.answers)
			d.settle()
			if !slices.Equal(g.begun, want) {
				t.Errorf("%s: begun are %v", keys, g.begun)
			}
		})
	}
}

// A key that is struck twice, or held down, is not the second one: nobody has read
// yet what that does.
func TestSecondControlCLeavesAtOnce(t *testing.T) {
	g := newFakeGroup(1, 1)
	g.stuck = true
	consuming(t, g, func(d *driver) {
		d.keys("ctrl+c", "ctrl+c")
		if d.quit {
			t.Error("ctrl-c that was struck twice did not wait for the release")
		}
		d.wantText("releasing 2 records, 5s left; ctrl-c again to leave now")
		d.wait(2 * time.Second)
		d.wantText("releasing 2 records, 3s left")
		d.keys("ctrl+c")
		if !d.quit {
			t.Error("the second ctrl-c did not quit")
		}
	})
}

func TestWhatCouldNotBeReleasedIsNamed(t *testing.T) {
	g := newFakeGroup(1)
	g.stuck = true
	consuming(t, g, func(d *driver) {
		d.keys("esc", "y")
		d.wait(leaveTakes)
		d.wantText("Could not release 1 record of payments-retry")
	})
}

func TestTheSessionSurvivesOtherPages(t *testing.T) {
	g := newFakeGroup(1)
	consuming(t, g, func(d *driver) {
		d.keys("S")
		d.keys("n", "!", ":")
		d.typed("filter booknest")
		d.keys("enter")
		if d.app.consuming() == nil {
			t.Fatal("a filter threw the session away")
		}
		for range 2 * maxPages {
			d.keys(":")
			d.typed("group x")
			d.keys("enter")
		}
		if d.app.consuming() == nil || len(d.app.pages) > maxPages {
			t.Fatalf("the session is gone, or %d pages are open", len(d.app.pages))
		}
		d.keys("C")
		d.wantText("leave it first")
		d.keys("q", "y")
		if g.left != 1 || !d.quit {
			t.Errorf("left %d times, quit %v", g.left, d.quit)
		}
	})
}

func TestSuspendWarnsAndTellsWhatIsGone(t *testing.T) {
	g := newFakeGroup(1, 1)
	consuming(t, g, func(d *driver) {
		before := len(d.sent)
		d.keys("ctrl+z")
		d.wantText("Suspend while records are held", "ends in 30s")
		if len(d.sent) != before {
			t.Fatal("suspended without asking")
		}
		d.keys("y")
		if len(d.sent) != before+1 {
			t.Fatalf("Bubble Tea was told %v", d.sent)
		}
		time.Sleep(31 * time.Second)
		d.send(tea.ResumeMsg{})
		d.wantText("2 locks ended meanwhile: refunds-0@9,120")
	})
}
