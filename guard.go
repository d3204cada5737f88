package main

import (
	"fmt"
	"reflect"
	"runtime/debug"
	"sync"

	tea "charm.land/bubbletea/v2"
)

// guard is a screen whose panics end the program in good order: they are kept,
// the screen is ended, and only when the terminal is restored are they told.
// Bubble Tea's own recovery prints while the alternate screen may still be up,
// and beside a Run that returns at the same time.
type guard struct {
	model tea.Model
	panic *panicked
}

// panicked is the first panic, if there was one.
type panicked struct {
	mu  sync.Mutex
	err error
	// end ends the screen.
	end func()
}

// note keeps a recovered value; nil is none. It must be called by the deferred
// function itself, so that the stack is the one that panicked.
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

// first is the first panic as an error, with its stack; nil when none was.
func (p *panicked) first() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// Init starts the guarded model.
func (g guard) Init() (cmd tea.Cmd) {
	defer func() { g.panic.note(recover()) }()
	return g.guarded(g.model.Init())
}

// Update hands a message on.
func (g guard) Update(msg tea.Msg) (next tea.Model, cmd tea.Cmd) {
	next = g
	defer func() { g.panic.note(recover()) }()
	model, cmd := g.model.Update(msg)
	return guard{model, g.panic}, g.guarded(cmd)
}

// View draws the guarded model; nothing when that panics.
func (g guard) View() (view tea.View) {
	defer func() { g.panic.note(recover()) }()
	return g.model.View()
}

// guarded is a command whose panic is kept, and those of all the commands that
// it gives back: both batches and sequences are slices of commands.
func (g guard) guarded(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer func() { g.panic.note(recover()) }()
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
