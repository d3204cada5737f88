package ui

import (
	"errors"
	"slices"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	"sharetop/model"
)

func TestJoiningSaysWhatItMeansAndDefaultsToNo(t *testing.T) {
	g := newFakeGroup(1)
	drive(t, 118, 30, func(d *driver) {
		d.board(readable())
		d.keys("C")
		d.wantText("Consume payments-retry: what joining means", "One cannot choose offsets", "deliveries", "records at a time: 10")
		d.keys("enter")
		d.wantNoText("what joining means")
		if len(g.took) != 0 || d.app.consuming() != nil {
			t.Error("enter on the default joined")
		}
		d.keys("C", "backspace", "backspace", "7", "down", "enter")
		d.wantText("CONSUME payments-retry")
		if len(g.took) != 1 || g.took[0] != 7 {
			t.Errorf("took %v", g.took)
		}
		if len(g.joined.Topics) != 1 || g.joined.Topics[0].Raw() != "refunds" {
			t.Errorf("joined with %v", g.joined.Topics)
		}
	}, func(c *Config) { c.Consumer = g })
}

// What explicit acknowledgement means is explained before one joins, wherever the
// cursor is: no topic has a "?" in its name.
func TestHelpInTheJoinDialog(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
		g := newFakeGroup(1)
		drive(t, size[0], size[1], func(d *driver) {
			d.board(readable())
			d.keys("C")
			d.wantText("? help")
			for _, keys := range [][]string{{"?"}, {"up", "up", "?"}, {"f1"}} {
				d.keys(keys...)
				d.wantText("Explicit acknowledgement, the only mode here", "Implicit acknowledgement", "enter         choose", "space")
				d.wantNoText("what joining means", ":snap") // no command works here
				d.keys("esc")
				d.wantText("what joining means", "another topic: ")
				d.wantNoText("another topic: ?")
			}
			d.keys("esc")
			d.wantNoText("what joining means")
			if d.app.consuming() != nil {
				t.Error("joined by asking for help")
			}
		}, func(c *Config) { c.Consumer = g })
	}
}

// A topic that the group does not read yet is joined by its name; what no topic
// can be called is not taken.
func TestATopicIsAddedByName(t *testing.T) {
	g := newFakeGroup(1)
	drive(t, 118, 30, func(d *driver) {
		d.board(readable())
		d.keys("C", "up", "up")
		d.typed("jq refunds")
		d.keys("enter")
		d.wantText("no topic can have that name")
		for range len("jq refunds") {
			d.keys("backspace")
		}
		d.send(tea.PasteMsg{Content: "refunds.eu\n"})
		d.wantText("another topic: refunds.eu")
		d.keys("enter")
		d.wantText("[✓] refunds.eu", "whether that takes partitions from others is not known")
		d.keys("down", "7", "down", "down", "enter")
		if want := []model.TopicName{model.NewTopicName("refunds"), model.NewTopicName("refunds.eu")}; !slices.Equal(g.joined.Topics, want) {
			t.Errorf("joined with %v", g.joined.Topics)
		}
		d.send(tea.WindowSizeMsg{Width: 200, Height: 30})
		d.wantText("CONSUME payments-retry", "as sharetop@bastion1", "from 2 topics")
	}, func(c *Config) { c.Consumer = g })
}

func TestConsumeIsOffWithItsReason(t *testing.T) {
	for name, test := range map[string]struct {
		option func(*Config)
		says   string
	}{
		"read-only":   {func(c *Config) { c.Consumer, c.ReadOnly = newFakeGroup(), true }, "read-only"},
		"no consumer": {func(c *Config) { c.Consumer = nil }, "no way to join"},
	} {
		drive(t, 118, 30, func(d *driver) {
			d.board(incident())
			d.keys("C")
			d.wantText(test.says)
			d.wantNoText("what joining means")
		}, test.option)
		_ = name
	}
	drive(t, 118, 30, func(d *driver) {
		b := readable()
		b.Snapshot.Cluster.ShareGroups = model.SharePreview
		d.board(b)
		for _, keys := range [][]string{{"C"}, {"enter", "C"}} {
			d.keys(keys...)
			d.wantText("older than Kafka 4.2 and may hand out more")
			d.wantNoText("what joining means")
			d.keys("O")
			d.wantText("older than Kafka 4.2, which do not move start offsets")
		}
	}, func(c *Config) { c.Consumer, c.Changer = newFakeGroup(), &fakeChanger{} })
}

// What joining does to the others is said of the topics that are chosen.
func TestJoiningIsAboutTheChosenTopics(t *testing.T) {
	b := readable()
	refunds, late := model.NewTopicName("refunds"), model.NewTopicName("refunds.late")
	for _, g := range b.Snapshot.Groups {
		if g.ID.Raw() == "payments-retry" {
			g.OffsetsAt = fixtureTime()
			g.Members = []model.Member{{
				Subscribed: []model.TopicName{refunds, late},
				Assignment: []model.Assignment{{Topic: refunds, Partitions: []int32{0, 1, 2}}, {Topic: late, Partitions: []int32{0}}},
			}}
			g.Partitions = []model.SharePartition{{Topic: refunds}, {Topic: refunds, Partition: 1}, {Topic: refunds, Partition: 2}, {Topic: late}}
		}
	}
	drive(t, 118, 30, func(d *driver) {
		d.board(b)
		d.keys("C")
		d.wantText("2 members for 4 partitions: this one takes ~2 away from the others, of refunds-0, refunds-1,", "refunds.late-0")
		d.keys("up", "up", "up", "space")
		d.wantText("[ ] refunds.late", "2 members for 3 partitions: this one takes up to ~2 away from the others, of refunds-0,")
		d.wantNoText("refunds.late-0")
		d.keys("space")
		d.wantText("2 members for 4 partitions")
	}, func(c *Config) { c.Consumer = newFakeGroup() })
}

func TestJoiningThatFails(t *testing.T) {
	g := newFakeGroup(1)
	g.joinErr = errors.New("payments-retry was not joined: READ on the\x1b[2J group is missing")
	consuming(t, g, func(d *driver) {
		d.wantText("READ on the", "There is no session: esc goes back")
		d.keys("esc", "esc")
		d.wantNoText("There is no session")
	})
}

func TestJoinGolden(t *testing.T) {
	drive(t, 100, 20, func(d *driver) {
		d.board(readable())
		d.keys("C")
		golden.RequireEqual(d.t, []byte(d.text()))
	})
}
