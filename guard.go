package main

import (
	"fmt"
	"io"
	"reflect"
	"runtime/debug"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"sharetop/model"
)

// panicked is the first panic of the screen or of the client, if there was one.
type panicked struct {
	mu  sync.Mutex
	err error
	// end ends the program in good order.
	end func()
}

// note keeps a recovered value; nil is none. It is called from within the
// deferred call, where the stack is still the one that panicked.
func (p *panicked) note(recovered any) {
	if recovered == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = fmt.Errorf("%v\n\n%s", recovered, debug.Stack())
	}
	p.end()
}

// tell writes the panic and its stack, line by line, since what panicked may
// carry outside text. It is false when there is nothing to tell.
func (p *panicked) tell(w io.Writer) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		return false
	}
	for line := range strings.Lines(p.err.Error()) {
		fmt.Fprintln(w, model.Sanitize(strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\t", "    ")))
	}
	fmt.Fprintln(w, "sharetop: it failed inside, which is a bug; what is printed above says where")
	return true
}

// guard is a screen whose panics end the program in good order: they are kept,
// the screen is ended, and only when the terminal is restored are they told.
// Bubble Tea's own recovery prints while the alternate screen may still be up,
// and beside a Run that returns at the same time.
type guard struct {
	screen tea.Model
	failed *panicked
}

// Init starts the guarded screen.
func (g guard) Init() (cmd tea.Cmd) {
	defer func() { g.failed.note(recover()) }()
	return g.guarded(g.screen.Init())
}

// Update hands a message on.
func (g guard) Update(msg tea.Msg) (next tea.Model, cmd tea.Cmd) {
	next = g
	defer func() { g.failed.note(recover()) }()
	screen, cmd := g.screen.Update(msg)
	return guard{screen, g.failed}, g.guarded(cmd)
}

// View draws the guarded screen; nothing when that panics.
func (g guard) View() (view tea.View) {
	defer func() { g.failed.note(recover()) }()
	return g.screen.View()
}

// guarded is a command whose panic is kept, and those of all the commands that
// it gives back: both batches and sequences are slices of commands.
func (g guard) guarded(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer func() { g.failed.note(recover()) }()
		msg = cmd()
		inner := reflect.ValueOf(msg)
		if inner.Kind() != reflect.Slice || inner.Type().Elem() != reflect.TypeFor[tea.Cmd]() {
			return msg
		}
		for i := range inner.Len() {
			one, _ := inner.Index(i).Interface().(tea.Cmd)
			inner.Index(i).Set(reflect.ValueOf(g.guarded(one)))
		}
		return msg
	}
}
