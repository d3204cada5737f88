package model

import "testing"

func TestRecordWords(t *testing.T) {
	five := DeliveryLimit{Count: 5}
	tests := []struct {
		state RecordState
		count int16
		limit DeliveryLimit
		want  string
	}{
		{RecordReleased, 3, five, "3 of 5 deliveries over; free, or on its 4th"},
		{RecordReleased, 4, five, "4 of 5 deliveries over; free, or on its 5th, which is the last"},
		{RecordReleased, 1, DeliveryLimit{Count: 5, Assumed: true}, "1 of ~5 deliveries over; free, or on its 2nd"},
		{RecordFinished, 1, five, "finished on its 1st delivery"},
		{RecordFinished, 13, five, "finished on its 13th delivery"},
		{RecordArchived, 5, five, "archived after 5 of 5 deliveries: at the limit"},
		{RecordArchived, 2, five, "archived after 2 of 5 deliveries: rejected, or nothing to deliver (a gap, an aborted transaction)"},
		{RecordArchived, 2, DeliveryLimit{Count: 5, Assumed: true}, "archived after 2 of ~5 deliveries"},
		{RecordArchiving, 5, five, "given up after 5 of 5 deliveries, being written to the dead-letter topic"},
		{RecordNew, 0, five, "nothing settled yet: new, or in its first delivery"},
		{RecordAcquired, 22, five, "being delivered for the 22nd time"},
		{RecordUnknown, 0, five, "not known"},
		{RecordState(99), 0, five, "not known"},
	}
	for _, test := range tests {
		if got := RecordWords(test.state, test.count, test.limit); got != test.want {
			t.Errorf("%s %d: got %q, want %q", test.state, test.count, got, test.want)
		}
	}
}

func TestStripOfHasCellsOfOneWidth(t *testing.T) {
	strip := StripOf(refunds(), 9120, 9147, 10)
	want := []StateBatch{
		{9120, 9129, RecordReleased, 3}, {9130, 9139, RecordReleased, 2}, {9140, 9147, RecordNew, 0},
	}
	for i := range want {
		if i >= len(strip) || strip[i] != want[i] {
			t.Fatalf("got %v, want %v", strip, want)
		}
	}
	if StripOf(refunds(), 9120, 9147, 0) != nil || StripOf(refunds(), 9120, 9119, 1) != nil {
		t.Error("cells without width, or without offsets")
	}
}
