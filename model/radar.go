package model

import (
	"cmp"
	"slices"
)

// RadarRow is a run of records of one share-partition that were given back at
// least once and are not finished: on their second or a later delivery, or
// free for it. Counts are kept by batch, so the neighbours that came in one
// batch with a record that can't be processed have its count.
type RadarRow struct {
	Group GroupID
	Place
	// StateBatch is the run; Count is how many deliveries are over.
	StateBatch
	// Limit is how often a record of the group is delivered at most.
	Limit DeliveryLimit
	// Head is true when the run begins at the head: it keeps the start offset
	// from moving.
	Head bool
}

// Place is a topic-partition. Topic is empty where its name is not known.
type Place struct {
	Topic     TopicName
	TopicID   TopicID
	Partition int32
}

// Left is how many deliveries are left; the one that may be running is counted.
func (r *RadarRow) Left() int64 { return max(0, r.Limit.Count-int64(r.Count)) }

// NextIsLast tells whether the delivery that comes next, or runs, is the last
// one: released after that, the records are archived.
func (r *RadarRow) NextIsLast() bool { return r.Left() <= 1 }

// Halving tells whether the broker hands the records out in ever smaller
// batches, to find the one that can't be processed, and from which delivery on
// it does.
func (r *RadarRow) Halving() (from int64, halves bool) {
	from = r.Limit.HalvesFrom()
	return from, int64(r.Count) >= from-1 && r.Left() > 0
}

// DeliveryLimit is share.delivery.count.limit of a group.
type DeliveryLimit struct {
	Count int64
	// Assumed is true where the config is not known and Kafka's default stands.
	Assumed bool
}

// defaultDeliveryLimit is Kafka's default of share.delivery.count.limit.
const defaultDeliveryLimit = 5

// DeliveryLimit is how often a record is delivered at most.
func (g *Group) DeliveryLimit() DeliveryLimit {
	n, known := g.Effective().DeliveryLimit.Get()
	if !known {
		return DeliveryLimit{defaultDeliveryLimit, true}
	}
	return DeliveryLimit{n, false}
}

// HalvesFrom is the delivery from which on the broker halves batches (4.2):
// records of which half the limit, rounded up, and at least 2 deliveries are
// over.
func (l DeliveryLimit) HalvesFrom() int64 { return max(2, (l.Count+1)/2) + 1 }

// MaxRadarRows bounds a Radar: the worst that many runs are kept.
const MaxRadarRows = 10_000

// Radar lists the records of all groups that are on their second or a later
// delivery. It is immutable.
type Radar struct {
	// Rows are the worst runs first, MaxRadarRows at most.
	Rows []*RadarRow
	// Runs and Records count all of them, also those that are not listed.
	Runs, Records int64
	// Groups is how many groups have any, Live how many told their state.
	Groups, Live int
	// groups are what was found in each group, in the order of the snapshot's.
	groups []radarGroup
}

// radarGroup is what one group adds to a radar. A group that did not change is
// not looked at again.
type radarGroup struct {
	group   *Group
	rows    []*RadarRow
	runs    int64
	records int64
	live    bool
}

// RadarOf finds the records that are on their second or a later delivery. What
// was found before saves looking again at groups that did not change; it may be
// nil.
func RadarOf(s *Snapshot, before *Radar) *Radar {
	if s == nil {
		return &Radar{}
	}
	r := &Radar{groups: make([]radarGroup, len(s.Groups))}
	var known []radarGroup
	if before != nil {
		known = before.groups
	}
	same := len(known) == len(s.Groups)
	for i, g := range s.Groups {
		for len(known) > 0 && known[0].group.ID.raw < g.ID.raw {
			known = known[1:]
		}
		if len(known) > 0 && known[0].group == g {
			r.groups[i] = known[0]
			continue
		}
		r.groups[i], same = lookForReleased(g), false
	}
	if same && before != nil {
		return before
	}
	r.sum()
	return r
}

// sum puts the groups together and keeps the worst runs.
func (r *Radar) sum() {
	var worst []*RadarRow
	for i := range r.groups {
		g := &r.groups[i]
		r.Runs += g.runs
		r.Records = addClamped(r.Records, g.records)
		if g.runs > 0 {
			r.Groups++
		}
		if g.live {
			r.Live++
		}
		worst = append(worst, g.rows...)
		if len(worst) > 2*MaxRadarRows {
			worst = keepWorst(worst)
		}
	}
	r.Rows = keepWorst(worst)
}

// keepWorst sorts rows and leaves the worst MaxRadarRows of them.
func keepWorst(rows []*RadarRow) []*RadarRow {
	slices.SortFunc(rows, compareRadar)
	return rows[:min(len(rows), MaxRadarRows)]
}

// lookForReleased looks at all share-partitions of one group.
func lookForReleased(g *Group) radarGroup {
	found := radarGroup{group: g}
	limit := g.DeliveryLimit()
	for i := range g.Partitions {
		p := &g.Partitions[i]
		found.live = found.live || p.State != nil
		head := p.State.Head()
		for b := range p.State.Released() {
			if b.Count < 1 {
				continue
			}
			found.runs++
			found.records = addClamped(found.records, b.Len())
			found.rows = append(found.rows, &RadarRow{
				Group: g.ID, Place: Place{p.Topic, p.TopicID, p.Partition},
				StateBatch: b, Limit: limit, Head: head == Known(b.First),
			})
		}
		if len(found.rows) > MaxRadarRows {
			found.rows = keepWorst(found.rows)
		}
	}
	return found
}

// compareRadar puts first what is closest to being given up: the fewest
// deliveries left, the most over, a head before others, then the longest run.
func compareRadar(a, b *RadarRow) int {
	if c := cmp.Or(cmp.Compare(a.Left(), b.Left()), cmp.Compare(b.Count, a.Count)); c != 0 {
		return c
	}
	if c := cmp.Or(cmpBool(b.Head, a.Head), cmp.Compare(b.Len(), a.Len())); c != 0 {
		return c
	}
	if c := cmp.Compare(a.Group.raw, b.Group.raw); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(a.Topic.raw, b.Topic.raw), cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.First, b.First))
}

func cmpBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
