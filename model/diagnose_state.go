package model

import (
	"fmt"
	"time"
)

// This file has the rules that need more than start offsets and lag: the state
// topic, one Fetch at the head, the topic's retention, or its last stable offset.

// isHeldBack: a read_committed group waits for an open transaction to end.
func isHeldBack(c *partitionCase) bool {
	return c.waits() && c.heldBack() && !c.f.FinishedAt.IsZero() &&
		c.sampled().Sub(c.f.FinishedAt) > c.limit.lock
}

// heldBack tells whether all that waits lies at or above the last stable
// offset: the brokers deliver nothing of it to a read_committed group until the
// transaction that is open there ends.
func (c *partitionCase) heldBack() bool {
	stable, ok := c.openFrom()
	if !ok {
		return false
	}
	if at, known := c.culprit().Get(); known {
		// Where no record is left below it, there are only aborted ones and markers.
		return at >= stable || c.noRecordBelow(stable)
	}
	// All below it is finished exactly when as many are finished as lie there.
	start, ok1 := c.p.Start.Get()
	ahead, ok2 := aheadOf(c.p, c.f.Log).Get()
	return ok1 && ok2 && ahead >= stable-start
}

// noRecordBelow tells whether a Fetch found nothing that a group could get below
// an offset.
func (c *partitionCase) noRecordBelow(offset int64) bool {
	h := c.atHead()
	return h != nil && h.NoneUpTo.Or(0) >= offset
}

// openFrom is where a transaction is open that a read_committed group waits for.
func (c *partitionCase) openFrom() (stable int64, ok bool) {
	stable, ok = openTransaction(c.f.Log)
	return stable, ok && c.in.Group.Effective().IsolationLevel == readCommitted
}

const readCommitted = "read_committed"

// openTransaction is the last stable offset of a log where it lies below the
// end.
func openTransaction(log PartitionLog) (stable int64, ok bool) {
	stable, known := log.Stable.Get()
	end, told := log.End.Get()
	return stable, known && told && stable < end
}

func textHeldBack(c *partitionCase, _ hit) string {
	return "held back by an open transaction: " + c.place() + " from " + FormatNumber(c.f.Log.Stable) + " on"
}

func tellHeldBack(c *partitionCase, v *Verdict, _ hit) {
	v.Since, v.AtLeast, v.Offset = c.f.FinishedAt, c.f.FinishedAtLeast, c.f.Log.Stable
	v.tell(c.waiting(), fmt.Sprintf(
		"share.isolation.level is %s, and in the log of %s a transaction has been open from offset %s on (its last stable offset); its end is %s. Nothing from there on is delivered before that transaction ends.",
		readCommitted, c.place(), FormatNumber(c.f.Log.Stable), FormatNumber(c.f.Log.End)))
	v.Next = append(v.Next, "kafka-transactions.sh find-hanging tells which producer has it open",
		"3 share.isolation.level, if records of open transactions are wanted")
}

// retentionShare: of a topic's retention, a tenth is left when it is near.
const retentionShare = 10

// isExpiring: retention is about to delete the record at the head unfinished, as
// far as the head is known to be there still.
func isExpiring(c *partitionCase) bool {
	at := c.deletedAt()
	return c.known && c.lag > 0 && !at.IsZero() && !c.sampled().Before(c.expiresFrom(at))
}

// expiresFrom is from when on a deletion at that time is near.
func (c *partitionCase) expiresFrom(at time.Time) time.Time {
	ms, _ := c.f.Retention.Get()
	return at.Add(-time.Duration(ms/retentionShare) * time.Millisecond)
}

func textExpiring(c *partitionCase, _ hit) string {
	record := c.place() + "@" + FormatNumber(c.culprit())
	if left := c.deletedAt().Sub(c.in.Now); left > 0 {
		return "retention deletes " + record + " in " + FormatDuration(left.Truncate(textStep(left)))
	}
	return "retention may delete " + record + " any moment"
}

func tellExpiring(c *partitionCase, v *Verdict, _ hit) {
	v.Offset = c.culprit()
	v.tell(c.waiting(), fmt.Sprintf(
		"The record at the head is from %s, retention.ms of %s is %s. It is deleted with its segment from %s on, finished or not, and those after it follow.",
		moment(c.headTime(), c.in.Now), c.p.Topic, FormatDuration(time.Duration(c.f.Retention.Or(0))*time.Millisecond),
		moment(c.deletedAt(), c.in.Now)))
	v.Next = append(v.Next, "raise retention.ms of the topic, to win time", "v look at the record in the way", c.assigned())
}

// A loop is told by how many deliveries end for each record that is done, and
// only when enough of them do.
const (
	loopFactor = 3
	loopRate   = 1 // records given back a second
)

// isLoop: deliveries end far above the records finished.
func isLoop(in *DiagnoseInput) bool {
	s := in.State
	return hasMembers(in.Group) && s.Released.PerSecond >= loopRate &&
		s.Deliveries.PerSecond >= loopFactor*(s.Accepted.PerSecond+s.Archived.PerSecond)
}

func tellLoop(in *DiagnoseInput, v *Verdict) {
	s := in.State
	v.Text = fmt.Sprintf("redelivery loop: %s/s delivered, %s/s finished", FormatRate(s.Deliveries), FormatRate(s.Accepted))
	v.tell(
		FormatRate(s.Released)+" deliveries a second end with the record given back: released by a member, its lock expired, or the member left.",
		fmt.Sprintf("%s on their second or a later delivery now; each is delivered %s times at most and then archived.",
			countIs(in.Retrying.Or(0), "record"), in.Group.DeliveryLimit()))
	v.Next = append(v.Next, "R which records, worst first", "look at the members' logs: what do they fail with?",
		fmt.Sprintf("3 a lock lasts %s: longer than a record takes?", FormatDuration(thresholdsOf(in.Group.Effective()).lock)))
}

// countIs writes a number with its noun and verb: "1 record is".
func countIs(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun + " is"
	}
	return count(n, noun) + " are"
}

// markersOnly tells whether nothing that waits in a group could be delivered:
// of every partition with lag it is known to be markers and gaps.
func markersOnly(in *DiagnoseInput) bool {
	c := newCase(in)
	any := false
	for i := range in.Group.Partitions {
		c.look(i)
		switch {
		case !c.known:
			return false
		case c.lag <= 0:
		case !c.onlyMarkers():
			return false
		default:
			any = true
		}
	}
	return any
}

func tellMarkers(v *Verdict) {
	v.Text = "only markers or gaps left"
	v.tell("A Fetch at the head found no record up to the log's end: what counts as lag are transaction markers, or gaps that compaction left. It goes when a member passes them.")
}

// retentionDue is when the next of the group's heads comes near its deletion,
// nearer by a step that is told, or reaches it, in unix nanoseconds: no new
// sample says so.
func (h *groupHistory) retentionDue(in *DiagnoseInput) int64 {
	const never = 1<<63 - 1
	due := int64(never)
	c := newCase(in)
	for i := range in.Group.Partitions {
		c.look(i)
		at := c.deletedAt()
		if at.IsZero() {
			continue
		}
		near, left := c.expiresFrom(at), at.Sub(in.Now)
		switch {
		case near.After(in.Now):
			due = min(due, nanos(near))
		case in.Live && near.After(c.sampled()): // the source has not kept up to it yet
			due = min(due, nanos(in.Now)+secondsFor)
		case left > 0:
			due = min(due, nanos(in.Now.Add(left%textStep(left)))+1)
		}
	}
	return due
}
