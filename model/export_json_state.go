package model

import "time"

// jsonState is what the state topic tells of one share-partition beyond its
// start offset and lag; all of it is null while that is not read.
type jsonState struct {
	Head          Number     `json:"headOffset"`
	HeadState     *string    `json:"headState"`
	HeadCount     Number     `json:"headDeliveryCount"`
	HeadSince     *time.Time `json:"headSince"`
	HeadAtLeast   *bool      `json:"headSinceAtLeast"`
	HeadTimestamp *time.Time `json:"headTimestamp"`
	Finished      Number     `json:"finishedAhead"`
	Window        Number     `json:"windowAtLeast"`
}

// stateJSON is what is known of a share-partition's records. Where its log ends
// at the head there is no record there, and nothing is said of one.
func stateJSON(p *SharePartition, log PartitionLog) jsonState {
	if p.State == nil {
		return jsonState{}
	}
	out := jsonState{Head: p.State.Head(), Finished: p.State.FinishedAhead(), Window: windowOf(p, log)}
	head, known := out.Head.Get()
	if end, told := log.End.Get(); !known || !told || head >= end {
		return out
	}
	state, count := p.State.StateAt(head)
	word := state.String()
	out.HeadState, out.HeadCount = &word, Known(int64(count))
	out.HeadTimestamp = unlessZero(headTime(p))
	if since := p.State.HeadSince(); since.Millis() != 0 {
		atLeast := since.AtLeast()
		out.HeadSince, out.HeadAtLeast = unlessZero(since.Time()), &atLeast
	}
	return out
}

// jsonStateRates are the rates that only the state topic tells.
type jsonStateRates struct {
	Accepted   Rate `json:"acceptedPerSecond"`
	Archived   Rate `json:"archivedPerSecond"`
	Released   Rate `json:"releasedPerSecond"`
	Deliveries Rate `json:"deliveriesPerSecond"`
}

// sourceJSON names where a group's offsets come from; nil before they came.
func sourceJSON(g *Group) *string {
	if g.OffsetsAt.IsZero() {
		return nil
	}
	word := string(OffsetsByRequests)
	if g.OffsetsFrom == FromStateTopic {
		word = string(OffsetsByStateTopic)
	}
	return &word
}
