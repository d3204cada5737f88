//go:build unix

package test

import (
	"strings"
	"testing"
	"time"

	"sharetop/kafka"
	"sharetop/model"
)

// typeName answers a typed confirmation as a person does: it reads first, and
// presses enter after a pause. The pauses are what the dialog asks for: text that
// comes at once, or ahead of the question, is no answer.
func (s *terminal) typeName(name string) {
	s.t.Helper()
	s.shows(`type "` + name + `"`)
	time.Sleep(400 * time.Millisecond)
	s.press(name)
	s.shows("› " + name)
	time.Sleep(300 * time.Millisecond)
	s.press("\r")
}

// testChangesByKeys does everything that changes a group through the real
// program's keys, and looks at what became of it from beside.
func testChangesByKeys(t *testing.T, c cluster) {
	const topic, group, records = "keys.changes", "keys-group", 20
	must(t, c.work.CreateTopic(t.Context(), topic, 1))
	must(t, c.work.Produce(t.Context(), topic, 0, records))
	must(t, c.work.PlaceGroup(t.Context(), group, topic, 10))
	beside := changer(t, c)
	s := startTerminal(t, 120, 40, "--bootstrap-server", strings.Join(c.Bootstrap(), ","))
	s.shows(group)
	s.press("/" + group + "\r\r")
	s.shows("START", topic)

	s.resetByKeys(group, "jj\r3\r")
	s.shows("1 of 1 partition written and read back", "Undo file: ", "written, read back")
	wantStarts(t, beside, group, 3)
	s.press("u")
	s.shows("undo of ", "7 never delivered")
	s.press("W")
	s.typeName(group)
	s.shows("1 of 1 partition written and read back")
	wantStarts(t, beside, group, 10)
	s.press("\x1b")
	s.shows("START", topic)

	s.waitByKeys(t, c, topic, group)
	s.configByKeys(group)
	s.placeByKeys(t, beside, topic)

	s.press("D")
	s.shows("Delete what of " + group)
	s.press("j\r")
	s.typeName(topic)
	s.shows(group + ": deleted")
	s.press("\x1b")
	s.shows("Config")
	s.press(":group " + group + "\rD")
	s.shows("Delete what of " + group)
	s.press("\r")
	s.typeName(group)
	s.shows(group + ": deleted")
	if p := planFor(t, beside, group, model.ResetTarget{Kind: model.ToEarliest}); p.Look.Exists {
		t.Errorf("%s is still there", group)
	}
	s.press(":audit\r")
	s.shows("Audit file", topic+"-0: 10 to 3", "delete-group", "delete-offsets", "unset-config", "share.record.lock.duration.ms: (unset) to 20000")
	s.press("q")
	if code := s.exit(); code != 0 {
		t.Errorf("exit code %d after q, want 0", code)
	}
	s.restored()
}

// resetByKeys plans by the keys in the list of targets, and writes.
func (s *terminal) resetByKeys(group, target string) {
	s.t.Helper()
	s.press("O")
	s.shows("Where the start offsets are to go")
	s.press(target)
	s.shows("delivered again", "nothing changed yet")
	s.press("W")
	s.typeName(group)
}

// waitByKeys writes a plan while the group has a member: nothing happens before
// that has left.
func (s *terminal) waitByKeys(t *testing.T, c cluster, topic, group string) {
	t.Helper()
	member := accept(t, c, topic, group)
	member.waitFor(t, 10)
	s.resetByKeys(group, "\r")
	s.shows("Waiting for ", "127.0.0.1", "nothing changed yet")
	member.close()
	s.shows("1 of 1 partition written and read back")
	s.press("\x1b")
	s.shows("START", topic)
	drain(t, c, topic, group, 20) // from the earliest on, to a consumer afterwards
}

// configByKeys sets a config on the Config tab, sees the broker's words about a
// bad one, and unsets it.
func (s *terminal) configByKeys(group string) {
	s.t.Helper()
	s.press("3")
	s.shows("share.record.lock.duration.ms")
	s.press("/lock.duration\r\r")
	s.shows("CONFIG", "allowed", "1000 to 60000")
	s.press("\x1520000\r")
	s.typeName(group)
	s.shows("it reads back as 20000")
	s.press("\x1b")
	s.shows("RANGE")
	s.press("U")
	s.typeName(group)
	s.shows("Done: unset share.record.lock.duration.ms")
	s.press("\x1b")
	s.shows("RANGE")
	s.press(":config " + group + " share.isolation.level\r")
	s.shows("read_uncommitted", "nothing changed yet")
	s.press("\x15read_nothing\r")
	s.typeName(group)
	s.shows("INVALID_CONFIG", "read_committed")
	s.press("\x1b")
	s.shows("RANGE")
	s.press("\x1b")
	s.until("the tab without its filter", func(screen string) bool { return !strings.Contains(screen, "/lock.duration") })
	s.press("1")
	s.shows("START")
}

// placeByKeys places a group that is not there yet.
func (s *terminal) placeByKeys(t *testing.T, beside *kafka.Changer, topic string) {
	t.Helper()
	const group = "keys-placed"
	s.press(":reset " + group + "\r")
	s.shows("Where the start offsets are to go")
	s.press("jjjjjjjj\r" + topic + "\r")
	s.shows(topic)
	s.press("kkkkkk\r4\r")
	s.shows("there is no such group yet", "not read by the group so far")
	s.press("W")
	s.typeName(group)
	s.shows("1 of 1 partition written and read back", "as this makes the group")
	wantStarts(t, beside, group, 4)
	s.press("\x1b")
	s.shows("START")
}
