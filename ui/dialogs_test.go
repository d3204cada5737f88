package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	"sharetop/keymap"
)

func TestScreensGolden(t *testing.T) {
	for _, tt := range []struct {
		name string
		w, h int
		keys []string
	}{
		{"help wide", 120, 50, []string{"?"}},
		{"help narrow", 60, 20, []string{"?"}},
		{"help scrolled", 60, 20, []string{"?", "G"}},
		{"problems", 80, 24, []string{"v", "!"}},
		{"palette", 80, 24, []string{":"}},
		{"palette choices", 80, 24, []string{":", "s", "o", "r", "t", " ", "tab", "tab"}},
		{"palette small", 40, 10, []string{":"}},
		{"filter", 80, 12, []string{"/", "l", "a", "g", ">", "1", "0", "0"}},
		{"filter mistake", 80, 12, []string{"/", "l", "a", "g", ">"}},
		{"marked and paused", 100, 12, []string{"space", "space", "p"}},
		{"message", 80, 12, []string{"O"}},
		{"copy menu", 80, 16, []string{"Y"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			drive(t, tt.w, tt.h, func(d *driver) {
				d.board(incident())
				d.keys(tt.keys...)
				golden.RequireEqual(d.t, []byte(d.text()))
			})
		})
	}
}

func TestFirstScreenGolden(t *testing.T) {
	drive(t, 80, 12, func(d *driver) {
		golden.RequireEqual(d.t, []byte(d.text()))
	}, func(c *Config) { c.Bootstrap = []string{"b1.example:9092", "b2.example:9092"}; c.Demo = true })
}

func TestHelpHasEveryKeyOfThePage(t *testing.T) {
	drive(t, 200, 100, func(d *driver) {
		d.board(incident())
		d.keys("?")
		all := keymap.Default()
		for _, bindings := range [][]keymap.Binding{
			all.Everywhere.Bindings(), all.Lists.Bindings(), all.Groups.Bindings(), all.Text.Bindings(),
		} {
			for _, b := range bindings {
				d.wantText(b.Help().Key, b.Help().Desc, b.Reason)
			}
		}
		for _, c := range commands() {
			d.wantText(":"+c.usage(), c.help)
		}
		d.keys("?")
		if len(d.app.dialogs) != 0 {
			t.Error("? does not close help")
		}
	})
}

func TestHelpScrolls(t *testing.T) {
	drive(t, 60, 15, func(d *driver) {
		d.board(incident())
		d.keys("?")
		top := d.line(3)
		d.keys("j")
		if d.line(3) == top {
			t.Error("j does not scroll")
		}
		d.keys("G")
		bottom := d.text()
		d.keys("j", "pgdown")
		if d.text() != bottom {
			t.Error("help scrolls past its end")
		}
		d.keys("g")
		if d.line(3) != top {
			t.Error("g does not go to the top")
		}
		d.keys("q")
		if d.quit || len(d.app.dialogs) != 0 {
			t.Error("q must close help, not the program")
		}
	})
}

func TestCommands(t *testing.T) {
	for _, tt := range []struct {
		line string
		want func(a *App) bool
		say  string
	}{
		{line: "q", want: func(a *App) bool { return a.quitting }},
		{line: "quit", want: func(a *App) bool { return a.quitting }},
		{line: " pause ", want: func(a *App) bool { return a.feed.status.paused }},
		{line: "interval 2s", want: func(a *App) bool { return a.feed.status.interval.Seconds() == 2 }, say: "Every 2s."},
		{line: "interval 2h", want: func(a *App) bool { return a.feed.status.interval.Seconds() == 1 }, say: "is no interval"},
		{line: "interval", want: func(a *App) bool { return a.feed.status.interval.Seconds() == 1 }, say: "is no interval"},
		{line: "filter night", want: func(a *App) bool { return len(a.env.rows) == 1 && a.env.filter == "night" }},
		{line: "filter lag>", want: func(a *App) bool { return len(a.env.rows) == 6 }, say: "lag"},
		{line: "sort name", want: func(a *App) bool { return a.env.rows[0].Group.ID.Raw() == "booknest-packers" }},
		{line: "sort", want: func(*App) bool { return true }, say: "By which column? name, state"},
		{line: "interval 5", want: func(a *App) bool { return a.feed.status.interval.Seconds() == 1 }, say: "from 0.5s to 1m, such as"},
		{line: "sort nonsense", want: func(*App) bool { return true }, say: "sort by name, state"},
		{line: "group odd name #1", want: func(a *App) bool { p, ok := a.page().(*groupPage); return ok && p.id.Raw() == "odd name #1" }},
		{line: "group", want: func(a *App) bool { return len(a.pages) == 1 }, say: "Which group?"},
		{line: "problems", want: func(a *App) bool { _, ok := a.page().(*problemsPage); return ok }},
		{line: "utc", want: func(a *App) bool { return !a.env.utc }},
		{line: "help", want: func(a *App) bool { _, ok := a.dialog().(*helpDialog); return ok }},
		{line: "refresh", want: func(a *App) bool { return a.feed.refresh == 1 }},
		{line: "", want: func(a *App) bool { return len(a.dialogs) == 0 }},
		{line: "frobnicate now", want: func(a *App) bool { return len(a.dialogs) == 0 }, say: `There is no command "frobnicate": :help lists them.`},
	} {
		t.Run(tt.line, func(t *testing.T) {
			drive(t, 160, 20, func(d *driver) {
				d.board(incident())
				d.keys(":")
				d.typed(tt.line)
				d.keys("enter")
				if !tt.want(d.app) {
					t.Errorf("not done; the screen says:\n%s", d.text())
				}
				d.wantText(tt.say)
			})
		})
	}
}

func TestPaletteCompletes(t *testing.T) {
	drive(t, 100, 20, func(d *driver) {
		d.board(incident())
		typed := func() string { return d.app.dialog().(*palette).line.String() }
		d.keys(":")
		d.typed("gr")
		d.keys("tab")
		if typed() != "group " {
			t.Errorf("got %q", typed())
		}
		d.typed("AUDIT")
		d.keys("tab")
		if typed() != "group nightly-audit" {
			t.Errorf("got %q", typed())
		}
		d.keys("ctrl+u")
		d.typed("sort ")
		d.keys("tab", "tab")
		if typed() != "sort state" {
			t.Errorf("after two tabs: %q", typed())
		}
		d.keys("shift+tab", "shift+tab")
		if typed() != "sort worst" {
			t.Errorf("backwards past the first: %q", typed())
		}
		d.keys("enter", ":", "up")
		if typed() != "sort worst" {
			t.Errorf("the line before is %q", typed())
		}
		d.keys("down")
		if typed() != "" {
			t.Errorf("after the newest line: %q", typed())
		}
		d.keys("backspace")
		if d.app.dialog() != nil {
			t.Error("backspace in an empty line does not leave it")
		}
	})
}

func TestPastCommandsAreBounded(t *testing.T) {
	var past []string
	for i := range 200 {
		past = remember(past, fmt.Sprintf("sort %d", i))
		past = remember(past, fmt.Sprintf("sort %d", i))
	}
	if len(past) != maxPastCommands || past[len(past)-1] != "sort 199" || past[0] != "sort 150" {
		t.Errorf("%d lines, %q to %q", len(past), past[0], past[len(past)-1])
	}
}

func TestCopySendsOSC52(t *testing.T) {
	for _, tmux := range []string{"", "/tmp/tmux-0/default,1,0"} {
		drive(t, 100, 20, func(d *driver) {
			d.board(incident())
			d.keys("y")
			d.wantText("Sent to the clipboard")
			var clipboard, raw bool
			for _, m := range d.sent {
				clipboard = clipboard || typeName(m) == "tea.setClipboardMsg" && fmt.Sprint(m) == "payments-retry"
				if r, ok := m.(tea.RawMsg); ok {
					raw = strings.HasPrefix(fmt.Sprint(r.Msg), "\x1bPtmux;\x1b\x1b]52;c;")
				}
			}
			if !clipboard || raw != (tmux != "") {
				t.Errorf("TMUX=%q: sent %v", tmux, d.sent)
			}
		}, func(c *Config) { c.Env = func(string) string { return tmux } })
	}
}

func TestCopyHasALimit(t *testing.T) {
	if _, err := copyToClipboard(strings.Repeat("x", maxClipboard), false); err != nil {
		t.Error(err)
	}
	_, err := copyToClipboard(strings.Repeat("x", maxClipboard+1), false)
	if err == nil || !strings.Contains(err.Error(), "74000") {
		t.Errorf("got %v", err)
	}
}

func TestMessages(t *testing.T) {
	drive(t, 100, 20, func(d *driver) {
		d.board(incident())
		d.send(statusMsg{levelInfo, "first"})
		d.wait(messageStays / 2)
		d.send(statusMsg{levelInfo, "second"})
		d.wait(messageStays * 3 / 4)
		d.wantText("second")
		d.wait(messageStays)
		d.wantNoText("second")
		d.send(statusMsg{levelError, "it broke"})
		d.wait(10 * messageStays)
		d.wantText("■ it broke")
		d.keys("esc")
		d.wantNoText("it broke")
		d.keys("!")
		d.wantText("it broke", "second", "first")
		d.send(statusMsg{levelInfo, "in passing"})
		d.keys("esc")
		d.wantNoText("Messages of this session")
		d.keys("!")
		for i := range 3 * maxMessages {
			d.send(statusMsg{levelWarn, fmt.Sprint("again ", i)})
		}
		if n := len(d.app.status.log); n != maxMessages {
			t.Errorf("%d messages kept", n)
		}
	})
}

func TestProblemsAreShownInFull(t *testing.T) {
	drive(t, 50, 30, func(d *driver) {
		b := incident()
		long := strings.Repeat("a word ", 40) + "the end."
		b.Snapshot.Problems[0].Detail = long
		d.board(b)
		d.keys("!")
		d.wantText("group secrets-feed", "denied", "the end.", "next: Grant DESCRIBE")
		d.board(boardOf(nil))
		d.wantText("nothing is missing")
	})
}

func TestLineEdit(t *testing.T) {
	for _, tt := range []struct {
		name string
		keys []string
		want string
		at   int
	}{
		{"typed", []string{"a", "b"}, "ab", 2},
		{"space", []string{"a", "space", "b"}, "a b", 3},
		{"inserted", []string{"a", "b", "left", "x"}, "axb", 2},
		{"backspace", []string{"a", "é", "backspace"}, "a", 1},
		{"backspace at the start", []string{"a", "home", "backspace"}, "a", 0},
		{"delete", []string{"a", "b", "home", "delete"}, "b", 0},
		{"word", []string{"a", "b", "space", "c", "d", "space", "ctrl+w"}, "ab ", 3},
		{"all", []string{"a", "b", "ctrl+u"}, "", 0},
		{"rest", []string{"a", "b", "ctrl+a", "right", "ctrl+k"}, "a", 1},
		{"past the ends", []string{"left", "a", "right", "right", "end"}, "a", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var l lineEdit
			for _, k := range tt.keys {
				l.update(press(k))
			}
			if l.String() != tt.want || l.at != tt.at {
				t.Errorf("got %q at %d, want %q at %d", l.String(), l.at, tt.want, tt.at)
			}
		})
	}
}

func TestLineEditIsBoundedAndFits(t *testing.T) {
	for id, raw := range awkward(t) {
		l := newLineEdit(strings.Repeat(raw, 50))
		if len(l.clusters) > maxLine {
			t.Errorf("%s: %d characters", id, len(l.clusters))
		}
		for width := 1; width < 30; width++ {
			if got := l.view(width); cellWidth(got) > max(width, 2) {
				t.Errorf("%s: %d cells in %d: %q", id, cellWidth(got), width, got)
			}
			l.update(press("left"))
		}
		l.update(press("backspace"))
	}
}
