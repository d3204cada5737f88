package ui

import (
	"fmt"
	"testing"

	"sharetop/model"
)

// These tests are about logs and groups that change while their records are on
// screen.

func tabOf(d *driver) *recordsTab { return d.app.page().(*groupPage).records }

func TestRecordsOfATopicThatWasMadeAgain(t *testing.T) {
	f := refundsPeeker()
	f.logs["refunds-0"].id = model.TopicID{1}
	records(t, 160, 40, f, func(d *driver) {
		d.keys("f")
		anew := filled("refunds", 0, 0, 3)
		anew.id = model.TopicID{2}
		f.log("refunds", 0, anew)
		d.wait(followEvery)
		d.wantText("was deleted and made again")
		for _, r := range tabOf(d).window.Records() {
			if r.Offset > 3 {
				t.Fatalf("%s is of the old topic", recordName(r))
			}
		}
	})
}

// A share-partition that the group has no more stays while it is shown: else the
// records of one would stand under the name of another.
func TestRecordsOfAPlaceThatIsGone(t *testing.T) {
	records(t, 120, 40, refundsPeeker(), func(d *driver) {
		b := refundsWithState()
		b.Rows[0].Group.Partitions = b.Rows[0].Group.Partitions[1:]
		d.board(b)
		d.wantText("refunds-0  PEEK", "9,120")
		d.keys("]")
		d.wantText("by time")
		d.keys("]")
		d.wantText("refunds-1  PEEK")
	})
}

// What is found in one partition is not shown under the next one's name.
func TestRecordsSearchInAnotherPartition(t *testing.T) {
	records(t, 120, 40, refundsPeeker(), func(d *driver) {
		d.keys("/")
		d.typed("r-88140")
		d.keys("enter", "]", "]") // refunds-2 has no records
		d.wantText("refunds-2", "Nothing loaded has")
		if n := len(tabOf(d).table.rows); n != 0 {
			t.Errorf("%d rows of another partition", n)
		}
	})
}

// One partition that can't be read is told of, whatever the others answer last.
func TestRecordsTogetherSayWhichCantBeRead(t *testing.T) {
	f := refundsPeeker()
	f.logs["refunds-0"].problem = &model.Problem{Detail: "The records of refunds-0 can't be read."}
	records(t, 120, 40, f, func(d *driver) {
		d.keys("[")
		d.wantText("by time", "refunds-0 can't be read", "8,803")
		f.logs["refunds-0"].problem = nil
		d.keys("j")
		d.wantText("9,120")
		d.wantNoText("can't be read")
	})
}

func TestRecordsTogetherAreThoseOfTheTopicAtHand(t *testing.T) {
	f := refundsPeeker()
	records(t, 120, 40, f, func(d *driver) {
		d.keys("]", "]", "]", "]", "]") // behind refunds.late-1, the last
		d.wantText("refunds.late, 2 partitions by time")
		b := refundsWithState()
		g := b.Rows[0].Group
		for i := range int32(maxInterleaved) {
			p := g.Partitions[0]
			p.Topic, p.Partition = model.NewTopicName("refunds.late"), 2+i
			g.Partitions = append(g.Partitions, p)
		}
		d.board(b)
		d.wantText(fmt.Sprintf("the first %d of %d partitions by time", maxInterleaved, maxInterleaved+2))
	})
}

func TestRecordsThatAreDeletedWhileShown(t *testing.T) {
	f := refundsPeeker()
	records(t, 160, 40, f, func(d *driver) {
		d.keys("#")
		d.typed("9,010")
		d.keys("enter")
		f.log("refunds", 0, filled("refunds", 0, 9100, 9147))
		d.keys("g")
		d.wantText("deleted since: all before 9,100")
		n := len(f.asked)
		d.keys("g")
		if len(f.asked) != n {
			t.Errorf("asked again: %+v", f.last())
		}
	})
}

// More comes in than one look brings: following is at the end all the same. And who
// looks at a record is not taken away from it.
func TestFollowingIsAtTheEnd(t *testing.T) {
	f := refundsPeeker()
	records(t, 120, 40, f, func(d *driver) {
		d.keys("f")
		l := filled("refunds", 0, 9000, 9400)
		l.atMost = 20
		f.log("refunds", 0, l)
		d.wait(followEvery)
		d.wantText("9,399")
		d.keys("k")
		r, _ := tabOf(d).table.Cursor()
		f.log("refunds", 0, filled("refunds", 0, 9000, 9410))
		d.wait(followEvery)
		if now, _ := tabOf(d).table.Cursor(); now.Offset != r.Offset {
			t.Errorf("the cursor went from %d to %d", r.Offset, now.Offset)
		}
		d.keys("G")
		f.log("refunds", 0, filled("refunds", 0, 9000, 9420))
		d.wait(followEvery)
		d.wantText("9,419")
	})
}
