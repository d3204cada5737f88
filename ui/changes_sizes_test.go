package ui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"sharetop/model"
)

// changeScreens are the ways to each screen and dialog of a change.
func changeScreens() map[string]func(d *driver) {
	name := func(d *driver) {
		if t, ok := d.app.dialog().(*typedDialog); ok {
			d.wait(time.Second)
			d.send(tea.PasteMsg{Content: t.answer.want})
			d.wait(time.Second)
			d.keys("enter")
			d.wait(2 * time.Second)
		}
	}
	keys := func(keys ...string) func(*driver) { return func(d *driver) { d.keys(keys...) } }
	config := func(d *driver) {
		d.keys(":")
		d.typed("config g share.auto.offset.reset")
		d.keys("enter")
	}
	return map[string]func(d *driver){
		"targets":        keys("O"),
		"typed target":   keys("O", "j", "j", "enter", "x", "enter"),
		"plan":           keys("O", "enter"),
		"write":          keys("O", "enter", "W", "x", "enter"),
		"written":        func(d *driver) { d.keys("O", "enter", "W"); name(d) },
		"delete":         keys("D"),
		"delete many":    keys("space", "space", "space", "D"),
		"deleted":        func(d *driver) { d.keys("space", "space", "D"); name(d) },
		"unset what is":  func(d *driver) { d.keys("D"); name(d); d.keys("U") },
		"delete in":      keys("enter", "D"),
		"config":         config,
		"config asked":   func(d *driver) { config(d); d.keys("enter") },
		"config changed": func(d *driver) { config(d); d.keys("enter"); name(d) },
	}
}

// Case 5: no size of the window breaks a screen or dialog of a change, in either
// set of characters; content checks every line.
func TestChangeScreensAtEverySize(t *testing.T) {
	for name, open := range changeScreens() {
		t.Run(name, func(t *testing.T) {
			for _, ascii := range []bool{false, true} {
				f := &fakeChanger{
					look: auditLook(), crossed: auditCrossed(), result: partlyWritten(),
					refuse: map[string]string{"new-group": "not deleted: it has members: auditor-1 (10.0.3.7)"},
					stay:   []model.Text{model.NewText("share.auto.offset.reset")},
					facts: model.ConfigFacts{Entry: model.ConfigEntry{
						Key: model.NewText("share.auto.offset.reset"), Value: model.NewText("latest"), Type: "STRING",
					}},
					outcome: model.ConfigResult{Problem: "INVALID_CONFIG (a long text of the broker's, which is shown whole wherever it fits)"},
				}
				drive(t, 80, 24, func(d *driver) {
					d.board(incident())
					open(d)
					for _, size := range append(sizes(), [2]int{80, 24}) {
						d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
						if content := d.content(); ascii && !isASCII(content) {
							t.Errorf("%dx%d: %q", size[0], size[1], content)
						}
					}
				}, withChanger(f), func(c *Config) { c.ASCII = ascii })
			}
		})
	}
}
