package model

import "testing"

func TestParseOffsetsChoice(t *testing.T) {
	for given, want := range map[string]OffsetsChoice{
		"": OffsetsAuto, "auto": OffsetsAuto, "requests": OffsetsByRequests, "state-topic": OffsetsByStateTopic,
	} {
		if got, err := ParseOffsetsChoice(given); got != want || err != nil {
			t.Errorf("%q is %q, %v", given, got, err)
		}
	}
	if _, err := ParseOffsetsChoice("State\x1b[31m"); err == nil || err.Error() !=
		`offsets can't come from "State\e[31m": it is one of auto, requests, state-topic` {
		t.Errorf("error is %v", err)
	}
}
