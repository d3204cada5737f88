package model

import (
	"fmt"
	"time"
)

// isLosing: records are given up and there is no dead-letter topic that has them.
//
// Offsets that hold no record are archived too. So records are only lost where a
// look has found some among those archived lately, or where no look can tell; as
// long as one is under way nothing is claimed.
func isLosing(in *DiagnoseInput) bool {
	if in.State.Archived.PerSecond <= 0 || !in.Group.Effective().DeadLetterTopic.Empty() {
		return false
	}
	c := in.lastArchived()
	return in.lostLately() || c.looked() == 0 && c.pending == 0
}

// lastArchived counts what was found of what the rate is about.
func (in *DiagnoseInput) lastArchived() archivedCount {
	return in.Group.Archived.count(max(1, in.Archived))
}

// lostFor is how long a record that was found counts: as long as the rate of those
// archived can be about it.
const lostFor = RateWindow + 5*time.Second

// lostLately tells whether a record was found where one was archived lately. The
// looks that are kept do not say so: they may be fewer, or trail what they are of.
func (in *DiagnoseInput) lostLately() bool {
	looks := in.Group.Archived
	return looks != nil && !looks.RecordAt.IsZero() && in.Now.Sub(looks.RecordAt) < lostFor
}

func tellLosing(in *DiagnoseInput, v *Verdict) {
	rate, c := FormatRate(in.State.Archived), in.lastArchived()
	lost := in.lostLately()
	switch {
	case in.Group.Settings == nil:
		v.Text = "archiving " + rate + "/s; whether to a dead-letter topic is not known"
	case !lost:
		v.Text = "archiving " + rate + "/s, no dead-letter topic; may be markers or gaps"
	case c.nothing > 0:
		v.Text = "losing up to " + rate + "/s: archived, no dead-letter topic"
	default:
		v.Text = "losing " + rate + "/s: archived, no dead-letter topic"
	}
	v.tell(fmt.Sprintf("Archived %s/s, accepted %s/s. Archived is what a member rejected, or what was delivered %s times; it is not delivered again.",
		rate, FormatRate(in.State.Accepted), in.Group.DeliveryLimit()))
	in.tellLooks(v, c)
	v.Next = append(v.Next, "A archived records of this group", "R which ones come next",
		"3 errors.deadletterqueue.topic.name (Kafka 4.4, share.version 2)")
}

// tellLooks says what was found at the offsets that were archived last.
func (in *DiagnoseInput) tellLooks(v *Verdict, c archivedCount) {
	const alike = "Transaction markers, aborted records and gaps that compaction left are archived too"
	if c.looked() == 0 {
		v.tell(alike + "; whether records are among the last ones could not be looked at.")
		if looks := in.Group.Archived; looks != nil && looks.Problem != nil {
			v.tell(looks.Problem.Detail)
		}
		return
	}
	v.tell(fmt.Sprintf("%s: %s looked at, %s with a record and %s without.",
		alike, c.lookedOf(), FormatInt(c.records), FormatInt(c.nothing)))
}

// lookedOf begins a sentence on what was looked at: "3 of the last 40 archived
// offsets were".
func (c archivedCount) lookedOf() string {
	switch n := c.looked(); {
	case c.of == 1:
		return "the last archived offset was"
	case n == 1:
		return "1 of the last " + count(c.of, "archived offset") + " was"
	default:
		return FormatInt(n) + " of the last " + count(c.of, "archived offset") + " were"
	}
}

// tellHarmless adds that what is archived are no records, or that nobody knows yet.
func tellHarmless(in *DiagnoseInput, v *Verdict) {
	if in.State.Archived.PerSecond <= 0 {
		return
	}
	c := in.lastArchived()
	rate := "Archived " + FormatRate(in.State.Archived) + "/s: "
	switch {
	case in.lostLately():
	case c.nothing > 0 && c.records == 0:
		v.tell(rate+c.lookedOf()+" looked at, and no record is there.",
			"Transaction markers, aborted records and gaps in the log are archived too, and are no loss.")
	case c.pending > 0, c.records > 0: // those are older: what is new is not listed yet
		v.tell(rate + "whether records are among them is being looked at.")
	}
}
