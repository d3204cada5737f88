package model

import "fmt"

// OffsetsChoice is what a person said about where offsets are to come from; the
// zero value is OffsetsAuto.
type OffsetsChoice string

// The choices of --offsets-from.
const (
	// OffsetsAuto: the state topic where it can be read, else requests.
	OffsetsAuto OffsetsChoice = "auto"
	// OffsetsByRequests: requests only; the state topic is never read.
	OffsetsByRequests OffsetsChoice = "requests"
	// OffsetsByStateTopic: the state topic only; what it does not tell is
	// unknown.
	OffsetsByStateTopic OffsetsChoice = "state-topic"
)

// ParseOffsetsChoice reads a choice; empty is OffsetsAuto. The error names the
// possible ones.
func ParseOffsetsChoice(s string) (OffsetsChoice, error) {
	switch c := OffsetsChoice(s); c {
	case "":
		return OffsetsAuto, nil
	case OffsetsAuto, OffsetsByRequests, OffsetsByStateTopic:
		return c, nil
	}
	return OffsetsAuto, fmt.Errorf("offsets can't come from \"%s\": it is one of %s, %s, %s",
		Sanitize(s), OffsetsAuto, OffsetsByRequests, OffsetsByStateTopic)
}
