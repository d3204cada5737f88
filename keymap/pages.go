package keymap

// Groups has the keys of the groups page.
type Groups struct {
	Open, Archived, Peek, Consume, Reset, Delete Binding
}

func defaultGroups() Groups {
	return Groups{
		Open:     bind("enter", "open", "enter"),
		Archived: bind("A", "archived records", "A"),
		Peek:     bind("v", "peek", "v"),
		Consume:  bind("C", "consume", "C"),
		Reset:    bind("O", "reset offsets", "O"),
		Delete:   bind("D", "delete…", "D"),
	}
}

// Bindings lists the keys of the scope in the order in which they are shown.
func (g Groups) Bindings() []Binding {
	return []Binding{g.Open, g.Archived, g.Peek, g.Consume, g.Reset, g.Delete}
}

// Group has the keys of the page of one group.
type Group struct {
	// Tabs are Partitions, Members, Config, Records, State and Dead letters:
	// the key of each is its number, for ever.
	Tabs                           [6]Binding
	NextTab, PreviousTab, Archived Binding
	Peek, Consume, Reset, Delete   Binding
}

func defaultGroup() Group {
	return Group{
		Tabs: [6]Binding{
			bind("1", "Partitions", "1"),
			bind("2", "Members", "2"),
			bind("3", "Config", "3"),
			bind("4", "Records", "4"),
			bind("5", "State", "5"),
			bind("6", "Dead letters", "6"),
		},
		NextTab:     bind("tab", "next tab", "tab"),
		PreviousTab: bind("shift-tab", "previous tab", "shift+tab"),
		Archived:    bind("A", "archived records", "A"),
		Peek:        bind("v", "peek", "v"),
		Consume:     bind("C", "consume", "C"),
		Reset:       bind("O", "reset offsets", "O"),
		Delete:      bind("D", "delete…", "D"),
	}
}

// Bindings lists the keys of the scope in the order in which they are shown.
func (g Group) Bindings() []Binding {
	return append(g.Tabs[:], g.NextTab, g.PreviousTab, g.Archived, g.Peek, g.Consume, g.Reset, g.Delete)
}

// AllTabs stands for all tabs in places with little room.
func (g Group) AllTabs() Binding {
	keys := make([]string, len(g.Tabs))
	for i, tab := range g.Tabs {
		keys[i] = tab.Keys()[0]
	}
	return bind("1-6", "tabs", keys...)
}

// Partitions has the keys of the Partitions tab.
type Partitions struct {
	Open Binding
}

func defaultPartitions() Partitions {
	return Partitions{Open: bind("enter", "state of this partition", "enter")}
}

// Bindings lists the keys of the scope in the order in which they are shown.
func (p Partitions) Bindings() []Binding { return []Binding{p.Open} }

// Config has the keys of the Config tab.
type Config struct {
	Edit, Unset Binding
}

func defaultConfig() Config {
	return Config{
		Edit:  bind("enter", "edit", "enter"),
		Unset: bind("U", "unset…", "U"),
	}
}

// Bindings lists the keys of the scope in the order in which they are shown.
func (c Config) Bindings() []Binding { return []Binding{c.Edit, c.Unset} }

// Records has the keys of the peek page.
type Records struct {
	Open, Head, End, ToOffset, ToTime Binding
	PreviousPartition, NextPartition  Binding
	NextMatch, PreviousMatch          Binding
	Follow, NextView, Save, Pager     Binding
}

func defaultRecords() Records {
	return Records{
		Open:              bind("enter", "read", "enter"),
		Head:              bind("H", "to the head", "H"),
		End:               bind("L", "to the end", "L"),
		ToOffset:          bind("#", "to an offset", "#"),
		ToTime:            bind("@", "to a time", "@"),
		PreviousPartition: bind("[", "previous partition", "["),
		NextPartition:     bind("]", "next partition", "]"),
		NextMatch:         bind("n", "next match", "n"),
		PreviousMatch:     bind("b", "previous match", "b"),
		Follow:            bind("f", "follow", "f"),
		NextView:          bind("V", "next view", "V"),
		Save:              bind("s", "save", "s"),
		Pager:             bind("e", "open in $PAGER", "e"),
	}
}

// Bindings lists the keys of the scope in the order in which they are shown.
func (r Records) Bindings() []Binding {
	return []Binding{
		r.Open, r.Head, r.End, r.ToOffset, r.ToTime, r.PreviousPartition,
		r.NextPartition, r.NextMatch, r.PreviousMatch, r.Follow, r.NextView, r.Save, r.Pager,
	}
}

// TurnPartition is both keys that go to another partition, for the footer.
func (r Records) TurnPartition() Binding {
	return both("[ ]", "partition", r.PreviousPartition, r.NextPartition)
}

// Letters has the keys of the dead letters tab.
type Letters struct {
	Open, Newest, NextView, Save, Pager Binding
}

func defaultLetters() Letters {
	r := defaultRecords()
	return Letters{
		Open:     r.Open,
		Newest:   bind("L", "read the newest again", "L"),
		NextView: r.NextView,
		Save:     r.Save,
		Pager:    r.Pager,
	}
}

// Bindings lists the keys of the scope in the order in which they are shown.
func (l Letters) Bindings() []Binding {
	return []Binding{l.Open, l.Newest, l.NextView, l.Save, l.Pager}
}

// Consume has the keys of the page that acquires records and decides them.
type Consume struct {
	Accept, Release, Reject, Renew, Undecided, Send, SendMore Binding
	NextView, Save, Pager                                     Binding
}

func defaultConsume() Consume {
	r := defaultRecords()
	return Consume{
		Accept:    bind("a", "accept", "a"),
		Release:   bind("z", "release", "z"),
		Reject:    bind("x", "reject", "x"),
		Renew:     bind("w", "renew", "w"),
		Undecided: bind("t", "what undecided ones get", "t"),
		Send:      bind("S", "send", "S"),
		SendMore:  bind("N", "send and take more", "N"),
		NextView:  r.NextView,
		Save:      r.Save,
		Pager:     r.Pager,
	}
}

// Bindings lists the keys of the scope in the order in which they are shown.
func (c Consume) Bindings() []Binding {
	return []Binding{
		c.Accept, c.Release, c.Reject, c.Renew, c.Undecided, c.Send, c.SendMore, c.NextView, c.Save, c.Pager,
	}
}

// Plan has the keys of the reset plan.
type Plan struct {
	Write, Save, Undo Binding
}

func defaultPlan() Plan {
	return Plan{
		Write: bind("W", "write…", "W"),
		Save:  bind("s", "save the plan", "s"),
		Undo:  bind("u", "plan the undo", "u"),
	}
}

// Bindings lists the keys of the scope in the order in which they are shown.
func (p Plan) Bindings() []Binding { return []Binding{p.Write, p.Save, p.Undo} }

// Deleted has the keys of the page that says what came of deleting.
type Deleted struct {
	Retry, Unset Binding
}

func defaultDeleted() Deleted {
	return Deleted{
		Retry: bind("D", "delete those that failed…", "D"),
		Unset: bind("U", "unset configs that stayed…", "U"),
	}
}

// Bindings lists the keys of the scope in the order in which they are shown.
func (d Deleted) Bindings() []Binding { return []Binding{d.Retry, d.Unset} }
