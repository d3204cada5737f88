package model

import (
	"slices"
	"strings"
)

// openHistory has the rings that are kept for the share-partitions of the one
// opened group. It begins when the group is opened and is dropped when another
// one is: at most one group's partitions cost a ring each, 1.3 KB at most.
type openHistory struct {
	id        GroupID
	places    []SharePartition // what parts are of
	parts     []openPartition
	sampledAt int64
	activity  activityRing
	// last is what was built last, from: the same again gives the same pointer.
	last *OpenGroup
	from openState
}

// openState is all that an OpenGroup depends on.
type openState struct {
	row    *Row
	topics uint32
	second int64
}

// openPartition is the history of one share-partition of the opened group.
type openPartition struct {
	lag      lagRing
	rates    rateRing
	previous delta // the counters' absolute values at the last sample
	brokenAt int64
}

// openGroup builds the detail of the opened group, or nil when none is.
func (t *Tracker) openGroup(id GroupID, clock rowClock) *OpenGroup {
	if id.Empty() {
		t.open = openHistory{}
		return nil
	}
	if t.open.id != id {
		t.open = openHistory{id: id}
	}
	h := t.history(id)
	if h == nil || h.row == nil {
		return &OpenGroup{ID: id}
	}
	t.open.observe(h)
	from := openState{h.row, h.topicsSeen(), nanos(clock.now) / secondsFor}
	if t.open.last == nil || t.open.from != from {
		t.open.from, t.open.last = from, &OpenGroup{
			ID: id, Row: h.row, LagSeries: h.series(clock), Partitions: t.open.rows(h, clock),
			Activity: t.open.activity.at(h.tally, clock.now),
		}
	}
	return t.open.last
}

// history finds a group's history by its id.
func (t *Tracker) history(id GroupID) *groupHistory {
	at, found := slices.BinarySearchFunc(t.groups, id.raw, func(h *groupHistory, raw string) int {
		return strings.Compare(h.group.ID.raw, raw)
	})
	if !found {
		return nil
	}
	return t.groups[at]
}

// series is the group's lag at every HistoryStep up to now.
func (h *groupHistory) series(clock rowClock) []Number {
	series := make([]Number, ringSlots)
	now := nanos(clock.now) / secondsFor
	for i := range series {
		second := now - int64(ringSlots-1-i)
		series[i], _ = h.lag.latest(second-clock.hold, second)
	}
	return series
}

// observe adds the newest sample of the opened group.
func (o *openHistory) observe(h *groupHistory) {
	if !slices.EqualFunc(o.places, h.group.Partitions, samePlace) {
		o.places, o.parts = h.group.Partitions, make([]openPartition, len(h.group.Partitions))
		o.sampledAt = 0
	}
	if h.sampledAt <= o.sampledAt {
		return
	}
	// Nobody was there since the sample before.
	idle := h.empty.since != 0 && h.empty.since <= o.sampledAt
	for i := range o.parts {
		o.parts[i].sample(&h.parts[i], &h.group.Partitions[i], h.sampledAt, h.brokenAt, idle)
	}
	o.sampledAt = h.sampledAt
}

// sample takes one partition's running state over into its rings. While a group
// is idle nothing is finished, whatever the skew of two samples says.
func (o *openPartition) sample(p *partitionHistory, sp *SharePartition, at, brokenAt int64, idle bool) {
	if brokenAt != o.brokenAt {
		o.rates, o.brokenAt, o.previous = rateRing{}, brokenAt, delta{}
	}
	if sp.Problem != nil { // an error is no sample
		o.rates.add(at, delta{})
		o.lag.put(at/secondsFor, Number{})
		return
	}
	now := delta{
		in: p.end, done: p.end - p.lag, net: -p.lag, hasIn: p.has(hasEnd), hasDone: p.has(hasLag),
	}
	grown := now.since(o.previous)
	if idle {
		grown.done = 0
	}
	o.rates.add(at, grown)
	o.previous = now
	o.lag.put(at/secondsFor, sp.Lag)
}

// since is the growth from an earlier to a later state of the counters.
func (d delta) since(earlier delta) delta {
	grown := delta{hasIn: d.hasIn && earlier.hasIn, hasDone: d.hasDone && earlier.hasDone}
	if grown.hasIn {
		grown.in = d.in - earlier.in
	}
	if grown.hasDone {
		grown.done, grown.net = d.done-earlier.done, d.net-earlier.net
	}
	return grown
}

// rows makes one row per share-partition of the opened group.
func (o *openHistory) rows(h *groupHistory, clock rowClock) []PartitionRow {
	facts := h.facts(nil)
	in := h.diagnoseInput(facts, clock, h.row, h.slope())
	rows := make([]PartitionRow, len(o.parts))
	for i := range rows {
		rows[i] = o.parts[i].row(in, i, h.sampledAt)
	}
	return rows
}

func (o *openPartition) row(in DiagnoseInput, i int, sampledAt int64) PartitionRow {
	p, log := &in.Group.Partitions[i], in.Partitions[i].Log
	verdict := DiagnosePartition(in, i)
	_, done, _ := o.rates.rates()
	lag := lagIn(p, log)
	return PartitionRow{
		SharePartition: *p, Log: log, Head: p.State.Head(), HeadTime: headTime(p),
		Ahead: aheadOf(p, log), Window: windowOf(p, log), Done: done,
		Drain:   drainOf(verdict.Severity, lag, false, slopeOf(&o.lag, o.brokenAt, sampledAt/secondsFor)),
		Verdict: verdict,
	}
}
