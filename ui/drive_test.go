package ui

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"sharetop/model"
)

// driver runs an App without a terminal: it hands it messages, runs the
// commands that it returns, and waits until all of them are done or blocked.
// It lives in a synctest bubble, whose clock only moves when all is quiet.
type driver struct {
	t       *testing.T
	app     *App
	source  *fakeSource
	replies chan tea.Msg
	quit    bool
	// raw are the messages of Bubble Tea's own commands, such as the clipboard's.
	sent []tea.Msg
}

// drive runs a test with an App of that size in a bubble. The App is quit at
// the end, so that a goroutine left behind fails the test.
func drive(t *testing.T, w, h int, test func(d *driver), options ...func(*Config)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := newDriver(t, options...)
		defer func() {
			d.run(d.app.quit())
			d.settle()
		}()
		d.send(tea.WindowSizeMsg{Width: w, Height: h})
		test(d)
	})
}

func newDriver(t *testing.T, options ...func(*Config)) *driver {
	source := &fakeSource{changed: make(chan struct{})}
	began := time.Now()
	cfg := Config{
		Cluster: Cluster{Source: source, ClusterName: "prod-eu", Consumer: newFakeGroup(), Peeker: newFakePeeker()},
		Version: "0.1.0", UTC: true,
		Now: func() time.Time { return fixtureTime().Add(time.Since(began)) },
	}
	for _, o := range options {
		o(&cfg)
	}
	d := &driver{t: t, app: New(cfg), source: source, replies: make(chan tea.Msg, 1000)}
	d.run(d.app.Init())
	d.settle()
	return d
}

// send hands messages to the App one by one and lets everything settle.
func (d *driver) send(msgs ...tea.Msg) {
	d.t.Helper()
	for _, m := range msgs {
		_, cmd := d.app.Update(m)
		d.run(cmd)
		d.settle()
	}
}

// keys presses keys by Bubble Tea's names; a longer word that is no name is
// typed letter by letter.
func (d *driver) keys(names ...string) {
	d.t.Helper()
	for _, name := range names {
		d.send(press(name))
	}
}

// typed types a text letter by letter.
func (d *driver) typed(text string) {
	d.t.Helper()
	for _, r := range text {
		d.send(press(string(r)))
	}
}

// board shows a board as the feed would.
func (d *driver) board(b *model.Board) {
	d.t.Helper()
	a := d.app
	d.send(boardMsg{call: a.feed.call, board: b, rows: a.env.query.Arrange(b), revision: a.revision})
}

// content is what is on the screen, checked on the way: every line as wide as
// the window at most, and nothing a terminal acts on but styles.
func (d *driver) content() string {
	d.t.Helper()
	content := d.app.View().Content
	for i, line := range strings.Split(content, "\n") {
		if w := ansi.StringWidth(line); w > d.app.screen.W {
			d.t.Errorf("line %d is %d cells wide in %d: %q", i, w, d.app.screen.W, line)
		}
		assertNoControl(d.t, line)
	}
	if n := strings.Count(content, "\n") + 1; content != "" && n != d.app.screen.H {
		d.t.Errorf("%d lines in a window of %d", n, d.app.screen.H)
	}
	return content
}

// text is the content without styles.
func (d *driver) text() string {
	d.t.Helper()
	return ansi.Strip(d.content())
}

// line is one line of the text.
func (d *driver) line(i int) string {
	d.t.Helper()
	return lineAt(strings.Split(d.text(), "\n"), i)
}

func (d *driver) wantText(parts ...string) {
	d.t.Helper()
	text := d.text()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			d.t.Errorf("%q is not on the screen:\n%s", p, text)
		}
	}
}

func (d *driver) wantNoText(parts ...string) {
	d.t.Helper()
	text := d.text()
	for _, p := range parts {
		if strings.Contains(text, p) {
			d.t.Errorf("%q is on the screen:\n%s", p, text)
		}
	}
}

// run starts a command; its reply comes with settle.
func (d *driver) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() { d.replies <- cmd() }()
}

// settle waits until no command can go on and hands over the replies.
func (d *driver) settle() {
	for {
		synctest.Wait()
		select {
		case m := <-d.replies:
			d.reply(m)
		default:
			return
		}
	}
}

func (d *driver) reply(m tea.Msg) {
	switch m := m.(type) {
	case nil:
	case tea.BatchMsg:
		for _, cmd := range m {
			d.run(cmd)
		}
	case tea.QuitMsg:
		d.quit = true
	default:
		if strings.HasPrefix(typeName(m), "tea.") {
			d.sent = append(d.sent, m)
			return
		}
		_, cmd := d.app.Update(m)
		d.run(cmd)
	}
}

// wait lets time pass, and handles what falls due in it.
func (d *driver) wait(by time.Duration) {
	d.t.Helper()
	time.Sleep(by)
	d.settle()
}

// press is the message of a key by Bubble Tea's name for it.
func press(name string) tea.KeyPressMsg {
	special := map[string]tea.Key{
		"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab},
		"shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift}, "space": {Code: tea.KeySpace, Text: " "},
		"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight},
		"home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd}, "pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown},
		"backspace": {Code: tea.KeyBackspace}, "delete": {Code: tea.KeyDelete}, "f1": {Code: tea.KeyF1},
	}
	if k, ok := special[name]; ok {
		return tea.KeyPressMsg(k)
	}
	if letter, ok := strings.CutPrefix(name, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: rune(letter[0]), Mod: tea.ModCtrl}
	}
	if name == " " {
		return press("space")
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

// fakeSource hands out one snapshot after the other and notes what was asked.
type fakeSource struct {
	mu      sync.Mutex
	newest  *model.Snapshot
	err     error
	changed chan struct{}

	calls                []model.Scope
	outstanding, maximum int
}

// Watch is the Snapshotter's.
func (f *fakeSource) Watch(ctx context.Context, scope model.Scope, after model.Version) (*model.Snapshot, error) {
	f.begin(scope)
	defer f.end()
	for {
		s, changed, err := f.look()
		if err != nil {
			return nil, err
		}
		if s != nil && s.Version > after {
			return s, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-changed:
		}
	}
}

func (f *fakeSource) begin(scope model.Scope) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, scope)
	f.outstanding++
	f.maximum = max(f.maximum, f.outstanding)
}

func (f *fakeSource) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.outstanding--
}

func (f *fakeSource) look() (*model.Snapshot, chan struct{}, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.newest, f.changed, f.err
}

// set makes a snapshot the newest, or every call fail.
func (f *fakeSource) set(s *model.Snapshot, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s != nil {
		f.newest = s
	}
	f.err = err
	close(f.changed)
	f.changed = make(chan struct{})
}

// asked is what was asked so far.
func (f *fakeSource) asked() []model.Scope {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]model.Scope(nil), f.calls...)
}

// now is how many calls are outstanding.
func (f *fakeSource) now() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.outstanding
}
