package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
)

// terminalFile is one side of the terminal. It calls hangUp when a read or a
// write shows that the terminal is gone: SIGHUP alone does not tell, since it
// may be ignored (nohup) or never sent (no controlling terminal), and Bubble
// Tea takes the end of its input for silence.
type terminalFile struct {
	*os.File
	hangUp func()
}

// Read reads keys and the terminal's answers.
func (f terminalFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	f.check(err)
	return n, err
}

// Write writes a part of the screen.
func (f terminalFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	f.check(err)
	return n, err
}

func (f terminalFile) check(err error) {
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.EIO) || errors.Is(err, syscall.ENXIO) || errors.Is(err, syscall.EPIPE) {
		f.hangUp()
	}
}

// openTerminal gives the files that the screen is drawn on and read from.
// Keys may come from elsewhere than standard input when that is a pipe; a
// screen that would go into a file or a pipe is refused, and so is a kind of
// terminal (TERM) that moves no cursor.
func openTerminal(stdin, stdout *os.File, kind string, hangUp func()) (in, out terminalFile, err error) {
	switch {
	case !term.IsTerminal(stdout.Fd()):
		return in, out, errors.New("standard output is not a terminal, so there is nowhere to draw the screen: use --once to print one snapshot")
	case kind == "dumb":
		return in, out, errors.New("TERM is dumb, and a terminal of that kind can't show the screen: use --once to print one snapshot, " +
			"or set TERM to what the terminal is")
	}
	if !term.IsTerminal(stdin.Fd()) {
		if stdin, _, err = tea.OpenTTY(); err != nil {
			return in, out, fmt.Errorf("standard input is not a terminal and no other one could be opened for keys: use --once to print one snapshot: %w", err)
		}
	}
	return terminalFile{stdin, hangUp}, terminalFile{stdout, hangUp}, nil
}
