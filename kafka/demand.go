package kafka

import (
	"slices"
	"sync"
	"time"

	"sharetop/model"
)

// restAfter is how long the cluster is still asked after the last Watch ended:
// longer than a screen takes between two calls, and short enough that a paused
// or hidden screen stops asking at once.
const restAfter = time.Second

// demand knows who watches, and what they need.
type demand struct {
	now func() time.Time

	mu       sync.Mutex
	watching int
	left     time.Time
	wanted   model.Scope
}

func newDemand(now func() time.Time) *demand { return &demand{now: now} }

// enter begins a wait. It returns the scope before, and whether nobody had
// watched.
func (d *demand) enter(scope model.Scope) (before model.Scope, woke bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	before, woke = d.wanted, d.watching == 0
	d.wanted = scope
	d.watching++
	return before, woke
}

func (d *demand) leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.watching--
	d.left = d.now()
}

// active tells whether somebody watches, or did a moment ago.
func (d *demand) active(now time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.watching > 0 || (!d.left.IsZero() && now.Sub(d.left) < restAfter)
}

func (d *demand) scope() model.Scope {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.wanted
}

// interval is the time between two ticks, within its bounds.
func interval(s model.Scope) time.Duration {
	if s.Interval <= 0 {
		return model.DefaultInterval
	}
	return min(max(s.Interval, model.MinInterval), model.MaxInterval)
}

// maxVisible bounds how many groups on screen are refreshed at every tick: more
// than any terminal has rows.
const maxVisible = 500

// wanted are the groups to refresh at every tick, the opened one first.
func wanted(s model.Scope) []string {
	visible, marked := s.Visible, s.Marked
	visible = visible[:min(len(visible), maxVisible)]
	marked = marked[:min(len(marked), model.MaxMarked)]
	ids := make([]string, 0, 1+len(visible)+len(marked))
	seen := make(map[string]struct{}, cap(ids))
	add := func(id string) {
		if _, there := seen[id]; !there && id != "" {
			seen[id] = struct{}{}
			ids = append(ids, id)
		}
	}
	add(s.Open.Raw())
	for _, g := range visible {
		add(g.Raw())
	}
	for _, g := range marked {
		add(g.Raw())
	}
	return ids
}

// Target is a group and the broker to ask for it.
type Target struct {
	Group       string
	Coordinator int32
}

// byCoordinator sorts targets into one list for each coordinator, in order.
func byCoordinator(targets []Target) map[int32][]string {
	by := make(map[int32][]string, 4)
	for _, t := range targets {
		by[t.Coordinator] = append(by[t.Coordinator], t.Group)
	}
	return by
}

// only lets through the groups that the scope is about: all of them, unless it
// is limited to those it names.
func only(s model.Scope) func(id string) bool {
	if !s.Only {
		return func(string) bool { return true }
	}
	named := wanted(s)
	return func(id string) bool { return slices.Contains(named, id) }
}
