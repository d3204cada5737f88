package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// Guards of a typed confirmation, in time.
const (
	// quietBefore is how long no key may come before keys count: what was typed
	// ahead, before the person could see the question, is swallowed.
	quietBefore = 300 * time.Millisecond
	// longestSwallow bounds that for somebody who never stops typing.
	longestSwallow = 2 * time.Second
	// quietEnter is how long before enter no other key may come. Terminals
	// without bracketed paste send a paste as keys, with its line breaks as
	// enter: those come at once. A key that is held repeats faster too.
	quietEnter = 250 * time.Millisecond
)

// typedAnswer is a line that has to be typed before something is done. Only
// text, enter and esc mean anything in it. A paste puts text in and never
// confirms.
type typedAnswer struct {
	line   lineEdit
	want   string
	opened time.Time
	last   time.Time
	awake  bool
	note   string
}

// newTypedAnswer asks for that text. It is what is displayed, safe for a
// terminal; of a long one only the end.
func newTypedAnswer(want string, now time.Time) typedAnswer {
	return typedAnswer{want: lastCells(want), opened: now, last: now}
}

// A text of more than typedWhole cells is asked for by its last typedEnd.
const (
	typedWhole = 32
	typedEnd   = 12
)

func lastCells(text string) string {
	text = plain(text)
	if cellWidth(text) <= typedWhole {
		return text
	}
	return cutLeft(text, typedEnd, "")
}

// ask says what has to be typed, e.g. `"orders"`.
func (t *typedAnswer) ask() string { return `"` + t.want + `"` }

// key handles a key or a paste and tells whether the answer was given, or left.
func (t *typedAnswer) key(e *env, msg tea.Msg) (given, left bool) {
	k, isKey := msg.(tea.KeyPressMsg)
	if !isKey {
		t.line.update(msg)
		t.last = e.now
		return false, false
	}
	if e.keys.Text.Leave.Pressed(k) {
		return false, true
	}
	gap := e.now.Sub(t.last)
	t.last = e.now
	if !t.awake {
		t.awake = gap >= quietBefore || e.now.Sub(t.opened) >= longestSwallow
		if !t.awake {
			return false, false
		}
	}
	if !e.keys.Text.Accept.Pressed(k) {
		if t.line.update(msg) {
			t.note = ""
		}
		return false, false
	}
	switch {
	case k.IsRepeat, gap < quietEnter:
		t.note = "enter came too fast to be meant: press it again"
	case t.line.String() != t.want:
		t.note = "that is not " + t.ask()
	default:
		return true, false
	}
	return false, false
}
