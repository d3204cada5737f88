package ui

import (
	"testing"

	"sharetop/model"
)

func TestConfigIsSetByATypedName(t *testing.T) {
	f := &fakeChanger{outcome: model.ConfigResult{ReadBack: model.NewText("earliest"), ReadBackKnown: true}}
	drive(t, 118, 30, func(d *driver) {
		d.board(openRefunds())
		d.keys("3", "enter")
		d.wantText("CONFIG", "nothing changed yet")
		d.keys("ctrl+u")
		d.typed("sometimes")
		d.keys("enter")
		d.wantText("Not sent: share.auto.offset.reset is earliest")
		d.keys("ctrl+u")
		d.typed("earliest")
		d.keys("enter")
		d.wantText(`type "payments-retry"`)
		if len(f.configs) != 0 {
			t.Fatal("changed before the name was typed")
		}
		d.typeSlowly("payments-retry")
		if len(f.configs) != 1 || f.configs[0].Value.Raw() != "earliest" || f.configs[0].Group.Raw() != "payments-retry" {
			t.Fatalf("changes %+v:\n%s", f.configs, d.text())
		}
		d.wantText("it reads back as earliest")
		d.keys("esc", "U")
		d.typeSlowly("payments-retry")
		if len(f.configs) != 2 || !f.configs[1].Unset {
			t.Errorf("changes %+v", f.configs)
		}
	}, openPage("payments-retry"), withChanger(f))
}

func TestConfigRefusedInTheBrokersWords(t *testing.T) {
	f := &fakeChanger{outcome: model.ConfigResult{Problem: "INVALID_CONFIG (must be in the range 1 to 2)"}}
	drive(t, 118, 30, func(d *driver) {
		d.board(openRefunds())
		d.keys("3", "U")
		d.typeSlowly("payments-retry")
		d.wantText("Not changed: INVALID_CONFIG (must be in the range 1 to 2)")
	}, openPage("payments-retry"), withChanger(f))
}
