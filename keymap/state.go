package keymap

// State has the keys of the State tab. Up, down, pages, top and bottom are
// those of lists. A bracket that opens goes back, one that closes goes on.
type State struct {
	Left, Right, ZoomIn, ZoomOut, Head, End, ToOffset Binding
	PreviousPartition, NextPartition                  Binding
	PreviousReleased, NextReleased                    Binding
	PreviousArchived, NextArchived                    Binding
	PreviousUnfinished, NextUnfinished                Binding
}

func defaultState() State {
	return State{
		Left:               bind("← h", "left", "left", "h"),
		Right:              bind("→ l", "right", "right", "l"),
		ZoomIn:             bind("i", "zoom in", "i"),
		ZoomOut:            bind("o", "zoom out", "o"),
		Head:               bind("H", "to the head", "H"),
		End:                bind("L", "to the end", "L"),
		ToOffset:           bind("#", "to an offset", "#"),
		PreviousPartition:  bind("[", "previous partition", "["),
		NextPartition:      bind("]", "next partition", "]"),
		PreviousReleased:   bind("(", "previous record given back", "("),
		NextReleased:       bind(")", "next record given back", ")"),
		PreviousArchived:   bind("{", "previous archived record", "{"),
		NextArchived:       bind("}", "next archived record", "}"),
		PreviousUnfinished: bind(",", "previous unfinished record", ","),
		NextUnfinished:     bind(".", "next unfinished record", "."),
	}
}

// Bindings lists the keys of the scope in the order in which they are shown.
func (s State) Bindings() []Binding {
	return []Binding{
		s.Left, s.Right, s.ZoomIn, s.ZoomOut, s.Head, s.End, s.ToOffset,
		s.PreviousPartition, s.NextPartition, s.PreviousReleased, s.NextReleased,
		s.PreviousArchived, s.NextArchived, s.PreviousUnfinished, s.NextUnfinished,
	}
}

// Jumps are the keys that jump to records given back in one, for the footer.
func (s State) Jumps() Binding { return both("( )", "given back", s.PreviousReleased, s.NextReleased) }

// Zoom is both keys that zoom in one, for the footer.
func (s State) Zoom() Binding { return both("i o", "zoom", s.ZoomIn, s.ZoomOut) }

// TurnPartition is both keys that go to another partition, for the footer.
func (s State) TurnPartition() Binding {
	return both("[ ]", "partition", s.PreviousPartition, s.NextPartition)
}

// Move is both keys that move by one cell, for the footer.
func (s State) Move() Binding { return both("← →", "move", s.Left, s.Right) }

func both(shown, desc string, a, b Binding) Binding {
	return bind(shown, desc, append(a.Keys(), b.Keys()...)...)
}

// Radar has the keys of the pages that list records of several groups.
type Radar struct {
	Open, Peek Binding
}

func defaultRadar() Radar {
	return Radar{
		Open: bind("enter", "state around these records", "enter"),
		Peek: bind("v", "peek at the first of them", "v"),
	}
}

// Bindings lists the keys of the scope in the order in which they are shown.
func (r Radar) Bindings() []Binding { return []Binding{r.Open, r.Peek} }
