package model

import (
	"fmt"
	"slices"
)

// baseline is what a group's verdict is when nothing asks for attention.
func baseline(in *DiagnoseInput) (Finding, Severity) {
	lag, known := in.Lag.Get()
	switch {
	case !known:
		return withoutLag(in)
	case lag > 0:
		return whileRecordsWait(in)
	case in.LagPartial && isHidden(in.Group):
		// A lag of 0 over what may be seen says nothing of the rest.
		return FindingDenied, SeverityUnknown
	case in.Group.Unnamed > 0:
		return FindingNotSeen, SeverityUnknown
	case in.LagPartial && unsettled(in) > 0, len(in.Added) > 0:
		return FindingNoneSettled, SeverityFine
	case len(in.Group.Partitions) == 0:
		return FindingNoneSettled, SeverityFine
	case allEmpty(in):
		return FindingEmptyTopic, SeverityFine
	}
	return FindingCaughtUp, SeverityFine
}

func whileRecordsWait(in *DiagnoseInput) (Finding, Severity) {
	switch {
	case markersOnly(in):
		return FindingMarkers, SeverityFine
	case in.Slope.Known && in.Slope.PerSecond < 0:
		return FindingDraining, SeverityFine
	case unseen(in.Group) && ownProblem(in.Group, ProblemDenied) != nil:
		// The state topic gives the lag of groups that may not be described.
		return FindingDenied, SeverityUnknown
	}
	return FindingQuiet, SeverityFine
}

// unseen tells whether nothing is known of who reads a group.
func unseen(g *Group) bool { return g.State == GroupUnknown && g.Described.IsZero() }

// isHidden tells whether a part of a group may not be seen.
func isHidden(g *Group) bool {
	return problemOf(g, ProblemDenied) != nil || problemOf(g, ProblemHidden) != nil
}

// withoutLag tells why no lag at all is known of a group that was asked.
func withoutLag(in *DiagnoseInput) (Finding, Severity) {
	switch {
	case in.Group.Unnamed > 0:
		return FindingNotSeen, SeverityUnknown
	case unsettled(in) > 0 && !anyStart(in.Group):
		return FindingNoneSettled, SeverityFine
	case problemOf(in.Group, ProblemDenied) != nil:
		return FindingDenied, SeverityUnknown
	case len(in.Group.Partitions) == 0 && problemOf(in.Group, ProblemHidden) != nil:
		return FindingDenied, SeverityUnknown
	case deniedTopic(in) != nil:
		return FindingDenied, SeverityUnknown
	case readsNothingTold(in.Group):
		return FindingNoOffsets, SeverityUnknown
	}
	return FindingNoLag, SeverityUnknown
}

// anyStart tells whether something was settled in a group.
func anyStart(g *Group) bool {
	return slices.ContainsFunc(g.Partitions, func(p SharePartition) bool { return p.Start.IsKnown() })
}

// deniedTopic says that a topic that the group reads may not be seen: the state
// topic tells start offsets of it, and nobody the log's end.
func deniedTopic(in *DiagnoseInput) *Problem {
	for i := range in.Partitions {
		if p := in.Partitions[i].TopicProblem; isDenied(p) {
			return p
		}
	}
	return nil
}

// unsettled counts share-partitions that have records and no start offset yet.
func unsettled(in *DiagnoseInput) int64 {
	n := int64(0)
	for i := range in.Group.Partitions {
		p := &in.Group.Partitions[i]
		if !p.Start.IsKnown() && p.Problem == nil {
			n++
		}
	}
	return n
}

// allEmpty tells whether no log that the group reads has a record.
func allEmpty(in *DiagnoseInput) bool {
	for i := range in.Group.Partitions {
		if i >= len(in.Partitions) || emptiness(in.Partitions[i].Log) != 1 {
			return false
		}
	}
	return len(in.Group.Partitions) > 0
}

func tellSubscribedGone(in *DiagnoseInput, v *Verdict) {
	for _, name := range in.GoneTopics {
		if !readsTopic(in.Group, name) {
			v.Text = "topic " + name.String() + " is gone"
			tellGone(v, name)
			return
		}
	}
	if p := ownProblem(in.Group, ProblemGone); p != nil {
		v.Text = p.Target.String() + " is gone"
		v.tell(p.Detail)
		v.Next = append(v.Next, "2 members that still subscribe to it", "! problems")
	}
}

func tellUnassigned(in *DiagnoseInput, v *Verdict) {
	v.Since, v.AtLeast = in.UnassignedSince, in.UnassignedAtLeast
	v.Text = "members but no assignment"
	v.tell(fmt.Sprintf("%s, none with a partition %s, longer than two heartbeats last.",
		count(int64(len(in.Group.Members)), "member"), since(v.Since, v.AtLeast)))
	v.Next = append(v.Next, "2 what the members subscribe to: do these topics exist?")
}

func tellFull(in *DiagnoseInput, v *Verdict) {
	size := FormatInt(thresholdsOf(in.Group.Effective()).maxSize)
	v.Text = fmt.Sprintf("group full: %s of %s members", FormatInt(int64(len(in.Group.Members))), size)
	v.tell("group.share.max.size is " + size + ": the next member will be refused.")
	v.Next = append(v.Next, "2 members", "raise group.share.max.size on the brokers, if more are needed")
}

func tellGone(v *Verdict, name TopicName) {
	v.tell(fmt.Sprintf("Topic %s does not exist: what waited in it is lost, and a topic made anew under this name starts without a start offset.", name))
	v.Next = append(v.Next, "2 members that still subscribe to it", "! problems")
}

func tellNobody(in *DiagnoseInput, v *Verdict) {
	v.Since, v.AtLeast = in.EmptySince, in.EmptyAtLeast
	v.Text = "nobody is reading"
	v.tell(fmt.Sprintf("%s and the group has no member %s.",
		waits(in.Lag.Or(0)), since(v.Since, v.AtLeast)))
	if in.In.Known && in.In.PerSecond > 0 {
		v.tell(FormatRate(in.In) + " records a second come in.")
	}
	v.Next = append(v.Next, "start a share consumer of this group", "O move its start offset, if they are not wanted")
}

func tellBehind(in *DiagnoseInput, v *Verdict) {
	rate := in.Slope
	if in.Net.Known { // as the columns of the same row have it
		rate = knownRate(-in.Net.PerSecond)
	}
	v.Text = "falling behind by " + FormatRate(rate) + "/s"
	v.tell(fmt.Sprintf("%s records a second come in and %s are finished; the lag is %s.",
		FormatRate(in.In), FormatRate(in.Done), FormatNumber(in.Lag)),
		fmt.Sprintf("Over the last minute the lag grew by %s a second, and its lowest point by %s.",
			FormatRate(in.Slope), FormatInt(in.LagFloor)))
	v.Next = append(v.Next, fmt.Sprintf("2 %s for %s: another member may help",
		count(int64(len(in.Group.Members)), "member"), count(int64(len(in.Group.Partitions)), "partition")),
		"1 is one partition far behind the others?")
}

// tellFine puts into words that nothing asks for attention.
func tellFine(in *DiagnoseInput, v *Verdict) {
	switch v.Finding {
	case FindingDraining:
		v.Text = "draining"
		v.tell(fmt.Sprintf("The lag shrinks by %s a second.", FormatRate(knownRate(-in.Slope.PerSecond))))
	case FindingQuiet:
		tellQuiet(in, v)
	case FindingMarkers:
		tellMarkers(v)
	case FindingCaughtUp:
		v.Text = "caught up"
		v.tell("The lag is 0: everything that can be delivered is finished. The start offset may stay behind until the next write.")
	case FindingEmptyTopic:
		v.Text = "topic is empty"
		v.tell("None of the group's partitions has a record.")
	default: // FindingNoneSettled
		tellNoneSettled(in, v)
	}
}

func tellNoneSettled(in *DiagnoseInput, v *Verdict) {
	n := unsettled(in)
	switch {
	case len(in.Group.Partitions) == 0:
		v.Text = "no offsets yet"
		v.tell("No share-partition of the group has a state: no member was given a record, and no start offset was set.")
	case n == 0:
		v.Text = fmt.Sprintf("%s of %s not begun yet", notBegun(in.Added[0]), in.Added[0].Topic)
		in.tellBegun(v)
	default:
		v.Text = "no record settled yet"
		v.tell(fmt.Sprintf("%s of %s have no start offset yet: it is written with the first record that is settled. Until then their lag is unknown.",
			FormatInt(n), count(int64(len(in.Group.Partitions)), "partition")))
	}
}

// tellQuiet: records wait, and nothing about that asks for attention.
func tellQuiet(in *DiagnoseInput, v *Verdict) {
	switch {
	case isEmpty(in.Group):
		v.Text = "nobody is reading (below the threshold or muted)"
	case unseen(in.Group):
		v.Text = "members not seen yet"
		v.tell("Records wait. The group's members and state were not told yet.")
	case !in.Slope.Known:
		v.Text = "being read, no trend yet"
		v.tell("Rates need two samples, a trend needs " + FormatDuration(RateWindow) + ".")
	default:
		v.Text = "keeping up"
		v.tell("The lag neither grows nor shrinks by much over the last minute.")
	}
}

// tellUnknown says why nothing can be said.
func tellUnknown(in *DiagnoseInput, v *Verdict) {
	switch v.Finding {
	case FindingDenied:
		tellProblem(v, "not allowed", problemOf(in.Group, ProblemDenied), deniedTopic(in), problemOf(in.Group, ProblemHidden))
	case FindingFeatureOff:
		v.Text = featureText(in.Support)
		tellProblem(v, v.Text, problemOf(in.Group, ProblemFeature))
	case FindingNoOffsets:
		v.Text = "no offsets to be seen"
		v.tell("The brokers tell no offset of this group: it has none, or DESCRIBE is missing on the topics that it reads, which brokers leave out without a word.")
		v.Next = append(v.Next, "grant DESCRIBE on the topics that the group reads, if it reads any")
	case FindingNoLag:
		v.Text = "lag not told by the broker"
		v.tell("The broker gives a start offset but no lag: Kafka 4.1 does not know it, and later ones not before the first write after an upgrade.")
		tellProblem(v, v.Text, firstProblem(in.Group))
	default: // FindingNotSeen
		text := "not seen yet"
		if ownProblem(in.Group, ProblemGone) != nil {
			text = "no such group"
		}
		tellProblem(v, text, firstProblem(in.Group))
	}
}

func featureText(s ShareSupport) string {
	if s == ShareTooOld {
		return "brokers too old for share groups"
	}
	return "share groups are off"
}

// tellProblem takes the words of the first problem that is there.
func tellProblem(v *Verdict, text string, problems ...*Problem) {
	v.Text = text
	for _, p := range problems {
		if p == nil {
			continue
		}
		v.tell(p.Detail)
		if p.Advice != "" {
			v.Next = append(v.Next, p.Advice)
		}
		return
	}
}

// firstProblem is a group's first problem of whatever kind, or nil.
func firstProblem(g *Group) *Problem {
	if len(g.Problems) > 0 {
		return &g.Problems[0]
	}
	for i := range g.Partitions {
		if g.Partitions[i].Problem != nil {
			return g.Partitions[i].Problem
		}
	}
	return nil
}

func isDenied(p *Problem) bool { return p != nil && p.Kind == ProblemDenied }

// finePartition is a share-partition's verdict when no rule holds; the zero
// value when there is nothing to say.
func finePartition(c *partitionCase) PartitionVerdict {
	switch {
	case isDenied(c.p.Problem), !c.known && isDenied(c.f.TopicProblem):
		return PartitionVerdict{SeverityUnknown, FindingDenied, "not allowed"}
	case !c.p.Start.IsKnown() && emptiness(c.f.Log) == 1:
		return PartitionVerdict{SeverityFine, FindingEmptyTopic, "empty"}
	case !c.p.Start.IsKnown() && c.p.Problem == nil && hasMembers(c.in.Group):
		return PartitionVerdict{SeverityFine, FindingNoneSettled, "none settled yet"}
	case c.onlyMarkers():
		return PartitionVerdict{SeverityFine, FindingMarkers, "only markers or gaps left"}
	case c.known && c.lag == 0:
		return PartitionVerdict{SeverityFine, FindingCaughtUp, "caught up"}
	}
	return PartitionVerdict{}
}
