package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// maxClipboard bounds what is sent to the clipboard, in bytes before base64:
// xterm and tmux take about 100,000 characters in one OSC 52.
const maxClipboard = 74_000

// copyToClipboard sends text to the terminal's clipboard by OSC 52, which also
// reaches the person's own machine over SSH. The terminal does not answer, so
// nobody can say that it arrived. Inside tmux the sequence is wrapped so that
// tmux hands it on to the terminal around it.
func copyToClipboard(text string, inTmux bool) (tea.Cmd, error) {
	if len(text) > maxClipboard {
		return nil, fmt.Errorf("not copied: %d bytes are more than the %d that terminals take", len(text), maxClipboard)
	}
	if inTmux {
		return tea.Batch(tea.SetClipboard(text), tea.Raw(ansi.TmuxPassthrough(ansi.SetSystemClipboard(text)))), nil
	}
	return tea.SetClipboard(text), nil
}
