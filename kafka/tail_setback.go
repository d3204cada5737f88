package kafka

import (
	"errors"
	"fmt"
	"time"
)

// setback is why the state topic can't be read now, and when to try again.
type setback struct {
	// why goes on a sentence: "requests: …".
	why string
	// advice is what would help; empty when nothing but waiting does.
	advice string
	// first is the wait before the next try, doubled after each in a row up to
	// most.
	first, most time.Duration
}

func (s *setback) Error() string { return s.why }

// wait is the time before the next try after n setbacks in a row (n ≥ 1).
func (s *setback) wait(n int) time.Duration {
	return min(s.first<<min(n-1, 10), s.most)
}

// What ends a stay at the state topic without a setback.
var (
	// errPaused: nobody watches.
	errPaused = errors.New("nobody watches")
	// errReload: part of the state topic has to be loaded again.
	errReload = errors.New("part of the state topic has to be loaded again")
)

func errNoStateTopic() *setback {
	return &setback{
		why:   "there is no topic " + stateTopic + " yet: the first share group makes it",
		first: 2 * time.Second, most: 30 * time.Second,
	}
}

func errStateTopicDenied() *setback {
	return &setback{
		why:    "READ on the topic " + stateTopic + " is missing",
		advice: aclCommand("READ", "topic", stateTopic),
		first:  30 * time.Second, most: 5 * time.Minute,
	}
}

func errTooSlow(loaded, total int64, limit time.Duration) *setback {
	return overBudget("load", fmt.Sprintf("loading the state topic takes longer than %s (%d of %d offsets read)", limit, loaded, total))
}

func errTooLarge(limit int64) *setback {
	return overBudget("memory", fmt.Sprintf("the state topic's state takes more than %d MB", limit>>20))
}

func errTooBusy(perSecond, limit int64) *setback {
	return overBudget("rate", fmt.Sprintf("the state topic brings %d kB/s, more than %d kB/s", perSecond/1000, limit/1000))
}

// overBudget names the flag, --state-topic-NAME, that raises the limit.
func overBudget(name, why string) *setback {
	return &setback{
		why: why + ", which is the limit", advice: "raise --state-topic-" + name + ", if the network and this machine allow it",
		first: 5 * time.Minute, most: 30 * time.Minute,
	}
}

func errUnreadable(err error) *setback {
	return &setback{
		why:    safeText(err.Error()),
		advice: "look for a newer sharetop, if the cluster was upgraded",
		first:  time.Minute, most: 10 * time.Minute,
	}
}

func errNotHere(group string, partition int32) *setback {
	return &setback{
		why: fmt.Sprintf("partition %d of %s lacks the state of %s, which belongs there by its hash",
			partition, stateTopic, safeText(group)),
		first: 10 * time.Second, most: 5 * time.Minute,
	}
}

// asSetback is what any other failure means: it may pass soon.
func asSetback(err error) *setback {
	if s, ok := errors.AsType[*setback](err); ok {
		return s
	}
	return &setback{
		why:   "reading the state topic failed: " + safeText(err.Error()),
		first: time.Second, most: time.Minute,
	}
}
