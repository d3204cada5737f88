package ui

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	"sharetop/model"
)

// letter is a record of dlq.refunds.
func letter(offset, source int64, group, message string, key, value []byte) *model.Record {
	r := &model.Record{
		Topic: model.NewTopicName("dlq.refunds"), Offset: offset, Key: model.NewBlob(key), Value: model.NewBlob(value),
		Millis: fixtureTime().Add(-time.Duration(60-offset) * time.Second).UnixMilli(),
	}
	for _, h := range [][2]string{
		{"topic", "refunds"},
		{"partition", "0"},
		{"offset", strconv.FormatInt(source, 10)},
		{"group", group},
		{"delivery.count", "5"},
		{"message", message},
	} {
		r.Headers = append(r.Headers, header("__dlq.errors."+h[0], []byte(h[1])))
	}
	return r
}

const (
	rejectedMessage = "Offset rejected by client."
	limitMessage    = "Offset delivery count exceeded the threshold."
)

// lettersPeeker has a dead-letter topic with one partition beside the logs of
// openRefunds, whose refunds-0 begins at 9,000.
func lettersPeeker() *fakePeeker {
	f := refundsPeeker()
	f.log("dlq.refunds", 0, &fakeLog{end: 6, records: []*model.Record{
		letter(0, 8123, "payments-retry", rejectedMessage, nil, nil), // below the log's start
		letter(1, 9123, "payments-retry", limitMessage, nil, nil),
		letter(2, 9123, "payments-retry", limitMessage, nil, nil), // written twice
		letter(3, 9125, "other-group", rejectedMessage, nil, nil),
		letter(4, 9130, "payments-retry", rejectedMessage, []byte("r-88130"), []byte(`{"copied":true}`)),
		{Topic: model.NewTopicName("dlq.refunds"), Offset: 5, Value: model.NewBlob([]byte("no headers")), Millis: fixtureTime().UnixMilli()},
	}})
	return f
}

func letters(t *testing.T, w, h int, f *fakePeeker, test func(d *driver)) {
	t.Helper()
	drive(t, w, h, func(d *driver) {
		d.board(refundsWithState())
		d.keys("6")
		test(d)
	}, openPage("payments-retry"), withPeeker(f))
}

func TestDeadLettersGolden(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			letters(t, size[0], size[1], lettersPeeker(), func(d *driver) {
				d.keys("down", "down", "down")
				golden.RequireEqual(t, []byte(d.text()))
			})
		})
	}
}

func TestDeadLettersJoinTheirSources(t *testing.T) {
	letters(t, 200, 50, lettersPeeker(), func(d *driver) {
		rows := d.app.page().(*groupPage).letters.table.rows
		if len(rows) != 5 || rows[3].Copies != 2 {
			t.Fatalf("%d rows", len(rows))
		}
		d.wantText("no headers", "its headers do not say which record it was")
		d.keys("down")
		d.wantText(`"copied": true`, "refunds-0@9,130, copied into the letter", "Offset rejected by client. Delivery 5.")
		d.keys("down")
		d.wantText("other-group", "refunds-0@9,125, read from there", `"order": 88125`)
		d.keys("down")
		d.wantText("delivery limit", "written 2 times", `"order": 88123`)
		d.keys("down")
		d.wantText("refunds-0@8,123: retention has deleted it: the log begins at 9,000")
	})
}

func TestDeadLettersFilter(t *testing.T) {
	letters(t, 200, 50, lettersPeeker(), func(d *driver) {
		for _, filter := range []struct {
			text      string
			want, not string
		}{
			{"rejected", "refunds-0@9,130", "refunds-0@9,123"},
			{"other-group", "refunds-0@9,125", "refunds-0@9,130"},
			{"!other-group", "refunds-0@9,130", "refunds-0@9,125"},
		} {
			d.keys("/")
			d.typed(filter.text)
			d.keys("enter")
			d.wantText(filter.want)
			d.wantNoText(filter.not)
			d.keys("esc")
		}
	})
}

func TestDeadLettersOfSeveralPartitions(t *testing.T) {
	f := refundsPeeker()
	for partition := range int32(3) {
		r := letter(0, 9120+int64(partition), "payments-retry", rejectedMessage, nil, nil)
		r.Partition = partition
		f.log("dlq.refunds", partition, &fakeLog{end: 1, partitions: 3, records: []*model.Record{r}})
	}
	letters(t, 200, 50, f, func(d *driver) { d.wantText("refunds-0@9,120", "refunds-0@9,121", "refunds-0@9,122") })
}

// A topic can have more partitions than are read side by side: which are left out
// is said, and the total is partial.
func TestDeadLettersSayWhichPartitionsAreNotRead(t *testing.T) {
	f := lettersPeeker()
	f.logs["dlq.refunds-0"].partitions = maxInterleaved + 8
	for partition := range int32(maxInterleaved + 8) {
		if partition > 0 {
			f.log("dlq.refunds", partition, &fakeLog{partitions: maxInterleaved + 8})
		}
	}
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
		letters(t, size[0], size[1], f, func(d *driver) {
			d.wantText("▲ without partitions 32 to 39", "PEEK: the group is not touched")
			if size[0] >= 120 {
				d.wantText("5+ records given up")
			}
		})
	}
	f.log("dlq.refunds", 0, &fakeLog{partitions: maxInterleaved + 8})
	letters(t, 120, 40, f, func(d *driver) {
		d.wantText("There is no dead letter in dlq.refunds as far as it is read, without partitions 32 to 39.")
	})
}

// Where one partition has many letters, the older ones of the others stand below
// letters that are not loaded: they are marked, and going there loads them.
func TestDeadLettersAreNotWholeBelowTheDensestPartition(t *testing.T) {
	f := refundsPeeker()
	dense := &fakeLog{end: 30, partitions: 2, atMost: 10}
	for offset := range int64(30) {
		dense.records = append(dense.records, letter(offset, 9000+offset, "payments-retry", rejectedMessage, nil, nil))
	}
	f.log("dlq.refunds", 0, dense)
	old := letter(0, 9100, "payments-retry", limitMessage, nil, nil)
	old.Partition, old.Millis = 1, old.Millis-60_000
	f.log("dlq.refunds", 1, &fakeLog{end: 1, partitions: 2, records: []*model.Record{old}})
	letters(t, 200, 50, f, func(d *driver) {
		d.wantText("complete from dlq.refunds-0@20 on", "11+ records given up")
		if tab := d.app.page().(*groupPage).letters.table; !tab.stale(tab.rows[10]) || tab.stale(tab.rows[9]) {
			t.Error("the wrong rows are marked")
		}
		d.keys("G", "k", "k")
		d.wantNoText("complete from", "+ records given up")
		d.wantText("31 records given up")
	})
}

// A partition that can't be read is told of beside the letters of the others.
func TestDeadLettersOfAPartitionThatCantBeRead(t *testing.T) {
	f := lettersPeeker()
	f.logs["dlq.refunds-0"].partitions = 2
	f.log("dlq.refunds", 1, &fakeLog{problem: &model.Problem{Detail: "The records of dlq.refunds-1 can't be read."}})
	letters(t, 160, 40, f, func(d *driver) {
		d.wantText("5 records given up", "dlq.refunds-1 can't be read")
	})
}

// Source records can be large: few of them are remembered then.
func TestSourcesOfDeadLettersAreBounded(t *testing.T) {
	tab := newLettersTab(paneEnv(), nil)
	large := model.NewBlob(make([]byte, maxSourceBytes/2))
	for offset := range int64(10) {
		r := fixtureRecord(offset, nil, nil)
		r.Value = large
		tab.remember(model.LetterKey{Offset: offset}, letterSource{record: r})
	}
	if n := len(tab.sources); n > 3 {
		t.Errorf("%d large records are remembered", n)
	}
}

func TestDeadLettersAreOffWithTheReason(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*model.Board)
		want   string
	}{
		"none":       {func(b *model.Board) { b.Rows[0].Group.Settings = &model.Settings{} }, "errors.deadletterqueue.topic.name is not set"},
		"not known":  {func(b *model.Board) { b.Rows[0].Group.Settings = nil }, "the group's configs are not known"},
		"old levels": {func(b *model.Board) { b.Snapshot.Cluster.ShareVersion = model.Known(1) }, "share.version is 1: below 2 nothing is written"},
	} {
		t.Run(name, func(t *testing.T) {
			drive(t, 200, 50, func(d *driver) {
				b := refundsWithState()
				test.change(b)
				d.board(b)
				d.keys("6")
				d.wantText("Dead letters: "+test.want, "LOG-START")
			}, openPage("payments-retry"), withPeeker(lettersPeeker()))
		})
	}
}

func TestDeadLetterTopicIsNotThereYet(t *testing.T) {
	letters(t, 120, 40, refundsPeeker(), func(d *driver) {
		d.wantText("There is no partition dlq.refunds-0", "Kafka makes the topic with the first dead letter")
	})
}

func TestDeadLettersWithAwkwardTextAtEverySize(t *testing.T) {
	for id, s := range awkward(t) {
		t.Run(id, func(t *testing.T) {
			f := lettersPeeker()
			l := f.logs["dlq.refunds-0"]
			for _, r := range l.records {
				r.Value = model.NewBlob([]byte(s))
				for i := range r.Headers {
					r.Headers[i].Value = model.NewBlob([]byte(s))
				}
			}
			letters(t, 80, 24, f, func(d *driver) {
				for _, keys := range []string{"down", "enter", "V", "esc"} {
					d.keys(keys)
					for _, size := range groupSizes() {
						d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
						d.content()
					}
				}
			})
		})
	}
}
