//go:build unix

package test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"sharetop/model"
	"sharetop/test/workload"
)

// TestScreen uses the real program on the demo cluster as a person would:
// through a terminal.
func TestScreen(t *testing.T) {
	s := startTerminal(t, 120, 40, "--demo")
	s.shows("DEMO", "booknest-packers", "payments-retry", "nightly-audit")

	s.press("/packers\r")
	s.until("only the packers", func(screen string) bool {
		return strings.Contains(screen, "booknest-packers") && !strings.Contains(screen, "nightly-audit")
	})
	s.press("\r")
	s.shows("booknest.packing-jobs", "Partitions", "Members", "START")
	s.press("2")
	s.shows("CLIENT", "packer")

	s.resize(80, 24)
	s.shows("booknest-packers", "CLIENT")
	s.resize(20, 5)
	s.shows("too small")
	s.resize(120, 40)
	s.shows("booknest-packers", "CLIENT")

	s.taken()
	s.press("q")
	if code := s.exit(); code != 0 {
		t.Errorf("exit code %d after q, want 0", code)
	}
	s.restored()
}

// TestScreenEnds ends the real program in every way that is not a key.
func TestScreenEnds(t *testing.T) {
	for name, signal := range map[string]syscall.Signal{"SIGTERM": syscall.SIGTERM, "SIGHUP": syscall.SIGHUP, "SIGINT": syscall.SIGINT} {
		t.Run(name, func(t *testing.T) {
			s := startTerminal(t, 80, 24, "--demo")
			s.shows("booknest-packers")
			s.taken()
			must(t, s.cmd.Process.Signal(signal))
			s.exit()
			s.restored()
		})
	}
	t.Run("the terminal is gone and SIGHUP is ignored", func(t *testing.T) {
		s := startTerminalWith(t, 80, 24, []string{"sh", "-c", `trap "" HUP; exec "$@"`, "sh"}, "--demo")
		s.shows("booknest-packers")
		_ = s.tty.Close()
		_ = s.master.Close()
		s.exit()
	})
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
		want := []string{topic, strconv.Itoa(int(o.Partition)), "b1", model.FormatNumber(o.Start), model.FormatInt(ends[i]), model.FormatNumber(o.Lag)}
		s.until(fmt.Sprintf("a line that begins with %q", want), func(screen string) bool {
			for line := range strings.Lines(screen) {
				fields := strings.Fields(strings.TrimLeft(line, " ▌"))
				if len(fields) >= len(want) && slices.Equal(fields[:len(want)], want) {
					return true
				}
			}
			return false
		})
	}
	s.press("2")
	s.shows("packer-1", "packer-2", "packer-3", "packer-4", "127.0.0.1")
	s.press("q")
	if code := s.exit(); code != 0 {
		t.Errorf("exit code %d after q, want 0", code)
	}
	s.restored()
}
