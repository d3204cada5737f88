package model

// MakePlan works out what a reset does. It is a pure function of one look.
//
// Writing a start offset wipes all that is finished at or above it, even when
// the number does not change (tried on Kafka 4.4.0). A partition whose number
// would not change is therefore left out. A number is never outside the log:
// brokers would take any, also below zero and past the end.
func MakePlan(look *GroupLook, scope ResetScope, target ResetTarget) *Plan {
	p := &Plan{Group: look.Group, Target: target, Scope: scope, Look: look, Rows: make([]PlanRow, 0, len(look.Partitions))}
	for i := range look.Partitions {
		p.Rows = append(p.Rows, planRow(&look.Partitions[i], target))
	}
	return p
}

func planRow(l *LookPartition, target ResetTarget) PlanRow {
	row := PlanRow{TopicPartition: l.TopicPartition, TopicID: l.TopicID, Now: l.Start}
	first, ok1 := l.LogStart.Get()
	end, ok2 := l.End.Get()
	switch {
	case l.Trouble != "":
		row.Note, row.Unseen = "left out: "+l.Trouble, true
		return row
	case !ok1 || !ok2:
		row.Note, row.Unseen = "left out: the ends of its log are not known", true
		return row
	}
	wanted, note, ok := target.offsetFor(l)
	if !ok {
		row.Note = "left out: " + note
		return row
	}
	if target.Kind == ToCurrent && l.Start.IsKnown() {
		// Also where retention has passed it: it stays, and so does what is finished.
		row.New = l.Start
		row.leaveOut(l)
		return row
	}
	to := clampOffset(wanted, first, end)
	row.New = Known(to)
	if clamped := clampNote(wanted, to); clamped != "" {
		note = clamped
	}
	row.Note = note
	now, known := l.Start.Get()
	if known && now == to {
		row.leaveOut(l)
		return row
	}
	row.Write = true
	row.count(l, first, end)
	row.explain(l, first)
	return row
}

// leaveOut makes it the row of a partition whose number does not change.
func (r *PlanRow) leaveOut(l *LookPartition) {
	now := r.Now.Or(0)
	r.Ahead = finishedIn(l, now, l.End.Or(0), now)
	r.Note = "left out: number does not change"
}

// explain adds what the row's note does not say yet.
func (r *PlanRow) explain(l *LookPartition, first int64) {
	now, known := r.Now.Get()
	switch {
	case r.Note != "":
	case !l.Read:
		r.Note = "not read by the group so far"
	case !known:
		r.Note = "no start offset so far: undo can't bring that back"
	case now < first:
		r.Note = "what was between start and log start is deleted already"
	case now > l.End.Or(0):
		r.Note = "the start offset was past the log end"
	case !r.Ahead.Zero() && r.Back.High > 0:
		r.Note = "finished before, delivered again"
	case !r.Ahead.Zero():
		r.Note = "finished ahead, delivered again"
	}
}

// count works out what is delivered again and what never is. The log is
// [first, end); New is within it.
func (r *PlanRow) count(l *LookPartition, first, end int64) {
	to := r.New.Or(0)
	now, known := r.Now.Get()
	if !known {
		// Nothing was ever settled here, so all below the new start is skipped.
		r.Never = exactly(to - first)
		return
	}
	if to < now {
		r.Back = exactly(min(now, end) - to)
		r.Ahead = finishedIn(l, now, end, now)
		return
	}
	r.Ahead = finishedIn(l, to, end, now)
	from := max(now, first)
	done := finishedBetween(l, from, to, end, now)
	r.Never = Span{max(0, to-from-done.High), max(0, to-from-done.Low)}
}

func exactly(n int64) Span { n = max(0, n); return Span{n, n} }

// finishedIn counts what is finished in [from, end), where from is at or above
// the start offset now.
func finishedIn(l *LookPartition, from, end, now int64) Span {
	if from >= end {
		return Span{}
	}
	if l.State != nil {
		return settledIn(l.State, from, end)
	}
	all := finishedAbove(l, now, end)
	room := end - from
	return Span{max(0, all.Low-(from-now)), min(all.High, room)}
}

// finishedBetween counts what is finished in [from, to), where now <= from and
// to <= end.
func finishedBetween(l *LookPartition, from, to, end, now int64) Span {
	if from >= to {
		return Span{}
	}
	if l.State != nil {
		return settledIn(l.State, from, to)
	}
	all := finishedAbove(l, now, end)
	outside := (end - to) + (from - now)
	return Span{max(0, all.Low-outside), min(all.High, to-from)}
}

// finishedAbove is how many records are finished at or above the start offset,
// without knowing which: end - start - lag. A lag that is not known bounds
// nothing.
func finishedAbove(l *LookPartition, now, end int64) Span {
	width := max(0, end-now)
	if lag, ok := l.Lag.Get(); ok {
		return exactly(min(width, end-now-lag))
	}
	return Span{0, width}
}

// settledIn counts records in [from, to) that the group is through with: they
// are finished, given up, or being given up. Where the state tells nothing the
// count is bounded.
func settledIn(s *PartitionState, from, to int64) Span {
	var n Span
	for run := range s.Range(from, to-1) {
		switch {
		case run.State.Done() || run.State == RecordArchiving:
			n = n.plus(exactly(run.Len()))
		case run.State == RecordUnknown || run.State == RecordOther:
			n.High = addClamped(n.High, run.Len())
		}
	}
	return n
}

// clampOffset keeps a number within the log: from its first offset to its end.
func clampOffset(n, first, end int64) int64 { return max(first, min(n, end)) }

func clampNote(wanted, to int64) string {
	switch {
	case wanted < to:
		return "clamped to the log start"
	case wanted > to:
		return "clamped to the log end"
	}
	return ""
}
