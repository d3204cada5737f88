package ui

import (
	"fmt"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"sharetop/model"
)

func openPage(name string) func(*Config) {
	return func(c *Config) { c.OpenGroup = name }
}

func TestGroupGolden(t *testing.T) {
	tabs := map[string]string{"partitions": "1", "members": "2", "config": "3"}
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}, {60, 15}, {40, 10}} {
		for tab, key := range tabs {
			t.Run(fmt.Sprintf("%s-%dx%d", tab, size[0], size[1]), func(t *testing.T) {
				drive(t, size[0], size[1], func(d *driver) {
					d.board(openRefunds())
					d.keys(key)
					golden.RequireEqual(t, []byte(d.text()))
				}, openPage("payments-retry"))
			})
		}
	}
}

func TestGroupAbsentGolden(t *testing.T) {
	drive(t, 80, 24, func(d *driver) {
		b := incident()
		b.Open = &model.OpenGroup{ID: model.NewGroupID("nope")}
		d.board(b)
		golden.RequireEqual(t, []byte(d.text()))
	}, openPage("nope"))
}

func TestGroupGoneGolden(t *testing.T) {
	drive(t, 80, 24, func(d *driver) {
		b := openRefunds()
		d.board(b)
		d.wait(time.Second)
		gone := next(b, func(int, *model.Row) {})
		gone.Rows = gone.Rows[1:]
		gone.Open = &model.OpenGroup{ID: b.Open.ID}
		d.board(gone)
		golden.RequireEqual(t, []byte(d.text()))
		d.wantText("gone", "refunds")
	}, openPage("payments-retry"))
}

func TestGroupNotAllowed(t *testing.T) {
	drive(t, 100, 24, func(d *driver) {
		b := incident()
		row := b.Rows[5]
		row.Group.Problems = b.Snapshot.Problems
		b.Open = &model.OpenGroup{ID: row.Group.ID, Row: row}
		d.board(b)
		d.wantText("not allowed", "DESCRIBE on the group's topics to", "could not be seen")
	}, openPage("secrets-feed"))
}
