package ui

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	"sharetop/model"
)

// sentText is what was sent to the clipboard last; "" for nothing.
func (d *driver) sentText() string {
	for i := len(d.sent) - 1; i >= 0; i-- {
		if typeName(d.sent[i]) == typeName(tea.SetClipboard("")()) {
			return fmt.Sprint(d.sent[i])
		}
	}
	return ""
}

func TestCopyMenu(t *testing.T) {
	drive(t, 80, 24, func(d *driver) {
		d.board(openRefunds())
		d.keys("Y")
		golden.RequireEqual(t, []byte(d.text()))
		d.keys("down", "down", "enter")
		if got := d.sentText(); got != "refunds-0" {
			t.Errorf("sent %q", got)
		}
		d.wantNoText("to the clipboard ─")
	}, openPage("payments-retry"), bootstrap)
}

func bootstrap(c *Config) { c.Bootstrap = []string{"b1:9092", "b2:9092"} }

// What is copied is what the menu showed, whatever a refresh brings meanwhile.
func TestCopyMenuIsFrozen(t *testing.T) {
	drive(t, 80, 24, func(d *driver) {
		b := openRefunds()
		d.board(b)
		d.keys("down", "Y")
		n := next(b, func(int, *model.Row) {})
		n.Open = &model.OpenGroup{ID: b.Open.ID, Row: b.Open.Row}
		d.board(n)
		d.keys("down", "down", "enter")
		if got := d.sentText(); got != "refunds-1" {
			t.Errorf("sent %q", got)
		}
	}, openPage("payments-retry"))
}

func TestCopyItemsOfEveryTab(t *testing.T) {
	for key, want := range map[string][]string{
		"1": {"payments-retry", "refunds", "kafka-share-groups.sh --bootstrap-server b1:9092,b2:9092 --describe"},
		"2": {"payments-retry", "refunder-2", "10.0.3.7", "--members"},
		"3": {"payments-retry", "share.auto.offset.reset", "latest", "kafka-configs.sh"},
	} {
		drive(t, 80, 24, func(d *driver) {
			d.board(openRefunds())
			d.keys(key)
			var texts strings.Builder
			row := ""
			for _, item := range d.app.copyItems() {
				texts.WriteString(item.text + "\n")
				if item.what == "row as JSON" {
					row = item.text
				}
			}
			all := texts.String()
			for _, text := range want {
				if !strings.Contains(all, text) {
					t.Errorf("tab %s: %q is not among\n%s", key, text, all)
				}
			}
			if !json.Valid([]byte(row)) {
				t.Errorf("tab %s: the row is no JSON: %q", key, row)
			}
		}, openPage("payments-retry"), bootstrap)
	}
}

func TestCopyMenuAtEverySize(t *testing.T) {
	for id, name := range awkward(t) {
		drive(t, 80, 24, func(d *driver) {
			d.board(boardOf([]fixtureRow{{id: name}}))
			d.keys("Y")
			for _, size := range [][2]int{{0, 0}, {1, 1}, {5, 3}, {20, 5}, {40, 10}, {80, 24}, {300, 100}} {
				d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
				d.content()
			}
			d.keys("enter")
			if got := d.sentText(); got != name {
				t.Errorf("%s: sent %q, want %q", id, got, name)
			}
		})
	}
}
