package model

import (
	"math"
	"time"
)

// maxDrain bounds an estimate: what takes longer is not going to happen at
// this rate, and is told as never.
const maxDrain = 365 * 24 * time.Hour

// drainOf estimates when a lag will be 0:
//
//	stuck    exactly when the severity is SeverityStuck
//	unknown  while the lag is unknown, or before its slope is known
//	done     at a lag of 0 or below with nothing missing
//	in       lag / (records a second that the lag shrinks by)
//	never    when the lag grows or stands still
//	unknown  when it grows between acknowledgements but not over all (a
//	         saw-tooth), since neither number would be true
//
// A lag of 0 with partitions missing is unknown, not done.
func drainOf(severity Severity, lag Number, partial bool, s slope) Drain {
	v, known := lag.Get()
	switch {
	case severity == SeverityStuck:
		return Drain{Kind: DrainStuck}
	case !known || v <= 0 && partial:
		return Drain{}
	case v <= 0:
		return Drain{Kind: DrainDone}
	case !s.known:
		return Drain{}
	case s.perSecond < 0:
		return drainIn(float64(v) / -s.perSecond)
	case s.perSecond > 0 && s.floor <= 0:
		return Drain{}
	}
	return Drain{Kind: DrainNever}
}

// beside is the drain as it stands beside a finding: a group that keeps up has
// a lag that comes and goes, and "never" would say that it does not go.
func (d Drain) beside(finding Finding, read bool) Drain {
	if d.Kind == DrainNever && finding == FindingQuiet && read {
		return Drain{}
	}
	return d
}

func drainIn(seconds float64) Drain {
	if math.IsNaN(seconds) || seconds > maxDrain.Seconds() {
		return Drain{Kind: DrainNever}
	}
	return Drain{Kind: DrainIn, In: time.Duration(seconds * float64(time.Second))}
}
