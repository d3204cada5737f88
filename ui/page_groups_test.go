package ui

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"
)

func typeName(v any) string { return fmt.Sprintf("%T", v) }

func TestGroupsGolden(t *testing.T) {
	for _, size := range [][2]int{{118, 12}, {80, 24}, {120, 40}, {200, 50}, {60, 15}, {40, 10}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			drive(t, size[0], size[1], func(d *driver) {
				d.board(incident())
				golden.RequireEqual(d.t, []byte(d.text()))
			}, func(c *Config) { c.ReadOnly = true })
		})
	}
}

// The same with its styles; the picture in the README is made from it.
func TestGroupsInColourGolden(t *testing.T) {
	drive(t, 118, 12, func(d *driver) {
		d.board(incident())
		golden.RequireEqual(d.t, []byte(d.content()))
	}, func(c *Config) { c.ReadOnly = true })
}

// That host names are not checked stays on screen however small it is.
func TestInsecureIsShown(t *testing.T) {
	for _, width := range []int{118, 40} {
		drive(t, width, 12, func(d *driver) {
			d.board(incident())
			if first, _, _ := strings.Cut(d.text(), "\n"); !strings.Contains(first, "INSECURE") {
				t.Errorf("at %d columns the header is %q", width, first)
			}
		}, func(c *Config) { c.Insecure = true })
	}
}

// Every column of the groups page and of the Partitions tab is explained in the
// README, but for those that are names.
func TestColumnsAreExplained(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## What the columns mean")
	section, _, _ = strings.Cut(section, "\n## ")
	explained := map[string]bool{"TOPIC": true, "PART": true}
	for line := range strings.Lines(section) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			for title := range strings.SplitSeq(cells[1], ",") {
				explained[strings.TrimSpace(title)] = true
			}
		}
	}
	var titles []string
	for _, c := range groupColumns() {
		titles = append(titles, c.title)
	}
	for _, c := range partitionColumns(nil, nil) {
		titles = append(titles, c.title)
	}
	for _, title := range titles {
		if !explained[title] {
			t.Errorf("the column %s is not explained", title)
		}
	}
}
