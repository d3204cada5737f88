package model

import "path"

// Rules are a person's own thresholds and what they do not want to hear of.
// The zero Rules are the defaults.
type Rules struct {
	// Mute lists findings that do not count, for groups that match.
	Mute []Mute
	// MinLag is the lag below which nobody-reading and falling-behind are fine.
	MinLag int64
	// StateBudget bounds what reading the state topic may take, where flags do
	// not say something else.
	StateBudget StateBudget
}

// Mute silences one finding, or all, of the groups whose id matches.
type Mute struct {
	// Group is a pattern as path.Match has it; empty or "*" means every group.
	Group string
	// Finding is silenced; empty means all of them.
	Finding Finding
}

// matches tells whether the mute is about that group. A pattern that path.Match
// does not accept matches nothing: hearing too much is the safe side.
func (m Mute) matches(id GroupID) bool {
	if m.Group == "" || m.Group == "*" {
		return true
	}
	ok, err := path.Match(m.Group, id.Raw())
	return ok && err == nil
}

// Muted returns the findings that do not count for one group.
func (r Rules) Muted(id GroupID) Muted {
	var muted Muted
	for _, m := range r.Mute {
		switch {
		case !m.matches(id):
		case m.Finding == "":
			return ^Muted(0)
		default:
			muted |= 1 << m.Finding.rank()
		}
	}
	return muted
}

// Muted is a set of findings. Only findings that ask for attention (warn and
// stuck) can be silenced: something always remains to be said of a group.
type Muted uint32

func (m Muted) has(f Finding) bool { return m&(1<<f.rank()) != 0 }
