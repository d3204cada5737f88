//go:build unix

package test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// testSessionPanic: the program panics while it holds records. They are free at
// once, long before their lock ends, with one delivery used and none accepted,
// and the member has left.
func testSessionPanic(t *testing.T, c cluster) {
	const lock = 60 * time.Second
	topic, group := readyGroup(t, c, "session-panic", 4)
	must(t, c.work.SetGroupConfig(t.Context(), group, "share.record.lock.duration.ms", "60000"))
	path, err := panicking()
	must(t, err)
	home := t.TempDir()
	panics := filepath.Join(home, "panic")
	// Names as the program's own tests have them.
	s := startCommand(t, home, 110, 30, []string{path, "--bootstrap-server", strings.Join(c.Bootstrap(), ","), "--group", group},
		"SHARETOP_TEST_CHILD=program that panics", "SHARETOP_TEST_PANIC="+panics)
	s.shows(group, topic)
	s.press("C")
	s.shows("what joining means", topic)
	s.press("\x7f\x7f4j\r")
	s.shows("4 held", "1 of 5")
	held := time.Now()
	s.press("a") // a decision that was not sent changes nothing
	s.shows("1 decided")
	must(t, os.WriteFile(panics, nil, 0o600))
	if code := s.exit(); code == 0 {
		t.Error("the exit code tells nothing of a panic")
	}
	s.restored()
	if told := s.text(); !strings.Contains(told, "Released 4 records of "+group) {
		t.Errorf("what happened to the records is not told:\n%s", told)
	}
	described, err := c.work.Admin().DescribeShareGroups(t.Context(), group)
	must(t, err)
	if n := len(described[group].Members); n != 0 {
		t.Errorf("%d members are left", n)
	}
	lagIs(t, c, group, 4)
	for _, r := range takes(t, joinGroup(t, c, group, topic), 4) {
		if r.Delivery != 2 {
			t.Errorf("%s comes on delivery %d, want 2", r.ID, r.Delivery)
		}
	}
	if after := time.Since(held); after > lock {
		t.Fatalf("%v after they were taken: their locks had ended", after)
	}
}
