package metrics

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"sharetop/model"
)

// Names of the series. Those of kafka_share_group_* are about one group, and
// what the cluster did not tell has no series: never -1, never 0 instead.
const (
	nameLag        = "kafka_share_group_lag"
	nameStart      = "kafka_share_group_start_offset"
	nameEnd        = "kafka_share_group_end_offset"
	nameAhead      = "kafka_share_group_finished_ahead"
	nameMembers    = "kafka_share_group_members"
	nameState      = "kafka_share_group_state"
	nameVerdict    = "kafka_share_group_verdict"
	nameLagPartial = "kafka_share_group_lag_partial"
	nameUp         = "sharetop_up"
	nameProblems   = "sharetop_problems"
	nameAnswered   = "sharetop_answered_timestamp_seconds"
)

// staleAfter is how old the offsets of a group, or the last answer of a broker,
// may be beyond the interval: older ones have no series, since what is scraped
// would be taken for what is.
const staleAfter = time.Minute

// collector makes the series of the newest board.
type collector struct {
	boards Boards
	now    func() time.Time
	stale  time.Duration
}

// Boards gives the newest board; nil when there is none yet. It is called once
// a scrape, by several at a time.
type Boards func() *model.Board

func newCollector(boards Boards, now func() time.Time, interval time.Duration) *collector {
	return &collector{boards: boards, now: now, stale: staleAfter + 3*interval}
}

// families are all series of one scrape.
type families struct {
	lag, start, end, ahead        *family
	members, state, verdict, part *family
	up, problems, answered        *family
}

func newFamilies() *families {
	of := func(name, help string, labels ...string) *family {
		return &family{name: name, help: help, labels: labels}
	}
	return &families{
		lag:      of(nameLag, "Records from the start offset to the log end that are not finished (KIP-1226); 0 when the start offset is past the end.", "group", "partition", "topic"),
		start:    of(nameStart, "Persisted start offset of the share-partition.", "group", "partition", "topic"),
		end:      of(nameEnd, "End offset (high watermark) of the log.", "group", "partition", "topic"),
		ahead:    of(nameAhead, "Records finished at or above the start offset.", "group", "partition", "topic"),
		members:  of(nameMembers, "Members of the share group.", "group"),
		state:    of(nameState, "1 for the state that the share group is in, 0 for the others.", "group", "state"),
		verdict:  of(nameVerdict, "1 for the severity of what sharetop finds about the share group, 0 for the others.", "group", "severity"),
		part:     of(nameLagPartial, "1 when the lag of some partition of the share group is missing, else 0.", "group"),
		up:       of(nameUp, "1 while the cluster answers, else 0; there are no series of groups then."),
		problems: of(nameProblems, "What could not be seen of the cluster, by kind.", "kind"),
		answered: of(nameAnswered, "When a broker last answered anything, in seconds since 1970."),
	}
}

// all are the families in the order of their names.
func (f *families) all() []*family {
	return []*family{
		f.end, f.ahead, f.lag, f.part, f.members, f.start, f.state, f.verdict,
		f.answered, f.problems, f.up,
	}
}

// collect makes the series of the newest board.
func (c *collector) collect() *families {
	out := newFamilies()
	b := c.boards()
	up := c.isUp(b)
	out.up.add(one(up))
	if b == nil || b.Snapshot == nil {
		return out
	}
	if at := b.Snapshot.Answered; !at.IsZero() {
		out.answered.add(float64(at.UnixMilli()) / 1000)
	}
	out.addProblems(b.Snapshot)
	if !up {
		return out
	}
	seen := make(map[string]bool, len(b.Rows))
	for _, row := range b.Rows {
		// Two ids that differ only in bytes that are not UTF-8 would be one
		// series twice, which fails the whole scrape.
		if id := label(row.Group.ID.Raw()); !seen[id] {
			seen[id] = true
			c.collectGroup(b.Snapshot, row, id, out)
		}
	}
	return out
}

// isUp tells whether what the board shows is recent.
func (c *collector) isUp(b *model.Board) bool {
	return b != nil && b.Snapshot != nil && !b.Snapshot.Listed.IsZero() && c.now().Sub(b.Snapshot.Answered) < c.stale
}

func (f *families) addProblems(s *model.Snapshot) {
	kinds := map[string]int{}
	for _, p := range model.AllProblems(s) {
		kinds[string(p.Kind)]++
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		f.problems.add(float64(kinds[kind]), kind)
	}
}

func (c *collector) collectGroup(s *model.Snapshot, row *model.Row, id string, out *families) {
	g := row.Group
	out.members.number(row.Members, id)
	if g.State != "" {
		for _, state := range []model.GroupState{model.GroupEmpty, model.GroupStable, model.GroupDead} {
			out.state.add(one(g.State == state), id, string(state))
		}
	}
	for severity := model.SeverityUnknown; severity <= model.SeverityStuck; severity++ {
		out.verdict.add(one(row.Verdict.Severity == severity), id, severity.String())
	}
	// A round through very many groups may take longer than anything else here.
	at := s.OffsetsSeen(g)
	if at.IsZero() || c.now().Sub(at) >= c.stale+2*s.Offsets.Sweep.Took {
		return
	}
	out.part.add(one(row.LagPartial), id)
	for i := range g.Partitions {
		c.collectPartition(s, &g.Partitions[i], id, out)
	}
}

func (c *collector) collectPartition(s *model.Snapshot, p *model.SharePartition, id string, out *families) {
	labels := []string{id, strconv.Itoa(int(p.Partition)), label(p.Topic.Raw())}
	log := s.Log(p.Topic, p.Partition)
	out.lag.number(s.LagIn(p), labels...)
	out.start.number(p.Start, labels...)
	out.ahead.number(s.Ahead(p), labels...)
	if c.now().Sub(log.EndAt) < c.stale {
		out.end.number(log.End, labels...)
	}
}

// number adds a value where it is known.
func (f *family) number(n model.Number, labels ...string) {
	if v, known := n.Get(); known {
		f.add(float64(v), labels...)
	}
}

func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// label is text as Prometheus takes it: valid UTF-8; the format escapes the
// rest.
func label(raw string) string { return strings.ToValidUTF8(raw, "\uFFFD") }
