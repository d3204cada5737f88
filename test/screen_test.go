//go:build unix

package test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sharetop/model"
	"sharetop/test/workload"
)

// TestHangUpIgnored takes the terminal away from the real program, started as
// nohup and some containers start it: with SIGHUP ignored.
func TestHangUpIgnored(t *testing.T) {
	s := startTerminalWith(t, 80, 24, []string{"sh", "-c", `trap "" HUP; exec "$@"`, "sh"}, "--demo")
	s.shows("booknest-packers")
	must(t, s.tty.Close())
	must(t, s.master.Close())
	s.exit()
}

// testBookNestOnScreen watches the BookNest run in the terminal: what is on the
// screen once all orders are settled is what Kafka's own command says.
func testBookNestOnScreen(t *testing.T, c cluster) {
	const topic, group = "screen.packing-jobs", "screen-packers"
	ctx, cancel := context.WithTimeout(t.Context(), 2*stepTimeout)
	defer cancel()
	must(t, c.work.CreateTopic(ctx, topic, workload.PackingPartitions))
	must(t, c.work.ProduceOrders(ctx, topic))
	must(t, c.work.PlaceGroup(ctx, group, topic, 0, 0, 0))

	s := startTerminal(t, 120, 40, "--bootstrap-server", strings.Join(c.Bootstrap(), ","))
	s.shows(group, "2,000", "nobody is reading")
	s.press("/" + group + "\r\r")
	s.shows("START", topic, "Empty")
	packers, err := c.work.StartPackers(ctx, topic, group, 4)
	must(t, err)
	defer packers.Close()
	s.shows("Stable")
	_, err = packers.Wait(ctx)
	must(t, err)

	offsets, err := c.judge.Offsets(ctx, group)
	must(t, err)
	if len(offsets) != workload.PackingPartitions {
		t.Fatalf("Kafka's own command shows %d partitions: %+v", len(offsets), offsets)
	}
	ends := []int64{667, 667, 666}
	for i, o := range offsets {
		want := map[string]string{
			"TOPIC": topic, "PART": strconv.Itoa(int(o.Partition)), "LEADER": "b1",
			"START": model.FormatNumber(o.Start), "END": model.FormatInt(ends[i]), "LAG": model.FormatNumber(o.Lag),
		}
		s.until(fmt.Sprintf("a row with %v", want), hasRow(want))
	}
	s.press("2")
	s.shows("packer-1", "packer-2", "packer-3", "packer-4", "127.0.0.1")
	s.taken()
	s.press("q")
	if code := s.exit(); code != 0 {
		t.Errorf("exit code %d after q, want 0", code)
	}
	s.restored()
}

// hasRow finds a row of the partitions table by what stands in it below some
// titles. Up to LAG no cell has a space in it.
func hasRow(want map[string]string) func(screen string) bool {
	return func(screen string) bool {
		var titles []string
		for line := range strings.Lines(screen) {
			cells := strings.Fields(strings.TrimLeft(line, " ▌"))
			if slices.Contains(cells, "PART") {
				titles = cells
			} else if titles != nil && matches(titles, cells, want) {
				return true
			}
		}
		return false
	}
}

func matches(titles, cells []string, want map[string]string) bool {
	for title, value := range want {
		at := slices.Index(titles, title)
		if at < 0 || at >= len(cells) || cells[at] != value {
			return false
		}
	}
	return true
}
