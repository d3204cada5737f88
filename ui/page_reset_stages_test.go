package ui

import (
	"fmt"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"sharetop/model"
)

// auditCrossed are the times that the mock-up's plan passes over.
func auditCrossed() map[model.TopicPartition]model.Crossed {
	topic, from := model.NewTopicName("audit"), fixtureTime().Add(-15*time.Hour)
	return map[model.TopicPartition]model.Crossed{
		{Topic: topic, Partition: 0}: {First: from, Last: from.Add(6*time.Hour + 34*time.Minute)},
		{Topic: topic, Partition: 1}: {First: fixtureTime().Add(-time.Hour), Last: fixtureTime()},
		{Topic: topic, Partition: 3}: {First: from, Last: time.Time{}},
	}
}

// partlyWritten is a result in which something of everything happened.
func partlyWritten() *model.ResetResult {
	look := auditLook()
	row := func(i int, to, back int64, problem, advice string) model.ResetRow {
		r := model.ResetRow{
			TopicPartition: look.Partitions[i].TopicPartition, Old: look.Partitions[i].Start, New: model.Known(to),
			Problem: problem, Advice: advice,
		}
		if back >= 0 {
			r.ReadBack = model.Known(back)
		}
		return r
	}
	return &model.ResetResult{
		UndoPath: model.NewText("/home/ada/.local/state/sharetop/undo/20261129T145703Z-nightly-audit.csv"),
		Rows: []model.ResetRow{
			row(0, 3800, 3800, "", ""),
			row(1, 4377, 4001, "TOPIC_AUTHORIZATION_FAILED", "kafka-acls.sh --add --allow-principal User:ME --operation READ --topic audit"),
			row(3, 2190, 2195, "", ""),
		},
	}
}

func TestResetStagesGolden(t *testing.T) {
	busy := auditLook()
	busy.Members = []model.Member{{ClientID: model.NewText("auditor-1"), Host: model.NewText("10.0.3.7")}}
	for _, test := range []struct {
		name string
		f    *fakeChanger
	}{
		{"waiting", &fakeChanger{look: busy}},
		{"written", &fakeChanger{look: auditLook(), crossed: auditCrossed()}},
		{"partly", &fakeChanger{look: auditLook(), result: partlyWritten()}},
	} {
		for _, size := range [][2]int{{118, 24}, {80, 24}, {40, 12}} {
			t.Run(fmt.Sprintf("%s/%dx%d", test.name, size[0], size[1]), func(t *testing.T) {
				drive(t, size[0], size[1], func(d *driver) {
					planned(d)
					d.keys("W")
					d.typeSlowly("nightly-audit")
					d.wait(2 * time.Second)
					golden.RequireEqual(t, []byte(d.text()))
				}, withChanger(test.f))
			})
		}
	}
}

func TestConfigPageGolden(t *testing.T) {
	facts := model.ConfigFacts{Entry: model.ConfigEntry{
		Key: model.NewText("share.record.lock.duration.ms"), Value: model.NewText("30000"), Source: model.ConfigFromBroker, Type: "INT",
		BrokerKey: model.NewText("group.share.record.lock.duration.ms"), Min: "15000", Max: "60000", Default: model.NewText("30000"),
		Meaning: "how long a member may hold an acquired record before it is given to another",
	}, LongestAck: model.Known(21_400)}
	for name, keys := range map[string][]string{"found": nil, "asked": {"ctrl+u", "1", "6", "0", "0", "0", "enter"}} {
		t.Run(name, func(t *testing.T) {
			drive(t, 100, 24, func(d *driver) {
				d.board(incident())
				d.keys(":")
				d.typed("config not there yet " + facts.Entry.Key.Raw())
				d.keys("enter")
				d.keys(keys...)
				golden.RequireEqual(t, []byte(d.text()))
			}, withChanger(&fakeChanger{facts: facts}))
		})
	}
}

func TestDeleteResultGolden(t *testing.T) {
	f := &fakeChanger{
		refuse: map[string]string{"nightly-audit": "not deleted: it has members: auditor-1 (10.0.3.7)"},
		stay:   []model.Text{model.NewText("share.auto.offset.reset")},
	}
	drive(t, 100, 24, func(d *driver) {
		d.board(incident())
		d.keys("j", "j", "space", "space", "D")
		d.typeSlowly("2")
		golden.RequireEqual(t, []byte(d.text()))
	}, withChanger(f))
}

// :reset plans for a group that is not there: it is placed, which is said.
func TestResetPlacesAGroupByCommand(t *testing.T) {
	f := &fakeChanger{look: auditLook()}
	f.look.Exists = false
	for i := range f.look.Partitions {
		p := &f.look.Partitions[i]
		p.Start, p.Lag, p.Read = model.Number{}, model.Number{}, false
	}
	drive(t, 118, 30, func(d *driver) {
		d.board(incident())
		d.keys(":")
		d.typed("reset brand new")
		d.keys("enter")
		d.wantText("RESET OFFSETS", "brand new")
		d.keys("j", "j", "j", "j", "j", "j", "j", "j", "enter")
		d.typed("audit:0,x")
		d.keys("enter")
		d.wantText(`"x" is no partition of audit`)
		d.keys("backspace", "1")
		d.keys("enter", "k", "k", "k", "k", "k", "k", "k", "enter")
		d.wantText("there is no such group yet", "not read by the group so far")
		if s := f.looks[0].Scope; len(s.Partitions) != 2 || f.looks[0].Group.Raw() != "brand new" {
			t.Errorf("looked at %+v", f.looks[0])
		}
		d.keys("W")
		d.wantText("this makes it", "No undo for 4 partitions without a start offset before (audit-0, audit-1, audit-2, audit-3)", "deleting the group takes it back")
		d.wantNoText("An undo file is written first")
	}, withChanger(f))
}

func TestChangesByCommandAreOffInReadOnly(t *testing.T) {
	f := &fakeChanger{look: auditLook()}
	drive(t, 118, 30, func(d *driver) {
		d.board(incident())
		for line, want := range map[string]string{
			"reset nightly-audit": "reset: read-only.", "config nightly-audit share.auto.offset.reset": "config: read-only.",
		} {
			d.keys(":")
			d.typed(line)
			d.keys("enter")
			d.wantText(want)
		}
		if len(f.looks) != 0 {
			t.Error("the cluster was asked")
		}
	}, withChanger(f), func(c *Config) { c.ReadOnly = true })
}
