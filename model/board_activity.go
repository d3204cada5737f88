package model

import "time"

// Activity is what happened to the records of the opened group, counted per
// ActivityStep, oldest first, the last being the step that runs now. Steps from
// before the group was opened are unknown.
type Activity struct {
	Accepted, Released, Archived []Number
}

// Bounds of an Activity: as long as the history, a point every 4 s.
const (
	ActivityStep   = 4 * time.Second
	ActivityPoints = int(HistoryLength / ActivityStep)
)

// activityRing keeps a group's running sums at the end of each step. The zero
// ring is empty.
type activityRing struct {
	// sums are by step, modulo their number; one more than there are points,
	// since a point is the difference of two.
	sums [ActivityPoints + 1]Tally
	last int64 // the newest step
	used int   // how many steps up to last are held
}

// at takes the newest sums and returns the points up to now. Silence is that
// nothing happened; without any tally the ring begins anew.
func (a *activityRing) at(tally *tallyRing, now time.Time) *Activity {
	if tally == nil {
		*a = activityRing{}
		return nil
	}
	a.put(nanos(now)/int64(ActivityStep), tally.sum())
	points := &Activity{
		Accepted: make([]Number, ActivityPoints),
		Released: make([]Number, ActivityPoints),
		Archived: make([]Number, ActivityPoints),
	}
	for i := range min(a.used-1, ActivityPoints) {
		step := a.last - int64(i)
		is, was := a.sums[a.index(step)], a.sums[a.index(step-1)]
		at := ActivityPoints - 1 - i
		points.Accepted[at] = Known(is.Accepted - was.Accepted)
		points.Released[at] = Known(is.Released - was.Released)
		points.Archived[at] = Known(is.Archived - was.Archived)
	}
	return points
}

// put makes sum what the running step ends with. Steps in between ended with
// what the one before them did. A clock that was set back changes nothing.
func (a *activityRing) put(step int64, sum Tally) {
	if a.used == 0 || step-a.last > int64(len(a.sums)) {
		// What came before the first look is not known: it counts as nothing.
		*a = activityRing{last: step - 1, used: 1}
		a.sums[a.index(step-1)] = sum
	}
	for s := a.last + 1; s <= step; s++ {
		a.sums[a.index(s)] = a.sums[a.index(s-1)]
		a.used = min(a.used+1, len(a.sums))
		a.last = s
	}
	if step == a.last {
		a.sums[a.index(step)] = sum
	}
}

func (a *activityRing) index(step int64) int {
	n := int64(len(a.sums))
	return int(((step % n) + n) % n)
}
