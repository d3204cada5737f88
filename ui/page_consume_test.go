package ui

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	"sharetop/model"
)

const fakeLock = 30 * time.Second

func TestHeldRecordsAreShownAndDecided(t *testing.T) {
	g := newFakeGroup(4, 3, 1)
	consuming(t, g, func(d *driver) {
		d.wantText("refunds-0@9,120", "4 of 5", "30s", "r-9120", `{"refund":9120`, "3 held   0 decided   3 undecided: released",
			"next lock ends in 30s", "acquire 3", "redelivery 2", "active 3", "one delivery is left")
		d.keys("a", "down", "x", "down", "z")
		d.wantText("accept", "reject", "release", "3 decided")
		d.keys("z")
		d.wantText("2 decided")
		d.keys("t")
		d.wantText("1 undecided: accepted")
		if len(g.acks) != 0 {
			t.Errorf("sent without S: %v", g.acks)
		}
		d.keys("S")
		d.wantText("accept 1, reject 1, undecided 1 → accept")
		d.keys("enter") // No
		if len(g.acks) != 0 {
			t.Errorf("sent by enter on No: %v", g.acks)
		}
		d.keys("t", "t", "S", "y")
		want := []model.Decision{model.Accept, model.Reject, model.Release}
		if len(g.acks) != 3 {
			t.Fatalf("sent %v", g.acks)
		}
		for i, a := range g.acks {
			if a.Decision != want[i] {
				t.Errorf("%s got %v, want %v", a.ID, a.Decision, want[i])
			}
		}
		d.wantText("accept: done", "reject: done", "release: done", "0 held", "acknowledge 1", "ack time avg 3.0 ms")
	})
}

// The record pane has the keys that it has everywhere, and nothing is sent.
// The screen is wide since the path of a temporary directory may be long.
func TestAHeldRecordIsReadAndSaved(t *testing.T) {
	g, dir := newFakeGroup(1), t.TempDir()
	drive(t, 240, 30, func(d *driver) {
		d.board(readable())
		d.joins()
		d.wantText(`"refund": 9120`)
		d.keys("V")
		d.wantText("value  text")
		d.keys("s")
		d.wantText("Written: ", "32 B as they came")
		files, err := filepath.Glob(filepath.Join(dir, "refunds-0@9120*"))
		if err != nil || len(files) != 1 {
			t.Errorf("files %v, %v", files, err)
		}
		if len(g.acks) != 0 || len(g.took) != 1 {
			t.Errorf("sent %v, took %v", g.acks, g.took)
		}
	}, func(c *Config) { c.Consumer, c.SnapDir = g, dir })
}

func TestMarkedRecordsAreDecidedTogether(t *testing.T) {
	g := newFakeGroup(1, 1, 1, 1)
	consuming(t, g, func(d *driver) {
		d.keys("space", "space", "x", "*", "N")
		d.wantText("reject 2, undecided 2 → release")
		d.keys("y")
		d.wantText("waiting for records", "reject: done")
		if len(g.took) != 2 || len(g.acks) != 4 {
			t.Errorf("took %v, sent %v", g.took, g.acks)
		}
	})
}

func TestFailuresAreNeverShownAsDone(t *testing.T) {
	for outcome, says := range map[model.Outcome]string{
		model.OutcomeLockOver: "lock had ended", model.OutcomeNotHolder: "not the holder",
		model.OutcomeStateError: "refused: state", model.OutcomeWriteFailed: "write failed", model.OutcomeNoAnswer: "no answer",
		model.OutcomeDenied: "not allowed",
	} {
		g := newFakeGroup(1)
		g.outcome = outcome
		consuming(t, g, func(d *driver) {
			d.keys("a", "N", "y")
			d.wantText("accept: " + says)
			if outcome == model.OutcomeNoAnswer { // it may have happened
				d.wantText("got no answer")
				d.wantNoText("did not happen")
			} else {
				d.wantText("did not happen")
			}
			d.wantNoText("done")
			if len(g.took) != 1 {
				t.Errorf("%v: took more after a failure", outcome)
			}
		})
	}
}

func TestASendThatIsRefusedKeepsTheRecords(t *testing.T) {
	g := newFakeGroup(1)
	g.sendErr = errors.New("nothing was sent: disk full")
	consuming(t, g, func(d *driver) {
		d.keys("a", "S", "y")
		d.wantText("disk full", "accept: not sent", "1 held")
	})
}

func TestLocksRunDown(t *testing.T) {
	g := newFakeGroup(1, 1)
	consuming(t, g, func(d *driver) {
		d.wait(21 * time.Second)
		d.wantText("next lock ends in 9s")
		d.keys("w")
		if len(g.renewed) != 1 {
			t.Fatalf("renewed %v", g.renewed)
		}
		d.wantText("Renewed 1 lock.", "30s", "9s")
		d.wait(9 * time.Second)
		d.wantText("lock had ended", "1 held")
		d.keys("down", "up")
		d.wantNoText("somebody else may have it")
		d.keys("down")
		d.wantText("outcome its lock had ended: somebody else may have it")
		d.keys("a", "S")
		d.wantText("undecided 1 → release", "left out")
		d.keys("y")
		if len(g.acks) != 1 || g.acks[0].ID.Offset != 9120 {
			t.Errorf("sent %v", g.acks)
		}
	})
}

// A take that waits for an open transaction says so.
func TestATakeIsHeldBackByATransaction(t *testing.T) {
	g := newFakeGroup()
	drive(t, 118, 30, func(d *driver) {
		d.board(readable())
		d.joins()
		d.wait(10 * time.Second)
		d.wantText("records come as soon as there are any")
		b := readable()
		slices.SortFunc(b.Rows, func(a, b *model.Row) int { return strings.Compare(a.Group.ID.Raw(), b.Group.ID.Raw()) })
		for _, row := range b.Rows {
			row.Verdict = model.Verdict{Finding: model.FindingHeldBack, Text: "held back by an open transaction: refunds-0 from 9,120 on"}
		}
		d.board(b)
		d.wantText("Nothing to take yet: held back by an open transaction: refunds-0 from 9,120 on.")
	}, func(c *Config) { c.Consumer = g })
}

// An error of one send does not stand under the next one, which is done.
func TestASendThatIsDoneReplacesTheError(t *testing.T) {
	g := newFakeGroup(1)
	g.outcome = model.OutcomeDenied
	consuming(t, g, func(d *driver) {
		d.keys("a", "S", "y")
		d.wantText("1 decision of 1 did not happen")
		g.outcome = model.OutcomeDone
		d.keys("S", "y")
		d.wantText("1 decision was done this time.", "accept: done")
		d.wantNoText("did not happen")
	})
}

// What was refused and is held on is not said to be held once its lock has ended.
func TestLocksRunDownAfterARefusal(t *testing.T) {
	g := newFakeGroup(1)
	g.outcome = model.OutcomeDenied
	consuming(t, g, func(d *driver) {
		d.keys("a", "S", "y")
		d.wantText("accept: not allowed", "it is still held", "1 held")
		d.wait(31 * time.Second)
		d.wantText("accept: lock had ended", "somebody else may have it", "0 held")
		d.wantNoText("still held", "not allowed")
	})
}

// All totals are there in every common window, also large ones, and each with its
// rate in a wide one.
func TestStatisticsFit(t *testing.T) {
	consuming(t, newFakeGroup(1, 2), func(d *driver) {
		d.keys("a", "S", "y")
		d.wait(time.Second)
		for _, size := range [][2]int{{80, 24}, {118, 24}, {139, 40}, {140, 40}} {
			d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			d.wantText("acquire 2", "acknowledge 1", "release 1", "reject 0", "renew 0", "redelivery 1", "ack time avg 3.0 ms max 3.0 ms", "active 0")
		}
		d.send(tea.WindowSizeMsg{Width: 200, Height: 50})
		for _, name := range []string{"acquire 2", "acknowledge 1", "release 1", "reject 0", "renew 0", "redelivery 1"} {
			d.wantText(name + " (")
		}
		d.wantText("ack time avg", "active 0")
		s := d.consumePage().state.Stats()
		s.Acquired, s.Acknowledged, s.Released, s.Rejected, s.Renewed, s.Redelivered = 1234567, 1200000, 10000, 20000, 30000, 123456
		for _, size := range [][2]int{{80, 24}, {118, 24}, {120, 40}} {
			d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			d.wantText("1,234,567", "1,200,000", " 10,000", " 20,000", " 30,000", "123,456", "avg 3.0 ms max 3.0 ms", "active 0")
		}
	})
}

// What came of a decision is readable in full, also where a lock ends while
// nobody presses a key.
func TestOutcomesAreReadInFull(t *testing.T) {
	for _, width := range []int{80, 118} {
		g := newFakeGroup(1, 1)
		g.outcome = model.OutcomeNotHolder
		consuming(t, g, func(d *driver) {
			d.send(tea.WindowSizeMsg{Width: width, Height: 24})
			d.keys("z", "S", "y")
			d.wantText("■ release: not the holder ", "r-9120")
		})
		consuming(t, newFakeGroup(1), func(d *driver) {
			d.send(tea.WindowSizeMsg{Width: width, Height: 24})
			d.keys("z")
			d.wait(fakeLock + time.Second)
			d.wantText("▲ release: lock had ended ", "r-9120")
		})
	}
}

func TestAPlanIsWhatWasShown(t *testing.T) {
	g := newFakeGroup(1, 1)
	consuming(t, g, func(d *driver) {
		d.keys("a", "S")
		d.wait(29800 * time.Millisecond)
		d.keys("y")
		if len(g.acks) != 0 {
			t.Errorf("sent after the locks had ended: %v", g.acks)
		}
		d.wantText("every lock of it has ended")
	})
}

// In a narrow window the countdown stays longer than what the header says of
// the cluster, and what undecided records get longer than anything beside it.
func TestConsumeKeepsWhatCountsWhereItIsNarrow(t *testing.T) {
	consuming(t, newFakeGroup(1, 1), func(d *driver) {
		for width, wants := range map[int][]string{
			80: {"next lock ends in", "2 undecided: released when sent (t changes)", "S send"},
			60: {"2 held   0 decided   2 undecided: released", "S send"},
		} {
			d.send(tea.WindowSizeMsg{Width: width, Height: 24})
			d.wantText(wants...)
			d.wantNoText("every way")
		}
	})
}

func TestHelpExplainsImplicitAndExplicit(t *testing.T) {
	g := newFakeGroup(1)
	consuming(t, g, func(d *driver) {
		d.keys("?")
		d.wantText("Explicit acknowledgement, the only mode here", "Implicit acknowledgement")
	})
}

// Neither what is held nor what to know about it makes room for the trouble, and
// a long one is told in two lines where the second is free.
func TestTroubleIsShownBesideWhatIsHeld(t *testing.T) {
	g := newFakeGroup(5)
	consuming(t, g, func(d *driver) {
		g.mu.Lock()
		g.trouble = "The coordinator b2:9092 does not answer, since its connection was closed by the server: the member may be dropped."
		g.mu.Unlock()
		for _, width := range []int{80, 118} {
			d.send(tea.WindowSizeMsg{Width: width, Height: 24})
			d.wantText("■ The coordinator b2:9092 does not answer", "1 held", "1 undecided", "release = archived", "active 1")
		}
		d.keys("a", "S", "y")
		d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		d.wantText("■ The coordinator b2:9092", "the member may be dropped.", "0 held")
		d.send(tea.WindowSizeMsg{Width: 60, Height: 12})
		d.wantText("■ The coordinator b2:9092", "0 held")
	})
}

func TestRenewIsOffWhereTheGroupForbidsIt(t *testing.T) {
	g := newFakeGroup(1)
	consuming(t, g, func(d *driver) {
		p := d.consumePage()
		terms := p.state.Terms()
		terms.NoRenew = "the group has share.renew.acknowledge.enable=false"
		p.state.SetTerms(terms)
		d.keys("w")
		d.wantText("share.renew.acknowledge.enable=false")
		if len(g.renewed) != 0 {
			t.Error("renewed all the same")
		}
	})
}

func TestConsumeAtEverySize(t *testing.T) {
	for _, size := range [][2]int{{40, 10}, {60, 15}, {80, 24}, {118, 30}, {200, 50}, {300, 100}, {0, 0}, {1, 1}, {5, 3}, {20, 5}} {
		g := newFakeGroup(4, 3, 1, 5)
		consuming(t, g, func(d *driver) {
			d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			d.text()
			if size[0] >= minWidth && size[1] >= minHeight {
				d.wantText("refunds-0@9,120", "30s")
			}
			d.keys("S")
			d.text()
			if size[0] >= minWidth && size[1] >= minHeight {
				d.wantText("not yet", "undecided 4")
			}
		})
	}
}

// BenchmarkConsume is a second of the clock with 500 records held: what is drawn
// again.
func BenchmarkConsume(b *testing.B) {
	at := fixtureTime()
	a := New(Config{
		Cluster: Cluster{Source: &fakeSource{changed: make(chan struct{})}, ClusterName: "prod-eu", Consumer: newFakeGroup()}, UTC: true,
		Now: func() time.Time { return at },
	})
	a.Update(tea.WindowSizeMsg{Width: 200, Height: 50})
	p := newConsumePage(&a.env, 1, startConsume{most: 500})
	a.push(p)
	records := newFakeGroup(make([]int, 500)...).records
	for i := range records {
		records[i].LockEnds = at.Add(time.Duration(30+i) * time.Second)
	}
	p.joined(&a.env, joinedMsg{number: 1, session: &fakeSession{newFakeGroup(), at}})
	p.took(&a.env, tookMsg{number: 1, records: records})
	b.ReportAllocs()
	for b.Loop() {
		at = at.Add(time.Millisecond)
		a.Update(clockMsg{})
		if !strings.Contains(a.View().Content, "refunds-0@9,120") {
			b.Fatal("nothing drawn")
		}
	}
}

func TestConsumeGolden(t *testing.T) {
	for _, size := range [][2]int{{118, 24}, {80, 24}, {40, 10}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			consuming(t, newFakeGroup(4, 3, 1, 1, 1), func(d *driver) {
				d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
				d.keys("down", "down", "a", "up")
				d.wait(12 * time.Second)
				golden.RequireEqual(d.t, []byte(d.text()))
			})
		})
	}
}

// The picture in the README.
func TestConsumeInColourGolden(t *testing.T) {
	consuming(t, newFakeGroup(5, 4, 3, 1, 1, 1), func(d *driver) {
		d.send(tea.WindowSizeMsg{Width: 118, Height: 24})
		d.keys("x", "down", "z", "down", "down", "a", "down")
		d.wait(2 * time.Second)
		golden.RequireEqual(d.t, []byte(d.content()))
	})
}
