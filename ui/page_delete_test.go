package ui

import (
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"sharetop/model"
)

func TestDeleteOneGroupByItsName(t *testing.T) {
	f := &fakeChanger{stay: []model.Text{model.NewText("share.auto.offset.reset")}}
	drive(t, 118, 30, func(d *driver) {
		d.board(incident())
		d.keys("j", "j", "D")
		golden.RequireEqual(t, []byte(d.text()))
		d.board(boardOf(nil)) // case 10: the row under the dialog goes
		d.typeSlowly("nightly-audit")
		if len(f.deleted) != 1 || f.deleted[0].Raw() != "nightly-audit" {
			t.Fatalf("deleted are %v", f.deleted)
		}
		d.wantText("nightly-audit: deleted", "Configs that stay", "share.auto.offset.reset")
		d.keys("U")
		d.typeSlowly("1")
		if len(f.configs) != 1 || !f.configs[0].Unset {
			t.Errorf("unset are %v", f.configs)
		}
		d.wantText("share.auto.offset.reset unset")
	}, withChanger(f))
}

func TestDeleteManyByTheirNumber(t *testing.T) {
	f := &fakeChanger{refuse: map[string]string{"nightly-audit": "not deleted: it has members: auditor-1 (10.0.3.7)"}}
	drive(t, 118, 30, func(d *driver) {
		d.board(incident())
		d.keys("j", "j", "space", "space", "D")
		d.wantText("Delete 2 groups", "nightly-audit, new-group", `type "2"`)
		d.typeSlowly("nightly-audit")
		if len(f.deleted) != 0 {
			t.Fatal("a name deleted several groups")
		}
		d.keys("esc", "D")
		d.typeSlowly("2")
		d.wantText("not all was deleted", "new-group: deleted", "auditor-1 (10.0.3.7)")
		f.refuse = nil
		d.keys("D")
		d.wantText("Delete group nightly-audit")
		d.typeSlowly("nightly-audit")
		if n := len(f.deleted); n != 3 || f.deleted[2].Raw() != "nightly-audit" {
			t.Errorf("deleted are %v", f.deleted)
		}
	}, withChanger(f))
}

func TestDeleteOffsetsOfOneTopic(t *testing.T) {
	f := &fakeChanger{}
	drive(t, 118, 30, func(d *driver) {
		d.board(openRefunds())
		d.keys("D")
		d.wantText("Delete what of payments-retry", "its offsets of topic refunds")
		d.keys("j", "enter")
		d.typeSlowly("refunds")
		if len(f.topics) != 1 || len(f.deleted) != 0 {
			t.Errorf("topics %v, groups %v:\n%s", f.topics, f.deleted, d.text())
		}
		d.wait(time.Second)
	}, openPage("payments-retry"), withChanger(f))
}

func TestDeleteDoesNothingByItself(t *testing.T) {
	f := &fakeChanger{}
	drive(t, 118, 30, func(d *driver) {
		d.board(incident())
		d.keys("D")
		d.wait(time.Second)
		for _, k := range []string{"enter", "y", "enter", "Y", "enter", "D", "enter", "esc"} {
			d.keys(k)
			d.wait(time.Second)
		}
		if len(f.deleted) != 0 {
			t.Errorf("deleted are %v", f.deleted)
		}
	}, withChanger(f))
}
