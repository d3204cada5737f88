package model

import (
	"fmt"
	"strconv"
)

// RecordWords says in one clause what has been done with a record in a state
// after so many deliveries, as far as the state topic tells. Who has a record
// now is broker memory and has no API: it is never claimed.
func RecordWords(state RecordState, count int16, limit DeliveryLimit) string {
	switch state {
	case RecordBelowStart:
		return "below the start offset: done; accepted, archived and skipped are no longer told apart"
	case RecordNew:
		return "nothing settled yet: new, or in its first delivery"
	case RecordReleased:
		return releasedWords(int64(count), limit)
	case RecordAcquired:
		return fmt.Sprintf("being delivered for the %s time", ordinal(int64(count)))
	case RecordFinished:
		return "finished on its " + ordinal(int64(count)) + " delivery"
	case RecordArchiving:
		return fmt.Sprintf("given up after %s, being written to the dead-letter topic", deliveries(int64(count), limit))
	case RecordArchived:
		return archivedWords(int64(count), limit)
	case RecordOther:
		return "in a state that this version of sharetop does not know"
	case RecordUnknown:
	}
	return "not known"
}

// releasedWords: "3 of 5 deliveries over; free, or on its 4th".
func releasedWords(count int64, limit DeliveryLimit) string {
	next := ordinal(count + 1)
	if count+1 >= limit.Count {
		next += ", which is the last"
	}
	return fmt.Sprintf("%s over; free, or on its %s", deliveries(count, limit), next)
}

func archivedWords(count int64, limit DeliveryLimit) string {
	words := "archived after " + deliveries(count, limit)
	switch {
	case limit.Assumed:
		return words
	case count >= limit.Count:
		return words + ": at the limit"
	}
	return words + ": rejected, or nothing to deliver (a gap, an aborted transaction)"
}

// deliveries: "3 of 5 deliveries"; a limit that is assumed has a "~".
func deliveries(count int64, limit DeliveryLimit) string {
	return fmt.Sprintf("%d of %s deliveries", count, limit)
}

// String is the limit as it is shown: "5", "~5" where it is assumed.
func (l DeliveryLimit) String() string {
	if l.Assumed {
		return "~" + strconv.FormatInt(l.Count, 10)
	}
	return strconv.FormatInt(l.Count, 10)
}

// ordinal writes 1st, 2nd, 3rd, 4th, 11th, 21st.
func ordinal(n int64) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.FormatInt(n, 10) + suffix
}
