package kafka

import (
	"sync"
	"time"

	"sharetop/model"
)

// sweeper keeps the books of the rounds through all groups. The first round is
// as fast as two requests in flight go; later ones are paced.
type sweeper struct {
	now func() time.Time

	mu      sync.Mutex
	round   int
	started time.Time
	took    time.Duration
	total   int
	// groups are those of this round, and whether they are still to be answered in
	// it; left counts the latter.
	groups map[string]bool
	left   int
	// firstOver is true once the first round is over.
	firstOver bool
	// firstDone is true once what goes with it was seen too.
	firstDone bool
}

func newSweeper(now func() time.Time) *sweeper {
	return &sweeper{now: now, groups: make(map[string]bool)}
}

// extend adds groups of a coordinator to the round and returns those that were
// not in it. A round that is over is followed by the next, if its start is at
// least gap ago.
func (w *sweeper) extend(groups []string, gap time.Duration) (fresh []string, fast bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.now()
	switch {
	case w.round == 0, w.firstOver && w.left == 0 && now.Sub(w.started) >= gap:
		w.round++
		w.started, w.total = now, 0
		clear(w.groups)
	}
	for _, id := range groups {
		if _, ok := w.groups[id]; !ok {
			w.groups[id] = true
			w.left++
			w.total++
			if fresh == nil {
				fresh = make([]string, 0, len(groups))
			}
			fresh = append(fresh, id)
		}
	}
	return fresh, !w.firstOver
}

// done notes that groups were answered, or can't be.
func (w *sweeper) done(groups ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.left
	for _, id := range groups {
		if w.groups[id] {
			w.groups[id] = false
			w.left--
		}
	}
	if before > 0 && w.left == 0 {
		w.took = w.now().Sub(w.started)
	}
}

// retain drops groups that are gone from the round.
func (w *sweeper) retain(exists func(id string) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.left == 0 {
		return
	}
	for id, pending := range w.groups {
		if pending && !exists(id) {
			delete(w.groups, id)
			w.left--
			w.total--
		}
	}
}

// unanswered are the groups of this round that were not answered yet.
func (w *sweeper) unanswered() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	ids := make([]string, 0, w.left)
	for id, pending := range w.groups {
		if pending {
			ids = append(ids, id)
		}
	}
	return ids
}

func (w *sweeper) isPending(id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.groups[id]
}

// endFirst notes that the first round is over, if it is. It returns true once.
func (w *sweeper) endFirst(allListed bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.firstOver || w.round == 0 || !allListed || w.left > 0 {
		return false
	}
	w.firstOver = true
	w.took = w.now().Sub(w.started)
	return true
}

func (w *sweeper) isFirstOver() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.firstOver
}

// closing tells whether the first round is over, and what goes with it is not.
func (w *sweeper) closing() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.firstOver && !w.firstDone
}

func (w *sweeper) setFirstDone() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.firstDone = true
}

func (w *sweeper) progress() model.Sweep {
	w.mu.Lock()
	defer w.mu.Unlock()
	return model.Sweep{
		Round: w.round, Done: w.total - w.left, Total: w.total,
		FirstDone: w.firstDone, Took: w.took,
	}
}
