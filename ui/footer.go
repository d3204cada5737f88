package ui

import (
	"sharetop/keymap"
)

// footer is the last line: a message to the person when there is one, and the
// keys that work here now.
func (a *App) footer() string {
	e, w := &a.env, a.screen.W
	said := a.said()
	keys := e.footerKeys(a.footerBindings(), w-1-cellWidth(said))
	return clipLine(" "+said+keys, w)
}

// said is the message that is shown, or why nothing comes in; empty for none.
func (a *App) said() string {
	e := &a.env
	if text := a.releasing(); text != "" {
		return e.message(levelWarn, text) + "  "
	}
	if m := a.status.shown; m != nil {
		return e.message(m.level, m.text) + "  "
	}
	if err := e.feed.err; err != nil {
		return e.message(levelError, "nothing new: "+err.Error()) + "  "
	}
	return ""
}

// helpRoom is what stands beside a message at least: the margin, its sign, two
// blanks and "? help".
const helpRoom = 1 + 2 + 2 + 6

// message draws a message with its sign.
func (e *env) message(level statusLevel, text string) string {
	// What was said goes before the keys; the one for help stays beside it.
	text = cut(plain(text), max(20, e.body.W-helpRoom), e.glyphs.more)
	switch level {
	case levelError:
		return e.styles.bad.render(e.glyphs.stuck + " " + text)
	case levelWarn:
		return e.styles.warn.render(e.glyphs.warn + " " + text)
	default:
		return e.styles.accent.render(text)
	}
}

// footerBindings are the keys of the topmost dialog, else those of the page and
// the ones that are worth a place everywhere.
func (a *App) footerBindings() []keymap.Binding {
	if d := a.dialog(); d != nil {
		return d.footer(&a.env)
	}
	all := a.env.keys.Everywhere
	keys := a.page().footer(&a.env)
	if a.page().capturesText() {
		return keys
	}
	if len(a.pages) > 1 {
		keys = append(keys, all.Back)
	}
	return append(keys, all.Palette, all.Help, all.Quit)
}

// footerKeys draws as many keys as fit in that width. They go from the right,
// those that are off first, help never.
func (e *env) footerKeys(keys []keymap.Binding, width int) string {
	drawn := make([]part, len(keys))
	for i, b := range keys {
		drawn[i] = part{text: e.footerKey(b), drop: 1 + i}
		if b.IsOff() {
			drawn[i].drop += len(keys)
		}
		if b.Help() == e.keys.Everywhere.Help.Help() {
			drawn[i].drop = 0
		}
	}
	dropParts(width, &drawn)
	return joinParts(drawn)
}

// footerKey draws one key: its name stands out, what it does does not.
func (e *env) footerKey(b keymap.Binding) string {
	h := b.Help()
	if b.IsOff() {
		return e.styles.dim.render(h.Key + " " + h.Desc)
	}
	return e.styles.bold.render(h.Key) + " " + h.Desc
}
