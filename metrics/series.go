package metrics

import (
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

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

// collector gives out the series of the newest board. It implements
// prometheus.Collector.
type collector struct {
	boards Boards
	now    func() time.Time
	stale  time.Duration

	lag, start, end, ahead        *prometheus.Desc
	members, state, verdict, part *prometheus.Desc
	up, problems, answered        *prometheus.Desc
	everything                    []*prometheus.Desc
}

// Boards gives the newest board; nil when there is none yet. It is called once
// a scrape, by several at a time.
type Boards func() *model.Board

func newCollector(boards Boards, now func() time.Time, interval time.Duration) *collector {
	partition := []string{"group", "topic", "partition"}
	group := func(more ...string) []string { return append([]string{"group"}, more...) }
	c := &collector{boards: boards, now: now, stale: staleAfter + 3*interval}
	desc := func(name, help string, labels []string) *prometheus.Desc {
		d := prometheus.NewDesc(name, help, labels, nil)
		c.everything = append(c.everything, d)
		return d
	}
	c.lag = desc(nameLag, "Records from the start offset to the log end that are not finished (KIP-1226); 0 when the start offset is past the end.", partition)
	c.start = desc(nameStart, "Persisted start offset of the share-partition.", partition)
	c.end = desc(nameEnd, "End offset (high watermark) of the log.", partition)
	c.ahead = desc(nameAhead, "Records finished at or above the start offset.", partition)
	c.members = desc(nameMembers, "Members of the share group.", group())
	c.state = desc(nameState, "1 for the state that the share group is in, 0 for the others.", group("state"))
	c.verdict = desc(nameVerdict, "1 for the severity of what sharetop finds about the share group, 0 for the others.", group("severity"))
	c.part = desc(nameLagPartial, "1 when the lag of some partition of the share group is missing, else 0.", group())
	c.up = desc(nameUp, "1 while the cluster answers, else 0; there are no series of groups then.", nil)
	c.problems = desc(nameProblems, "What could not be seen of the cluster, by kind.", []string{"kind"})
	c.answered = desc(nameAnswered, "When a broker last answered anything, in seconds since 1970.", nil)
	return c
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range c.everything {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(out chan<- prometheus.Metric) {
	b := c.boards()
	up := c.isUp(b)
	out <- gauge(c.up, one(up))
	if b == nil || b.Snapshot == nil {
		return
	}
	if at := b.Snapshot.Answered; !at.IsZero() {
		out <- gauge(c.answered, float64(at.UnixMilli())/1000)
	}
	c.collectProblems(b.Snapshot, out)
	if !up {
		return
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
}

// isUp tells whether what the board shows is recent.
func (c *collector) isUp(b *model.Board) bool {
	return b != nil && b.Snapshot != nil && !b.Snapshot.Listed.IsZero() && c.now().Sub(b.Snapshot.Answered) < c.stale
}

func (c *collector) collectProblems(s *model.Snapshot, out chan<- prometheus.Metric) {
	kinds := map[string]int{}
	for _, p := range model.AllProblems(s) {
		kinds[string(p.Kind)]++
	}
	for kind, n := range kinds {
		out <- gauge(c.problems, float64(n), kind)
	}
}

func (c *collector) collectGroup(s *model.Snapshot, row *model.Row, id string, out chan<- prometheus.Metric) {
	g := row.Group
	number(out, c.members, row.Members, id)
	if g.State != "" {
		for _, state := range []model.GroupState{model.GroupEmpty, model.GroupStable, model.GroupDead} {
			out <- gauge(c.state, one(g.State == state), id, string(state))
		}
	}
	for severity := model.SeverityUnknown; severity <= model.SeverityStuck; severity++ {
		out <- gauge(c.verdict, one(row.Verdict.Severity == severity), id, severity.String())
	}
	// A round through very many groups may take longer than anything else here.
	at := s.OffsetsSeen(g)
	if at.IsZero() || c.now().Sub(at) >= c.stale+2*s.Offsets.Sweep.Took {
		return
	}
	out <- gauge(c.part, one(row.LagPartial), id)
	for i := range g.Partitions {
		c.collectPartition(s, &g.Partitions[i], id, out)
	}
}

func (c *collector) collectPartition(s *model.Snapshot, p *model.SharePartition, id string, out chan<- prometheus.Metric) {
	labels := []string{id, label(p.Topic.Raw()), strconv.Itoa(int(p.Partition))}
	log := s.Log(p.Topic, p.Partition)
	if p.Problem == nil { // else they are old
		number(out, c.lag, s.LagIn(p), labels...)
		number(out, c.start, p.Start, labels...)
		number(out, c.ahead, s.Ahead(p), labels...)
	}
	if c.now().Sub(log.EndAt) < c.stale {
		number(out, c.end, log.End, labels...)
	}
}

// number gives out a value where it is known.
func number(out chan<- prometheus.Metric, d *prometheus.Desc, n model.Number, labels ...string) {
	if v, known := n.Get(); known {
		out <- gauge(d, float64(v), labels...)
	}
}

func gauge(d *prometheus.Desc, v float64, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
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
