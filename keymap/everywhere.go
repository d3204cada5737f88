package keymap

// Everywhere has the keys that work on every page.
type Everywhere struct {
	Help, Palette, Back, Quit, QuitNow  Binding
	Refresh, Pause, Slower, Faster      Binding
	Radar                               Binding
	Problems, Copy, CopyMenu, UTC, Stop Binding
}

func defaultEverywhere() Everywhere {
	return Everywhere{
		Help:     bind("?", "help", "?", "f1"),
		Palette:  bind(":", "command", ":"),
		Back:     bind("esc", "back", "esc"),
		Quit:     bind("q", "quit", "q"),
		QuitNow:  bind("ctrl-c", "quit now", "ctrl+c"),
		Refresh:  bind("r", "refresh", "r"),
		Pause:    bind("p", "pause", "p"),
		Slower:   bind("+", "longer interval", "+", "="),
		Faster:   bind("-", "shorter interval", "-"),
		Radar:    bind("R", "poison radar", "R"),
		Problems: bind("!", "problems", "!"),
		Copy:     bind("y", "copy", "y"),
		CopyMenu: bind("Y", "copy menu", "Y"),
		UTC:      bind("~", "UTC or local time", "~"),
		Stop:     bind("ctrl-z", "suspend", "ctrl+z"),
	}
}

// Bindings lists the keys of the scope in the order in which they are shown.
func (e Everywhere) Bindings() []Binding {
	return []Binding{
		e.Help, e.Palette, e.Back, e.Quit, e.QuitNow, e.Refresh, e.Pause,
		e.Slower, e.Faster, e.Radar, e.Problems, e.Copy, e.CopyMenu, e.UTC, e.Stop,
	}
}

// Lists has the keys of every table and every scrolling text.
type Lists struct {
	Up, Down, Top, Bottom, PageUp, PageDown Binding
	Filter, SortLeft, SortRight, Invert     Binding
	Mark, MarkAll                           Binding
}

func defaultLists() Lists {
	return Lists{
		Up:        bind("↑ k", "up", "up", "k"),
		Down:      bind("↓ j", "down", "down", "j"),
		Top:       bind("g home", "top", "g", "home"),
		Bottom:    bind("G end", "bottom", "G", "end"),
		PageUp:    bind("ctrl-u PgUp", "page up", "ctrl+u", "pgup"),
		PageDown:  bind("ctrl-d PgDn", "page down", "ctrl+d", "pgdown"),
		Filter:    bind("/", "filter", "/"),
		SortLeft:  bind("<", "sort by the next column to the left", "<"),
		SortRight: bind(">", "sort by the next column to the right", ">"),
		Invert:    bind("I", "invert the order", "I"),
		Mark:      bind("space", "mark", "space"),
		MarkAll:   bind("*", "mark all, or none", "*"),
	}
}

// Bindings lists the keys of the scope in the order in which they are shown.
func (l Lists) Bindings() []Binding {
	return append(l.Scrolling(),
		l.Filter, l.SortLeft, l.SortRight, l.Invert, l.Mark, l.MarkAll)
}

// Scrolling lists only the keys that move, for texts without rows.
func (l Lists) Scrolling() []Binding {
	return []Binding{l.Up, l.Down, l.Top, l.Bottom, l.PageUp, l.PageDown}
}

// Sort is both keys that sort in one, for the footer.
func (l Lists) Sort() Binding {
	return bind("<>", "sort", append(l.SortLeft.Keys(), l.SortRight.Keys()...)...)
}

// Text has the keys of a line that a person types in; letters are text there.
type Text struct {
	Accept, Leave, Complete, Older, Newer Binding
}

func defaultText() Text {
	return Text{
		Accept:   bind("enter", "accept", "enter"),
		Leave:    bind("esc", "leave it", "esc"),
		Complete: bind("tab", "complete", "tab"),
		Older:    bind("↑", "an older line", "up"),
		Newer:    bind("↓", "a newer line", "down"),
	}
}

// Bindings lists the keys of the scope in the order in which they are shown.
func (t Text) Bindings() []Binding {
	return []Binding{t.Accept, t.Leave, t.Complete, t.Older, t.Newer}
}

// Dialogs has the keys of everything that lies on top of a page.
type Dialogs struct {
	Choose, Next, Previous, Close Binding
}

func defaultDialogs() Dialogs {
	return Dialogs{
		Choose:   bind("enter", "choose", "enter"),
		Next:     bind("↓ j", "next", "down", "j"),
		Previous: bind("↑ k", "previous", "up", "k"),
		Close:    bind("esc", "close", "esc", "q"),
	}
}

// Typed has the keys of a question that is answered by typing a name; letters are
// text there.
type Typed struct {
	Give, Leave, Copy Binding
}

func defaultTyped() Typed {
	return Typed{
		Give:  bind("enter", "do it, once the name is typed", "enter"),
		Leave: bind("esc", "leave it", "esc"),
		Copy:  bind("ctrl-y", "copy the same as Kafka's command", "ctrl+y"),
	}
}

// Bindings lists the keys of the scope in the order in which they are shown.
func (t Typed) Bindings() []Binding { return []Binding{t.Give, t.Leave, t.Copy} }

// Confirm has the keys of a question; enter means what the cursor is on, which
// is No at first.
type Confirm struct {
	No, Yes, Switch, Choose Binding
}

func defaultConfirm() Confirm {
	return Confirm{
		No:     bind("esc n", "no", "esc", "n", "q"),
		Yes:    bind("y", "yes", "y"),
		Switch: bind("← →", "the other answer", "left", "right", "tab", "shift+tab", "h", "l"),
		Choose: bind("enter", "choose", "enter"),
	}
}

// Bindings lists the keys of the scope in the order in which they are shown.
func (c Confirm) Bindings() []Binding { return []Binding{c.No, c.Yes, c.Switch, c.Choose} }

// Bindings lists the keys of the scope in the order in which they are shown.
func (d Dialogs) Bindings() []Binding {
	return []Binding{d.Choose, d.Next, d.Previous, d.Close}
}
