package model

import "fmt"

func tellBlocked(c *partitionCase, v *Verdict, _ hit) {
	v.Since, v.AtLeast = c.headSince()
	v.Next = append(v.Next, "v look at it")
	if c.head().IsKnown() {
		c.tellHead(v)
		v.Next = append(v.Next, "5 what has been tried with it")
	} else {
		c.tellHeldUp(v)
	}
	v.tell(c.waiting())
	v.Next = append(v.Next, c.assigned(),
		fmt.Sprintf("3 a lock lasts %s, unless the member renews it (share.renew.acknowledge.enable)", FormatDuration(c.limit.lock)))
}

// tellHeldUp is the evidence by requests, which do not tell the head itself.
func (c *partitionCase) tellHeldUp(v *Verdict) {
	start := FormatNumber(c.p.Start)
	v.tell(
		fmt.Sprintf("The start offset of %s has stayed at %s %s, while %s after it finished, the last between %s and %s.",
			c.place(), start, since(v.Since, v.AtLeast), count(c.f.FinishedSince, "record"),
			clock(c.f.FinishedAfter), clock(c.f.FinishedAt)),
		fmt.Sprintf("The start offset is written one step behind: what is in the way is %s or, after that last step, a later one.", start))
}

// waiting says how much waits, and how much of what is above is finished.
func (c *partitionCase) waiting() string {
	ahead, ok := aheadOf(c.p, c.f.Log).Get()
	if !ok {
		return fmt.Sprintf("%s in %s.", waits(c.lag), c.place())
	}
	return fmt.Sprintf("%s in %s; %s finished ahead of its start offset.",
		waits(c.lag), c.place(), count(ahead, "record"))
}

// assigned says which member has the partition.
func (c *partitionCase) assigned() string {
	var only *Member
	n := 0
	for i := range c.in.Group.Members {
		m := &c.in.Group.Members[i]
		if m.has(c.p.Topic, c.p.Partition) {
			only = m
			n++
		}
	}
	switch n {
	case 0:
		return "2 no member that we see is assigned " + c.place()
	case 1:
		return fmt.Sprintf("2 only %s (%s) is assigned %s", only.ClientID, only.Host, c.place())
	}
	return fmt.Sprintf("2 %s is assigned to %s members", c.place(), FormatInt(int64(n)))
}

// has tells whether a partition is assigned to the member.
func (m *Member) has(topic TopicName, partition int32) bool {
	for _, a := range m.Assignment {
		for _, p := range a.Partitions {
			if a.Topic == topic && p == partition {
				return true
			}
		}
	}
	return false
}

func tellWindow(c *partitionCase, v *Verdict, _ hit) {
	what, from := "start offset", c.p.Start
	v.Since, v.AtLeast = c.f.StayedSince, c.f.StayedAtLeast
	if head := c.head(); head.IsKnown() {
		what, from = "head", head
		v.Offset = head
		v.Since, v.AtLeast = c.headSince()
	}
	window, _ := windowOf(c.p, c.f.Log).Get()
	v.tell(
		fmt.Sprintf("At least %s of %s offsets from the %s %s on have been handed out (share.partition.max.record.locks); at the limit %s hands out nothing more.",
			FormatInt(window), FormatInt(c.limit.maxLocks), what, FormatNumber(from), c.place()),
		fmt.Sprintf("The %s has stayed there %s.", what, since(v.Since, v.AtLeast)),
		c.waiting())
	v.Next = append(v.Next, "v look at the record in the way", c.assigned(),
		"3 share.partition.max.record.locks: raising it only buys time")
}

func tellUnreadable(c *partitionCase, v *Verdict, _ hit) {
	v.Since, v.Offset = c.f.LostAt, c.f.LastStart
	v.tell(fmt.Sprintf(
		"The start offset of %s was %s and is told as -1 %s: the broker hides that it can't read the share state.",
		c.place(), FormatNumber(c.f.LastStart), since(v.Since, false)))
	v.Next = append(v.Next, "look at the leaders of __share_group_state and at their logs", "! problems")
}

func tellTopicGone(c *partitionCase, v *Verdict, _ hit) { tellGone(v, c.p.Topic) }

func tellLeaderless(c *partitionCase, v *Verdict, _ hit) {
	v.Since, v.AtLeast = c.f.LeaderlessSince, c.f.LeaderlessAtLeast
	v.tell(fmt.Sprintf("%s has had no leader %s: nothing of it can be read or written.",
		c.place(), since(v.Since, v.AtLeast)))
	v.Next = append(v.Next, "find out which broker with a replica in sync is down", "! problems")
}

func tellNotMoving(c *partitionCase, v *Verdict, _ hit) {
	v.Since, v.AtLeast = c.f.FinishedAt, c.f.FinishedAtLeast
	v.tell(c.waiting(), fmt.Sprintf(
		"Nothing of %s was seen to finish %s, longer than a lock lasts (%s).",
		c.place(), since(v.Since, v.AtLeast), FormatDuration(c.limit.lock)))
	if c.heldUp() {
		v.tell(fmt.Sprintf("A record at or after %s held it up until %s at least.",
			FormatNumber(c.p.Start), clock(c.f.FinishedAfter)))
	}
	c.tellWhetherRecord(v)
	v.Next = append(v.Next, "v look at what waits", c.assigned())
}

// tellWhetherRecord says whether what waits is known to be a record.
func (c *partitionCase) tellWhetherRecord(v *Verdict) {
	if c.found() {
		v.Offset = c.culprit()
		v.tell(fmt.Sprintf("A record is there, at %s, and nothing was settled for it yet: no member has taken it, or one still has it.", c.inTheWay()))
		c.tellAge(v)
		return
	}
	if h := c.atHead(); h != nil && h.Problem != nil {
		v.tell("Whether a record is at the head can't be seen: " + h.Problem.Detail)
	}
	v.tell("Transaction markers and compacted gaps count as waiting until a member passes them, and look the same.")
}

func tellSkipping(c *partitionCase, v *Verdict, h hit) {
	v.tell(fmt.Sprintf(
		"Nothing has been settled, nobody is reading, and share.auto.offset.reset is latest: the first member starts at the log end and %s now there will not be delivered.",
		count(h.all(), "record")))
	if c.in.Group.Effective().AutoOffsetReset == "" {
		v.tell("share.auto.offset.reset could not be read; Kafka's default is assumed.")
	}
	v.Next = append(v.Next, "3 set share.auto.offset.reset to earliest before the first member joins", "O give it a start offset")
}

func tellPastEnd(c *partitionCase, v *Verdict, _ hit) {
	v.Since = c.f.StartSince
	end := c.p.LagEnd
	if !end.IsKnown() {
		end = c.f.Log.End
	}
	v.tell(fmt.Sprintf(
		"%s starts at %s but its log ends at %s: members get nothing of it until the log reaches %s.",
		c.place(), FormatNumber(c.p.Start), FormatNumber(end), FormatNumber(c.p.Start)))
	v.Next = append(v.Next, "O reset offsets, if that was not meant")
}

func tellDeleted(c *partitionCase, v *Verdict, h hit) {
	v.tell(
		fmt.Sprintf("The log of %s begins at %s, its start offset is %s: up to %s between them went before they were finished.",
			c.place(), FormatNumber(c.f.Log.LogStart), FormatNumber(c.p.Start), count(h.weight, "record")),
		"Lag counts them until the group settles something again.")
	v.Next = append(v.Next, "look at the topic's retention.ms and retention.bytes")
}
