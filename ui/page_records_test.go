package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	"sharetop/model"
)

// records runs a test on the Records tab of payments-retry.
func records(t *testing.T, w, h int, f *fakePeeker, test func(d *driver)) {
	t.Helper()
	drive(t, w, h, func(d *driver) {
		d.board(refundsWithState())
		d.keys("4")
		test(d)
	}, openPage("payments-retry"), withPeeker(f))
}

func TestRecordsGolden(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}, {40, 10}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			records(t, size[0], size[1], refundsPeeker(), func(d *driver) {
				d.keys("down", "down")
				golden.RequireEqual(t, []byte(d.text()))
			})
		})
	}
}

func TestRecordsBeginAtTheHead(t *testing.T) {
	f := refundsPeeker()
	records(t, 120, 40, f, func(d *driver) {
		if r := f.asked[0]; r.Offset != 9120 || r.Backward || r.Partition != 0 {
			t.Errorf("asked %+v", r)
		}
		d.wantText("PEEK: the group is not touched", "from the head, 9,120",
			"9,120", "free after 3", "finished", "archived", "archiving", "never settled", "3 of 5 deliveries over; free, or on its 4th")
	})
}

func TestRecordsSayWhereTheyBeginWithoutAState(t *testing.T) {
	f := refundsPeeker()
	records(t, 200, 50, f, func(d *driver) {
		d.keys("]")
		if r := f.last(); r.Partition != 1 || r.Offset != 8803 {
			t.Errorf("asked %+v", r)
		}
		d.wantText("refunds-1", "records from here on may be finished already")
		d.keys("]", "]", "]") // refunds.late-1 has no start offset
		if r := f.last(); r.From != model.PeekAtEnd || !r.Backward {
			t.Errorf("asked %+v", r)
		}
		d.wantText("refunds.late-1", "nothing is settled yet; share.auto.offset.reset=latest begins at the end", "There is no record here")
	})
}

func TestRecordsKeys(t *testing.T) {
	f := refundsPeeker()
	records(t, 120, 40, f, func(d *driver) {
		d.keys("L")
		d.wantText("9,146", "the last records")
		d.keys("H")
		d.wantText("from the head")
		d.keys("#")
		d.wantText("# offset:", "the first record at or after it")
		d.typed("9,030")
		d.wantText("# offset: 9,030")
		d.keys("enter")
		if r := f.last(); r.Offset != 9030 {
			t.Errorf("asked %+v", r)
		}
		d.wantText("from offset 9,030", "9,030")
		d.keys("#")
		d.typed("x")
		d.keys("enter")
		d.wantText("an offset is a whole number")
		d.keys("esc", "@")
		d.typed("14:42:23")
		d.keys("enter")
		d.wantText("from the first record at or after 2026-11-29 14:42:23", "9,120")
		d.keys("@")
		d.typed("soon")
		d.keys("enter")
		d.wantText("is no time")
		d.keys("esc")
		// The page is still there, and so is the tab.
		d.wantText("PEEK: the group is not touched")
	})
}

// Coming near to either end loads what is there, until the log ends.
func TestRecordsLoadMore(t *testing.T) {
	f := newFakePeeker()
	f.log("refunds", 0, filled("refunds", 0, 9000, 9500))
	records(t, 120, 40, f, func(d *driver) {
		for range 30 {
			d.keys("pgdown")
		}
		d.wantText("9,499")
		d.keys("g", "up", "pgup", "g", "up", "pgup", "g", "up")
		d.wantText("9,000", "500 loaded")
		n := len(f.asked)
		d.keys("up", "G", "down")
		if len(f.asked) != n {
			t.Errorf("asked again at an end: %+v", f.asked[n:])
		}
	})
}

// Offsets that are not in the list are all accounted for.
func TestWhatIsNotShownIsCounted(t *testing.T) {
	for want, shown := range map[string]struct {
		gaps model.PeekGaps
		held int64
	}{
		"": {},
		"1,200 markers, 3 aborted, 2 compacted away":    {model.PeekGaps{Control: 1200, Aborted: 3, Missing: 2}, 0},
		"1 markers, 5 held back by an open transaction": {model.PeekGaps{Control: 1}, 5},
	} {
		if got := gapText(shown.gaps, shown.held); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Where a look finds little, as in a log full of markers, the list is filled
// without a key, as far as the log goes.
func TestRecordsFillTheScreen(t *testing.T) {
	f := newFakePeeker()
	l := filled("refunds", 0, 9100, 9200)
	l.atMost = 4
	f.log("refunds", 0, l)
	records(t, 120, 40, f, func(d *driver) {
		d.wantText("9,120", "9,135")
		if n := len(f.asked); n < 5 || n > 12 {
			t.Errorf("asked %d times for a screen of records", n)
		}
		n := len(f.asked)
		l.atMost = 0
		d.wait(time.Minute)
		if len(f.asked) != n {
			t.Error("asked again though the screen was full")
		}
	})
}

func TestRecordIsReadInTheWholeTab(t *testing.T) {
	records(t, 80, 24, refundsPeeker(), func(d *driver) {
		d.keys("enter")
		d.wantText(`"order": 88120,`, "refunds-0@9,120")
		d.wantNoText("OFFSET")
		d.keys("V")
		d.wantText(`{"order":88120,`)
		d.keys("esc")
		d.wantText("OFFSET", "PEEK")
	})
}

// A group whose share-partitions are not known yet is peeked at as soon as they
// are, and at the record that was asked for.
func TestRecordsWaitForThePartitions(t *testing.T) {
	for name, test := range map[string]struct {
		begin func(d *driver)
		want  string
	}{
		"tab": {func(d *driver) { d.keys("4") }, "from the head, 9,120"},
		"v":   {func(d *driver) { d.keys("v") }, "from the head, 9,120"},
		"v H": {func(d *driver) { d.keys("v", "H") }, "from the head, 9,120"},
		"a record": {func(d *driver) {
			d.run(d.app.openRecords(openRecords{
				model.NewGroupID("payments-retry"), partitionKey{model.NewTopicName("refunds"), 0}, model.Known(9122),
			}))
			d.settle()
		}, "offset 9,122"},
	} {
		t.Run(name, func(t *testing.T) {
			f := refundsPeeker()
			drive(t, 120, 40, func(d *driver) {
				known := refundsWithState()
				unknown, row, group := *known, *known.Rows[0], *known.Rows[0].Group
				group.Partitions, row.Group = nil, &group
				unknown.Rows = append([]*model.Row{&row}, known.Rows[1:]...)
				unknown.Open = &model.OpenGroup{ID: known.Open.ID, Row: &row}
				d.board(&unknown)
				test.begin(d)
				d.board(known)
				d.wantText("refunds-0  PEEK", test.want, "9,122")
			}, openPage("payments-retry"), withPeeker(f))
		})
	}
}

// Where records are shown y copies the value, and the group's name is behind it
// in the menu.
func TestCopyOnRecordsIsTheValue(t *testing.T) {
	f := refundsPeeker()
	records(t, 120, 40, f, func(d *driver) {
		d.keys("y")
		d.wantText("Sent to the clipboard: value.")
		if got := d.sentText(); !strings.HasPrefix(got, `{"order":88120`) {
			t.Errorf("sent %q", got)
		}
		d.keys("Y")
		d.wantText("group id")
	})
	f.log("refunds", 0, &fakeLog{start: 9120, end: 9121, records: []*model.Record{fixtureRecord(9120, []byte("k"), nil)}})
	records(t, 120, 40, f, func(d *driver) {
		d.keys("y")
		d.wantText("Nothing is copied: value is empty.")
		if got := d.sentText(); got != "" {
			t.Errorf("sent %q", got)
		}
	})
}

// Sentences in the place of a record or of a list are read to their end, also
// where the tab is split.
func TestSentencesOfTheRecordsTabAreWhole(t *testing.T) {
	f := newFakePeeker()
	f.log("refunds", 0, &fakeLog{start: 9120, end: 9121, records: []*model.Record{fixtureRecord(9120, []byte("k"), nil)}})
	records(t, 120, 40, f, func(d *driver) {
		for _, word := range strings.Fields("no value at all (null): where the topic is compacted, a tombstone") {
			d.wantText(word)
		}
	})
	f.log("refunds", 0, &fakeLog{start: 9120, end: 9120})
	records(t, 120, 40, f, func(d *driver) {
		d.wantText("There is no record here at or after offset 9,120, and the", "log ends at 9,120.")
	})
}

func TestPeekFromEverywhere(t *testing.T) {
	f := refundsPeeker()
	drive(t, 120, 40, func(d *driver) {
		d.board(refundsWithState())
		d.keys("v")
		d.wantText("PEEK: the group is not touched", "9,120")
		d.keys("esc")
		d.wantText("payments-retry", "connect-orders-sink")
	}, withPeeker(f))
	drive(t, 120, 40, func(d *driver) {
		b := refundsWithState()
		b.Snapshot.Offsets.Source = model.FromStateTopic
		d.board(b)
		d.keys("5", "right", "right", "v")
		if r := f.last(); r.Offset != 9122 {
			t.Errorf("asked %+v", r)
		}
		d.wantText("offset 9,122")
	}, openPage("payments-retry"), withPeeker(f))
}

func TestRecordsSayWhatIsWrong(t *testing.T) {
	f := newFakePeeker()
	f.log("refunds", 0, &fakeLog{problem: &model.Problem{
		Kind: model.ProblemDenied, Detail: "The records of refunds can't be shown: READ on the topic is missing.", Advice: "grant READ on topic refunds",
	}})
	records(t, 120, 40, f, func(d *driver) { d.wantText("READ on the topic is missing", "grant READ on topic refunds") })
	drive(t, 120, 40, func(d *driver) {
		d.board(refundsWithState())
		d.keys("4")
		d.wantText("records can't be read here")
	}, openPage("payments-retry"), func(c *Config) { c.Peeker = nil })
}

func TestRecordsWithAwkwardBytesAtEverySize(t *testing.T) {
	for id, s := range awkward(t) {
		t.Run(id, func(t *testing.T) {
			f := newFakePeeker()
			l := &fakeLog{end: 3}
			for offset := range int64(3) {
				r := fixtureRecord(offset, []byte(s), []byte(s), header(s, []byte(s)))
				r.Topic = model.NewTopicName(s)
				l.records = append(l.records, r)
			}
			f.log(s, 0, l)
			drive(t, 80, 24, func(d *driver) {
				b := oddGroup(s)
				b.Rows[0].Group.Partitions = []model.SharePartition{{Topic: model.NewTopicName(s), Start: model.Known(0)}}
				d.board(b)
				d.keys("4")
				for _, keys := range []string{"down", "enter", "V", "V", "esc", "#", "esc", "@"} {
					d.keys(keys)
					for _, size := range groupSizes() {
						d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
						d.content()
					}
				}
			}, openPage(s), withPeeker(f))
		})
	}
}

// A reply that comes at once replaces the last frame; one that does not is said to
// be awaited, after the time of a frame.
func TestRecordsKeepTheFrameForAQuickReply(t *testing.T) {
	f := refundsPeeker()
	records(t, 118, 24, f, func(d *driver) {
		before := d.content()
		f.gate = make(chan struct{})
		d.keys("]")
		if d.content() != before {
			t.Error("a frame was drawn that the reply could have replaced")
		}
		time.Sleep(frameTime)
		d.settle()
		if !strings.Contains(d.text(), "refunds-1") || !strings.Contains(d.text(), "Reading.") {
			t.Errorf("nothing says that records are awaited:\n%s", d.text())
		}
		close(f.gate)
		d.settle()
		if !strings.Contains(d.text(), "refunds-1@8,803") {
			t.Errorf("the reply is not shown:\n%s", d.text())
		}
		d.keys("[")
		if !strings.Contains(d.text(), "refunds-0@9,120") {
			t.Errorf("a quick reply is not shown:\n%s", d.text())
		}
	})
}

// The picture in the README.
func TestRecordsInColourGolden(t *testing.T) {
	records(t, 118, 24, refundsPeeker(), func(d *driver) {
		d.keys("down", "down")
		golden.RequireEqual(t, []byte(d.content()))
	})
}

// Of large records few are held, so that both ends of the list are near: only the
// end that the cursor moves to is loaded, since what comes in there goes at the
// other.
func TestRecordsLoadTheEndThatTheCursorMovesTo(t *testing.T) {
	f := refundsPeeker()
	large := model.NewBlob(make([]byte, 20<<20))
	for _, r := range f.logs["refunds-0"].records {
		r.Value = large
	}
	f.logs["refunds-0"].atMost = 1
	records(t, 120, 12, f, func(d *driver) {
		d.keys("#")
		d.typed("9,050")
		d.keys("enter")
		for _, test := range []struct {
			key      string
			backward bool
		}{{"k", true}, {"j", false}, {"pgup", true}, {"pgdown", false}, {"g", true}, {"G", false}} {
			n := len(f.asked)
			d.keys(test.key)
			for _, r := range f.asked[n:] {
				if r.Backward != test.backward {
					t.Errorf("%s asked %+v", test.key, r)
				}
			}
			if len(f.asked) == n {
				t.Errorf("%s asked for nothing", test.key)
			}
		}
	})
}
