package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"sharetop/keymap"
	"sharetop/model"
)

// typedDialog asks to type a text before something is done that can't simply be
// taken back. What it is about was copied when it opened: no refresh changes it.
type typedDialog struct {
	title string
	// lines say what happens then, one sentence each.
	lines []string
	// does is what the text is typed for, e.g. "to write".
	does   string
	answer typedAnswer
	// want is carried out once the text was typed.
	want intent
	// same is the same change by a command of Kafka's own tools.
	same sameCommand
}

// sameCommand is a change as a command of Kafka's own tools, or why there is
// none.
type sameCommand struct {
	text string
	err  error
}

func sameBy(text string, err error) sameCommand { return sameCommand{text, err} }

// copy is the intent that sends it to the clipboard, or says why not.
func (s sameCommand) copy() intent {
	if s.err != nil {
		return showStatus{levelWarn, "Not copied: " + model.Sanitize(s.err.Error()) + "."}
	}
	return copyKept{copyItem{what: "the same by Kafka's command", text: s.text}}
}

// typedDone closes the dialog and does what it asked about.
type typedDone struct{ want intent }

func (typedDone) isIntent() {}

func newTypedDialog(title, does, want string, now time.Time, then intent, same sameCommand, lines ...string) *typedDialog {
	return &typedDialog{title: title, does: does, lines: lines, answer: newTypedAnswer(want, now), want: then, same: same}
}

func (d *typedDialog) update(e *env, msg tea.Msg) (intent, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
	case tea.KeyPressMsg:
		if e.keys.Typed.Copy.Pressed(msg) {
			return d.same.copy(), nil
		}
	default:
		return nil, nil
	}
	switch given, left := d.answer.key(e, msg); {
	case given:
		return typedDone{d.want}, nil
	case left:
		return closeDialog{}, nil
	}
	return nil, nil
}

func (d *typedDialog) body(width int) []string {
	var out []string
	for _, line := range d.lines {
		out = append(out, wrap(line, width-4)...)
	}
	return out
}

// place leaves room for the sentences, the question, the line and the note.
func (d *typedDialog) place(_ *env, screen Rect) Rect {
	return sheet(screen, len(d.body(screen.W))+4)
}

func (d *typedDialog) view(e *env, r Rect) string {
	lines := []string{titleLine(e, d.title, "esc: nothing happens", r.W)}
	body := d.body(r.W)
	// In a low window the question and the line must stay.
	for _, line := range body[:min(len(body), max(0, r.H-4))] {
		lines = append(lines, "  "+line)
	}
	lines = append(lines,
		"  "+cut("type "+d.answer.ask()+" "+d.does+", then enter", r.W-2, e.glyphs.more),
		" "+e.styles.accent.render("› ")+d.answer.line.view(r.W-4),
		"  "+e.styles.warn.render(cut(d.answer.note, r.W-2, e.glyphs.more)))
	return strings.Join(lines, "\n")
}

func (d *typedDialog) footer(e *env) []keymap.Binding {
	return []keymap.Binding{e.keys.Typed.Leave, e.keys.Typed.Copy}
}
