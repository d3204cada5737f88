package model

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Unknown is how an unknown value is shown.
const Unknown = "–"

// FormatNumber writes a number with thousands separators: 12,840; "–" when it
// is not known.
func FormatNumber(n Number) string {
	if v, ok := n.Get(); ok {
		return FormatInt(v)
	}
	return Unknown
}

// FormatTotal writes a sum: FormatNumber, with "+" after it when some part of
// the sum is missing. A sum of which nothing is known is "–".
func FormatTotal(n Number, partial bool) string {
	if partial && n.IsKnown() {
		return FormatNumber(n) + "+"
	}
	return FormatNumber(n)
}

// FormatInt writes a whole number with thousands separators; below zero with
// an ASCII hyphen, so that a copied number is a number.
func FormatInt(n int64) string {
	if n > -1000 && n < 1000 {
		return strconv.FormatInt(n, 10)
	}
	var plain, grouped [32]byte
	digits, out := strconv.AppendInt(plain[:0], n, 10), grouped[:0]
	if n < 0 {
		digits, out = digits[1:], append(out, '-')
	}
	head := (len(digits)-1)%3 + 1
	out = append(out, digits[:head]...)
	for at := head; at < len(digits); at += 3 {
		out = append(out, ',')
		out = append(out, digits[at:at+3]...)
	}
	return string(out)
}

// FormatRate writes records per second in at most 6 cells: 0, <0.1, 0.4, 310,
// 9,999, 12.4k; "–" when it is not known or not a number. A rate that is not
// zero is never written as 0.
func FormatRate(r Rate) string {
	v := r.PerSecond
	if !r.Known || math.IsNaN(v) || math.IsInf(v, 0) {
		return Unknown
	}
	size := math.Abs(v)
	switch {
	case size == 0:
		return "0"
	case size < 0.05 && v > 0:
		return "<0.1"
	case size < 0.05:
		return ">-0.1"
	case size < 9.95:
		return oneDecimal(v)
	case size < 9999.5:
		return FormatInt(int64(math.Round(v)))
	}
	return largeRate(v)
}

// largeRate writes a rate of 10,000 and more with the suffix k, M, G or T, and
// as a power of ten where that is not enough.
func largeRate(v float64) string {
	for _, suffix := range []string{"k", "M", "G", "T"} {
		v /= 1000
		switch size := math.Abs(v); {
		case size < 99.95:
			return oneDecimal(v) + suffix
		case size < 999.5:
			return strconv.FormatFloat(v, 'f', 0, 64) + suffix
		}
	}
	return strconv.FormatFloat(v*1e12, 'e', 0, 64)
}

// oneDecimal writes one digit after the point, none where it would be 0.
func oneDecimal(v float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
}

// FormatDuration writes a duration in at most 6 cells, cut off rather than
// rounded: in its largest unit, with the next one as long as the first has one
// digit: 40ms, 0.4s, 18s, 4m10s, 14m, 3h, 3h05m, 12d, 2y. A year is 365 days.
func FormatDuration(d time.Duration) string {
	if d >= 0 {
		return formatSpan(uint64(d))
	}
	return "-" + formatSpan(-uint64(d)) // right for the smallest int64 too
}

// formatSpan is FormatDuration of that many nanoseconds.
func formatSpan(ns uint64) string {
	const (
		ms   = uint64(time.Millisecond)
		sec  = uint64(time.Second)
		mins = 60 * sec
		hour = 60 * mins
		day  = 24 * hour
		year = 365 * day
	)
	switch {
	case ns == 0:
		return "0s"
	case ns < ms:
		return "<1ms"
	case ns < 100*ms:
		return strconv.FormatUint(ns/ms, 10) + "ms"
	case ns < 10*sec:
		return oneDecimal(float64(ns/(100*ms))/10) + "s"
	case ns < mins:
		return strconv.FormatUint(ns/sec, 10) + "s"
	case ns < hour:
		return twoUnits(ns, mins, "m", sec, "s")
	case ns < day:
		return twoUnits(ns, hour, "h", mins, "m")
	case ns < 1000*day:
		return twoUnits(ns, day, "d", hour, "h")
	}
	return strconv.FormatUint(ns/year, 10) + "y"
}

// twoUnits writes so many of the large unit, and while that is one digit the
// rest in the small one, two digits wide, unless it is 0.
func twoUnits(ns, large uint64, largeName string, small uint64, smallName string) string {
	n, rest := ns/large, ns%large/small
	var room [32]byte
	out := append(strconv.AppendUint(room[:0], n, 10), largeName...)
	if n >= 10 || rest == 0 {
		return string(out)
	}
	if rest < 10 {
		out = append(out, '0')
	}
	return string(append(strconv.AppendUint(out, rest, 10), smallName...))
}

// FormatDrain writes a drain estimate: "–", "done", "~26s", "never", "stuck".
// Less than a second is written as ~1s: an estimate is no finer than that.
func FormatDrain(d Drain) string {
	switch d.Kind {
	case DrainDone:
		return "done"
	case DrainIn:
		return "~" + FormatDuration(max(d.In, time.Second).Truncate(time.Second))
	case DrainNever:
		return "never"
	case DrainStuck:
		return "stuck"
	case DrainUnknown:
	}
	return Unknown
}

// FormatAge writes how long before now something was: "0.4s ago", "in 1d" for
// the future, "–" for the zero time.
func FormatAge(at, now time.Time) string {
	if at.IsZero() {
		return Unknown
	}
	age := now.Sub(at) // saturates, never overflows
	if age < 0 {
		return "in " + strings.TrimPrefix(FormatDuration(age), "-")
	}
	return FormatDuration(age) + " ago"
}

// FormatClock writes the time of day: 14:57:03Z in UTC, 15:57:03 in local time;
// "–" for the zero time.
func FormatClock(t time.Time, utc bool) string {
	switch {
	case t.IsZero():
		return Unknown
	case utc:
		return t.UTC().Format("15:04:05Z")
	}
	return t.Local().Format("15:04:05")
}

// FormatSize writes a byte count: 812 B, 1.2 KiB, 20 MiB; "–" below zero, which
// is how Kafka says that there is no size.
func FormatSize(n int64) string {
	switch {
	case n < 0:
		return Unknown
	case n < 1024:
		return strconv.FormatInt(n, 10) + " B"
	}
	v, units := float64(n)/1024, []string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	for v >= 1023.5 && len(units) > 1 {
		v, units = v/1024, units[1:]
	}
	if v < 9.95 {
		return oneDecimal(v) + " " + units[0]
	}
	return strconv.FormatFloat(v, 'f', 0, 64) + " " + units[0]
}
