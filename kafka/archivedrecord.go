package kafka

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"

	"sharetop/model"
)

// This file looks whether there is a record where offsets were archived: the state
// topic does not tell, and brokers archive transaction markers and gaps too.

// Bounds of one look at a share-partition.
const (
	// archivedRuns is how many runs of offsets are looked at, the newest ones.
	archivedRuns = 64
	// archivedSteps is how many fetches that may take, of headBytes each, and
	// archivedRecords how many records are told apart in one of them.
	archivedSteps   = 4
	archivedRecords = 256
	// archivedParts is in how many parts a run is told at most; the rest of it is
	// unknown then.
	archivedParts = 64
)

// archivedRun is a run of offsets to look at.
type archivedRun struct {
	offsetRange
	// event is the number of the event that told of it; standing is true where
	// none did.
	event    uint64
	standing bool
}

// archivedQuestion asks what is in a log where one group archived offsets.
type archivedQuestion struct {
	headKey // its offset is not used
	group   string
	name    string
	leader  int32
	// since is the one of the view that numbers the events.
	since time.Time
	runs  []archivedRun
}

// archivedAnswer is what was found in one run.
type archivedAnswer struct {
	archivedRun
	looks []model.ArchivedLook
}

// archivedScan is how far a look has come.
type archivedScan struct {
	// at is the offset below which all is known, gone that below which the log
	// has nothing any more.
	at, gone int64
	// records are the offsets where a record is, of those that were asked for.
	records []int64
}

// runArchived looks at what groups have archived lately, those on screen first.
func (c *Client) runArchived(ctx context.Context) error {
	scope := c.demand.scope()
	due := c.state.archivedDue(scope)
	for range archivedRounds(scope) {
		if len(due) == 0 || ctx.Err() != nil {
			break
		}
		askLeaders(c, due, func(q archivedQuestion) int32 { return q.leader }, func(l *link, q archivedQuestion) error {
			return c.lookAtArchived(ctx, l, q)
		})
		due = c.state.archivedDue(scope) // shows what was found
	}
	return nil
}

// onceRounds is how many ticks' looks a single look at the cluster is worth.
const onceRounds = 16

func archivedRounds(scope model.Scope) int {
	if scope.Once {
		return onceRounds
	}
	return 1
}

// lookAtArchived answers one question and keeps the answers. The error is of the
// connection.
func (c *Client) lookAtArchived(ctx context.Context, l *link, q archivedQuestion) error {
	answers, err := q.look(ctx, l)
	c.state.keepArchived(&q, answers)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, kerr.TopicAuthorizationFailed):
		c.state.denyArchived(q.topic, q.name)
		return nil
	}
	c.opts.Logf("looking at what %s archived of %s-%d: %v", safeText(q.group), safeText(q.name), q.partition, err)
	return err
}

// look fetches where the runs are, in the order of their offsets, and answers as
// many as that tells of; also after an error.
func (q *archivedQuestion) look(ctx context.Context, l *link) ([]archivedAnswer, error) {
	wanted := q.ranges()
	scan := archivedScan{at: wanted[0].first}
	for range archivedSteps {
		rest := wanted
		for len(rest) > 0 && rest[0].last < scan.at {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			break
		}
		before := max(scan.at, rest[0].first)
		scan.at = before
		if err := q.step(ctx, l, &scan, wanted); err != nil {
			return q.answers(&scan), err
		}
		if scan.at <= before {
			break
		}
	}
	return q.answers(&scan), nil
}

// ranges are the offsets of all runs, in order and apart from each other.
func (q *archivedQuestion) ranges() []offsetRange {
	slices.SortFunc(q.runs, func(a, b archivedRun) int { return cmp.Compare(a.first, b.first) })
	var out []offsetRange
	for _, r := range q.runs {
		if n := len(out); n > 0 && r.first <= out[n-1].last+1 {
			out[n-1].last = max(out[n-1].last, r.last)
		} else {
			out = append(out, r.offsetRange)
		}
	}
	return out
}

// step takes in what one Fetch brings.
func (q *archivedQuestion) step(ctx context.Context, l *link, scan *archivedScan, wanted []offsetRange) error {
	found := batchScan{
		partition: q.partition, at: scan.at, below: wanted[len(wanted)-1].last + 1,
		max: archivedRecords, room: headBytes, committed: q.committed, wanted: wanted,
	}
	deleted, err := fetchInto(ctx, l, headQuestion{headKey: q.headKey, name: q.name, from: scan.at}, &found)
	if err != nil {
		return err
	}
	scan.gone = max(scan.gone, deleted)
	for _, r := range found.records {
		scan.records = append(scan.records, r.Offset)
	}
	scan.at = found.at
	return nil
}

// answers are the runs that the scan has come to. Of one that it has not come
// through the rest can't be told: it is longer than a look, or for another one.
func (q *archivedQuestion) answers(scan *archivedScan) []archivedAnswer {
	var out []archivedAnswer
	for _, r := range q.runs {
		if r.first < scan.at {
			out = append(out, archivedAnswer{r, scan.tell(q.headKey, r.offsetRange)})
		}
	}
	return out
}

// tell cuts a run into parts in which the same was found.
func (s *archivedScan) tell(place headKey, r offsetRange) []model.ArchivedLook {
	var looks []model.ArchivedLook
	add := func(last int64, found model.ArchivedFound) {
		switch n := len(looks); {
		case last < r.first:
			return
		case n > 0 && looks[n-1].Found == found:
			looks[n-1].Last = last
		default:
			looks = append(looks, model.ArchivedLook{
				TopicID: place.topic, Partition: place.partition, First: r.first, Last: last, Found: found,
			})
		}
		r.first = last + 1
	}
	known := min(r.last, s.at-1)
	add(min(known, s.gone-1), model.FoundUnknown)
	i, _ := slices.BinarySearch(s.records, r.first)
	for ; i < len(s.records) && s.records[i] <= known && len(looks) < archivedParts-2; i++ {
		add(s.records[i]-1, model.FoundNoRecord)
		add(s.records[i], model.FoundRecord)
	}
	if len(looks) < archivedParts-2 {
		add(known, model.FoundNoRecord)
	}
	add(r.last, model.FoundUnknown)
	return looks
}

// archivedProblem says that what was archived may not be looked at.
func archivedProblem(topic string) model.Problem {
	return model.Problem{
		Kind: model.ProblemDenied, Target: target("topic", topic),
		Detail: "Whether records are among what was archived of " + safeText(topic) + " is not shown: READ on the topic is missing.",
		Advice: aclCommand("READ", "topic", safeText(topic)),
	}
}
