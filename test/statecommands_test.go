//go:build unix

package test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"sharetop/cli"
	"sharetop/model"
)

// listState gives back the record at the head of a group and rejects the next:
// the first is on the radar, the other is listed as archived.
func (v verbs) listState(group, topic string) {
	s := joinGroup(v.t, v.cluster, group, topic)
	held := takesAll(v.t, s, 2)
	released, rejected := held[0].ID, held[1].ID
	outcomes(v.t, sends(v.t, s, model.Reject, held[1]), model.OutcomeDone)
	outcomes(v.t, sends(v.t, s, model.Release, held[0]), model.OutcomeDone)
	s.Leave(v.t.Context())
	radar := slices.DeleteFunc(v.rows(0, "radar"), func(r printed) bool { return r.text("groupId") != group })
	if got, want := placesOf(radar), []string{fmt.Sprintf("%d@%d", released.Partition, released.Offset)}; !slices.Equal(got, want) ||
		radar[0].number("deliveryCount") != model.Known(1) || radar[0]["atHead"] != true {
		v.t.Errorf("the radar lists %v, want %v after one delivery, at the head", radar, want)
	}
	archived := v.rows(0, "archived", group)
	if got, want := placesOf(archived), []string{fmt.Sprintf("%d@%d", rejected.Partition, rejected.Offset)}; !slices.Equal(got, want) ||
		archived[0]["belowStart"] != false || archived[0].text("reason") != rejectedReason(archived[0]) {
		v.t.Errorf("archived lists %v, want %v", archived, want)
	}
}

// rejectedReason is why a record was given up that a member rejected: known where
// the group's limit of deliveries is, from Kafka 4.3 on.
func rejectedReason(r printed) string {
	if !r.number("deliveryCountLimit").IsKnown() {
		return "unknown"
	}
	return "rejected"
}

// placesOf are the records of printed runs, as partition@offset.
func placesOf(rows []printed) []string {
	var all []string
	for _, r := range rows {
		for offset := r.number("firstOffset").Or(0); offset <= r.number("lastOffset").Or(-1); offset++ {
			all = append(all, fmt.Sprintf("%d@%d", r.number("partitionIndex").Or(-1), offset))
		}
	}
	return all
}

// following is `sharetop archived GROUP --follow` at work.
type following struct {
	t     *testing.T
	cmd   *exec.Cmd
	lines chan string
}

// followArchived starts it, and returns once it says that it follows.
func followArchived(t *testing.T, c cluster, group string) *following {
	t.Helper()
	path, err := program()
	must(t, err)
	f := &following{t: t, lines: make(chan string, 64)}
	f.cmd = exec.CommandContext(t.Context(), path, "archived", group, "--follow", "--bootstrap-server", strings.Join(c.Bootstrap(), ","))
	stdout, err := f.cmd.StdoutPipe()
	must(t, err)
	stderr, err := f.cmd.StderrPipe()
	must(t, err)
	must(t, f.cmd.Start())
	go func() {
		defer close(f.lines)
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			f.lines <- lines.Text()
		}
	}()
	said := bufio.NewScanner(stderr)
	for said.Scan() {
		if strings.Contains(said.Text(), "all that is archived since") {
			go func() { _, _ = io.Copy(io.Discard, stderr) }()
			return f
		}
		t.Logf("archived --follow: %s", said.Text())
	}
	t.Fatal("archived --follow ended before it followed")
	return nil
}

// writes waits until as many records are written, interrupts the command, and
// checks that it wrote exactly those.
func (f *following) writes(want ...string) {
	f.t.Helper()
	deadline := time.After(stepTimeout)
	var rows []printed
	for interrupted := false; ; {
		if !interrupted && len(placesOf(rows)) >= len(want) {
			interrupted = true
			must(f.t, f.cmd.Process.Signal(os.Interrupt))
		}
		select {
		case line, more := <-f.lines:
			if !more {
				f.ended(rows, want)
				return
			}
			rows = append(rows, parsePrinted(f.t, line))
		case <-deadline:
			f.t.Fatalf("written were %q, want %q", placesOf(rows), want)
		}
	}
}

// ended checks what was written, and how the command ended.
func (f *following) ended(rows []printed, want []string) {
	f.t.Helper()
	sameSet(f.t, "archived --follow", placesOf(rows), want)
	_ = f.cmd.Wait()
	if code := f.cmd.ProcessState.ExitCode(); code != cli.ExitInterrupted {
		f.t.Errorf("archived --follow ended with %d, want %d", code, cli.ExitInterrupted)
	}
}
