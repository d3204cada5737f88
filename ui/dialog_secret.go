package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"sharetop/keymap"
	"sharetop/model"
)

// secretDialog asks for a secret. What is typed is shown as dots, and nothing
// keeps it once it is handed over.
type secretDialog struct {
	question question
	line     lineEdit
	note     string
}

// answerQuestion hands a secret over and closes the dialog.
type answerQuestion struct {
	answer chan<- model.Secret
	secret model.Secret
}

// refuseQuestion closes the dialog and gives up what it was asked for.
type refuseQuestion struct{}

func (answerQuestion) isIntent() {}
func (refuseQuestion) isIntent() {}

func newSecretDialog(q question) *secretDialog { return &secretDialog{question: q} }

func (d *secretDialog) update(e *env, msg tea.Msg) (intent, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		if len(d.line.clusters)+len(msg.Content) > maxLine {
			d.note = "too long for this field: put it into a file"
			return nil, nil
		}
		d.line.update(msg)
	case tea.KeyPressMsg:
		return d.key(e, msg), nil
	}
	return nil, nil
}

func (d *secretDialog) key(e *env, k tea.KeyPressMsg) intent {
	switch {
	case e.keys.Text.Leave.Pressed(k):
		d.line = lineEdit{}
		return refuseQuestion{}
	case e.keys.Text.Accept.Pressed(k):
		secret := model.NewSecret(d.line.String())
		d.line = lineEdit{}
		return answerQuestion{d.question.answer, secret}
	}
	d.note = ""
	d.line.update(k)
	return nil
}

func (d *secretDialog) place(_ *env, screen Rect) Rect { return sheet(screen, 4) }

func (d *secretDialog) view(e *env, r Rect) string {
	dots := cutLeft(strings.Repeat(e.glyphs.hidden, len(d.line.clusters)), max(0, r.W-6), "")
	return strings.Join([]string{
		titleLine(e, "Connecting to "+clusterCalled(e, e.connect.name), "never stored; esc gives up", r.W),
		"  " + cut(upperFirst(plain(model.Sanitize(d.question.prompt))), r.W-2, e.glyphs.more),
		" " + e.styles.accent.render("› ") + dots + e.styles.cursor.render(" "),
		"  " + e.styles.warn.render(cut(d.note, r.W-2, e.glyphs.more)),
	}, "\n")
}

func (d *secretDialog) footer(e *env) []keymap.Binding {
	return []keymap.Binding{e.keys.Text.Accept, e.keys.Text.Leave}
}
