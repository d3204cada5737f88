package model

// ResetResult is what came of writing a plan.
type ResetResult struct {
	// Moved says why nothing was written: what is no longer as the plan saw it.
	// Empty when the write was tried. Now is then what a new plan is made from.
	Moved []string
	Now   *GroupLook
	// UndoPath is the file that was written before anything else; empty when
	// the plan has no number to go back to.
	UndoPath Text
	// Rows are what became of each row that was written, in the plan's order.
	Rows []ResetRow
	// Trouble is what went wrong as a whole, a sentence; empty for nothing.
	Trouble string
}

// Written counts rows that were written and read back as they should be.
func (r *ResetResult) Written() int {
	n := 0
	for i := range r.Rows {
		if r.Rows[i].OK() {
			n++
		}
	}
	return n
}

// ResetRow is what became of one partition.
type ResetRow struct {
	TopicPartition
	Old, New Number
	// ReadBack is the start offset after writing; unknown when it could not be
	// read.
	ReadBack Number
	// Problem is why it was not written; empty when the broker took it.
	Problem string
	// Advice is what would fix it.
	Advice string
}

// OK tells whether the row was written and reads back as it should.
func (r *ResetRow) OK() bool { return r.Problem == "" && r.New.IsKnown() && r.ReadBack == r.New }

// Outcome is the row's result in a few words.
func (r *ResetRow) Outcome() string {
	switch {
	case r.Problem != "":
		return r.Problem
	case r.OK():
		return "written, read back"
	case r.ReadBack.IsKnown():
		return "written, but reads back as " + FormatNumber(r.ReadBack)
	default:
		return "written, not read back"
	}
}

// DeleteResult is what became of deleting one group, or a topic's offsets in it.
type DeleteResult struct {
	Group GroupID
	// Topic is set when only a topic's offsets were to be deleted.
	Topic TopicName
	// Problem is why it was not deleted; empty when it was.
	Problem, Advice string
	// HasMembers is true when that is why.
	HasMembers bool
	// Configs are the group's own configs that are still there: a group made
	// again inherits them.
	Configs []Text
}

// ConfigResult is what came of changing a config.
type ConfigResult struct {
	// Problem has the broker's own words; empty when the change was made.
	Problem, Advice string
	// ReadBack is the value after the change; Known is false when it could not
	// be read.
	ReadBack      Text
	ReadBackKnown bool
}
