package model

import "time"

// ProblemKind sorts problems by cause.
type ProblemKind string

// The kinds of problem. The text is what JSON output carries.
const (
	// ProblemDenied: an ACL is missing.
	ProblemDenied ProblemKind = "denied"
	// ProblemUnreachable: a broker refuses, or did not answer in time.
	ProblemUnreachable ProblemKind = "unreachable"
	// ProblemLoading: a coordinator is loading or moving; it passes by itself.
	ProblemLoading ProblemKind = "loading"
	// ProblemGone: a topic or group no longer exists.
	ProblemGone ProblemKind = "gone"
	// ProblemFeature: the cluster cannot do it (too old, disabled, preview).
	ProblemFeature ProblemKind = "feature"
	// ProblemHidden: the broker left something out without saying so.
	ProblemHidden ProblemKind = "hidden"
	// ProblemReadOnly: refused by this program's own read-only mode.
	ProblemReadOnly ProblemKind = "read-only"
	// ProblemDiffers: two sources of offsets do not agree.
	ProblemDiffers ProblemKind = "differs"
	// ProblemOther: any other error; Detail has the broker's word for it.
	ProblemOther ProblemKind = "other"
)

// Problem is one thing that could not be seen or done: what is missing, why,
// and what would fix it. All three texts are safe for a terminal.
type Problem struct {
	Kind ProblemKind
	// Target is what it happened to, e.g. "group orders", "broker 2",
	// "topic refunds".
	Target Text
	// Configs is true when it is about configs alone: no group, member or offset
	// is missing by it.
	Configs bool
	// Detail is one sentence: what is missing and why.
	Detail string
	// Advice is what would fix it, e.g. the ACL to grant; empty when nothing
	// but waiting helps.
	Advice string
	// First is when it was first seen; At when it was last seen.
	First, At time.Time
}
