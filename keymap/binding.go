package keymap

import (
	"fmt"
	"slices"

	"charm.land/bubbles/v2/key"
)

// Binding is one meaning and the keys that have it. The embedded binding's
// help is what a person reads; its keys are what Bubble Tea calls them.
type Binding struct {
	key.Binding
	// Reason says why the keys can't work now, as a clause without a full stop;
	// empty when they can.
	Reason string
}

// Off is the same binding, not working now for the given reason. It stays
// visible, dim.
func (b Binding) Off(reason string) Binding {
	b.Reason = reason
	b.SetEnabled(false)
	return b
}

// IsOff tells whether the binding can't work now.
func (b Binding) IsOff() bool { return b.Reason != "" }

// Pressed tells whether k is one of the binding's keys, whether it works now
// or not: a key that is off answers with its reason.
func (b Binding) Pressed(k fmt.Stringer) bool {
	return slices.Contains(b.Keys(), k.String())
}

// bind makes a binding. Shown is the key as a person writes it, desc what it
// does, and keys are Bubble Tea's names ("space", never " ").
func bind(shown, desc string, keys ...string) Binding {
	return Binding{Binding: key.NewBinding(key.WithKeys(keys...), key.WithHelp(shown, desc))}
}
