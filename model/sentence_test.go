package model

import (
	"testing"
	"time"
)

// Moments follow whoever shows the sentence; all else stays as it is.
func TestSentencesWriteMomentsWhereAsked(t *testing.T) {
	at := time.Date(2026, 11, 29, 23, 59, 58, 0, time.UTC)
	s := Sentence("since " + clock(at) + ", until " + day(at) + " or never.")
	if got, want := s.String(), "since 23:59:58Z, until 2026-11-29 23:59Z or never."; got != want {
		t.Errorf("in UTC %q, want %q", got, want)
	}
	want := "since " + at.Local().Format("15:04:05") + ", until " + at.Local().Format("2006-01-02 15:04") + " or never."
	if got := s.In(false); got != want {
		t.Errorf("in local time %q, want %q", got, want)
	}
	if got := Sentence("It has " + clock(time.Time{}) + ".").String(); got != "It has "+Unknown+"." {
		t.Errorf("an unknown moment is %q", got)
	}
	if got := Sentence("nothing to write").In(false); got != "nothing to write" {
		t.Errorf("got %q", got)
	}
}
