package model

import (
	"strings"
	"testing"
	"time"
)

// Offsets that hold no record are archived like rejected ones: a loss is claimed only
// for what was found to be one, or where nobody can tell.
func TestLosing(t *testing.T) {
	run := func(first, last int64, found ArchivedFound) ArchivedLook {
		return ArchivedLook{TopicID: TopicID{1}, First: first, Last: last, Found: found}
	}
	looks := func(recordAt time.Time, runs ...ArchivedLook) *ArchivedLooks {
		return &ArchivedLooks{Newest: runs, RecordAt: recordAt}
	}
	markers := []ArchivedLook{run(9, 9, FoundNoRecord), run(6, 6, FoundNoRecord), run(3, 3, FoundNoRecord)}
	denied := looks(time.Time{}, run(9, 9, FoundUnknown))
	denied.Problem = &Problem{Detail: "READ on topic jobs is missing."}
	dlq := &Settings{DeadLetterTopic: NewText("dlq.jobs")}
	tests := []struct {
		name     string
		archived int64
		looks    *ArchivedLooks
		settings *Settings
		text     string
		evidence string
	}{
		{"nothing archived", 0, looks(time.Time{}, markers...), &Settings{}, "", ""},
		{"nobody has looked yet", 3, nil, &Settings{}, "", "Archived 0.4/s: whether records are among them is being looked at."},
		{"none was seen to be archived yet", 3, &ArchivedLooks{Standing: markers}, &Settings{}, "", "is being looked at."},
		{"a look is under way", 3, looks(time.Time{}, run(9, 9, FoundPending), run(6, 6, FoundUnknown)), &Settings{}, "", "is being looked at."},
		{"markers", 3, looks(time.Time{}, markers...), &Settings{}, "", "Archived 0.4/s: 3 of the last 3 archived offsets were looked at, and no record is there. Transaction markers, aborted records and gaps in the log are archived too, and are no loss."},
		{"a long gap", 7, looks(time.Time{}, run(0, 99, FoundNoRecord)), &Settings{}, "", "7 of the last 7 archived offsets were looked at"},
		{"markers, as far as was looked", 40, looks(time.Time{}, append(markers, run(1, 2, FoundPending))...), &Settings{}, "", "3 of the last 40 archived offsets were looked at"},
		{"one of two topics may be looked at", 2, looks(time.Time{}, run(9, 9, FoundUnknown), run(8, 8, FoundNoRecord)), &Settings{}, "", "1 of the last 2 archived offsets was looked at"},
		{"markers, with a dead-letter topic", 3, looks(time.Time{}, markers...), dlq, "", "no record is there"},

		{"a rejected record", 1, looks(at(99), run(9, 9, FoundRecord)), &Settings{}, "losing 0.4/s: archived, no dead-letter topic", "the last archived offset was looked at, 1 with a record and 0 without."},
		{"a rejected record among markers", 4, looks(at(85), append(markers, run(1, 1, FoundRecord))...), &Settings{}, "losing up to 0.4/s: archived, no dead-letter topic", "4 of the last 4 archived offsets were looked at, 1 with a record and 3 without."},
		{"more markers than are kept since", 400, looks(at(99), markers...), &Settings{}, "losing up to 0.4/s: archived, no dead-letter topic", "3 of the last 400 archived offsets were looked at, 0 with a record and 3 without."},
		{"a rejected record, and a look is under way", 2, looks(at(99), run(9, 9, FoundPending), run(8, 8, FoundRecord)), &Settings{}, "losing 0.4/s: archived, no dead-letter topic", "1 with a record"},
		{"a rejected record, with a dead-letter topic", 1, looks(at(99), run(9, 9, FoundRecord)), dlq, "", ""},
		{"a rejected record long ago", 3, looks(at(79), append(markers, run(1, 1, FoundRecord))...), &Settings{}, "", "no record is there"},
		{"a rejected record long ago, and what is new is not listed", 1, looks(at(79), run(9, 9, FoundRecord)), &Settings{}, "", "is being looked at."},
		{"the configs are not known", 1, looks(at(99), run(9, 9, FoundRecord)), nil, "archiving 0.4/s; whether to a dead-letter topic is not known", "1 with a record"},

		{"nobody can look", 1, denied, &Settings{}, "archiving 0.4/s, no dead-letter topic; may be markers or gaps", "could not be looked at. READ on topic jobs is missing."},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			in := headDiagnosis()
			in.Partitions[0].StayedSince = time.Time{}
			in.Group.Partitions[0].State = nil
			in.Group.Settings, in.Group.Archived, in.Archived = test.settings, test.looks, test.archived
			if test.archived > 0 {
				in.State.Archived = Rate{0.4, true}
			}
			v := Diagnose(in)
			if test.text == "" && v.Finding == FindingLosing || test.text != "" && v.Text != test.text {
				t.Errorf("got %s %q, want %q", v.Finding, v.Text, test.text)
			}
			got := strings.Join(written(v.Evidence), " ")
			if !strings.Contains(got, test.evidence) || test.evidence == "" && strings.Contains(strings.ToLower(got), "archived") {
				t.Errorf("evidence is %q, want %q", got, test.evidence)
			}
			if strings.Contains(got+v.Text, "%!") || test.text != "" && v.Severity != SeverityWarn {
				t.Errorf("%s: %q", v.Severity, got)
			}
		})
	}
}

// What the rate is about is counted in offsets, over the same time.
func TestArchivedInTheWindow(t *testing.T) {
	s := liveScene(t)
	s.tallied("g", Tally{Archived: 10})
	s.look(0)
	s.tallied("g", Tally{Archived: 10, Accepted: 1})
	s.look(time.Second)
	s.tallied("g", Tally{Archived: 13, Accepted: 1})
	g := s.groups["g"]
	g.Archived = &ArchivedLooks{Newest: []ArchivedLook{{Found: FoundNoRecord}}}
	s.look(time.Second)
	verdict := s.board.Rows[0].Verdict
	if got := strings.Join(written(verdict.Evidence), " "); !strings.Contains(got, "1 of the last 3 archived offsets was looked at") {
		t.Errorf("%s: %q", verdict.Text, got)
	}
}
