package demo

import (
	"cmp"
	"slices"
	"time"

	"sharetop/kafka/statetopic"
)

// lockIsOver is how long after its delivery a record is free again for sure:
// kfake looks for locks that have ended once a second.
const lockIsOver = lockDuration + 3*time.Second

// others are the share consumers that are not the demo's own, and what they
// hold. It is not safe for concurrent use.
type others struct {
	now func() time.Time
	// held ends with the lock at the latest, and kfake bounds how many records
	// are held of a share-partition.
	held map[recordKey]loan
	// sessions are open ones, and the connections they end with.
	sessions map[sessionKey]*tappedConn
}

type recordKey struct {
	share  statetopic.ShareKey
	offset int64
}

// loan is who holds a record, in which delivery, and when that is over.
type loan struct {
	session sessionKey
	count   int16
	ends    time.Time
}

// settlement is the state that one record has now.
type settlement struct {
	recordKey
	state int8
	count int16
}

func newOthers(now func() time.Time) *others {
	return &others{now: now, held: map[recordKey]loan{}, sessions: map[sessionKey]*tappedConn{}}
}

// see keeps who holds what, and returns what became of records.
func (o *others) see(t told) []settlement {
	if t.begins {
		o.sessions[t.session] = t.conn
	}
	var settled []settlement
	for _, a := range t.acks {
		settled = append(settled, o.acknowledge(t.session, a)...)
	}
	for _, a := range t.acquired {
		for offset := a.first; offset <= a.last; offset++ {
			o.held[recordKey{a.share, offset}] = loan{t.session, a.count, o.now().Add(lockIsOver)}
		}
	}
	return append(settled, o.give(t)...)
}

// acknowledge settles what the member holds. Kafka and kfake pass over offsets
// below the start offset without an error, whoever had them.
func (o *others) acknowledge(by sessionKey, a ackRun) []settlement {
	mine := o.pick(func(r recordKey, l loan) bool {
		return r.share == a.share && a.first <= r.offset && r.offset <= a.last && l.session.member == by.member
	})
	var settled []settlement
	for _, r := range mine {
		l := o.held[r]
		if a.kind(r.offset) == wireRenew {
			l.ends = o.now().Add(lockIsOver)
			o.held[r] = l
			continue
		}
		delete(o.held, r)
		settled = append(settled, settlement{r, stateAfter(a.kind(r.offset), l.count), l.count})
	}
	return settled
}

// stateAfter is the state after an acknowledgement of a type.
func stateAfter(kind int8, count int16) int8 {
	switch {
	case kind == wireAccept:
		return statetopic.StateAcknowledged
	case kind == wireRelease && count < deliveryLimit:
		return statetopic.StateAvailable
	default:
		return statetopic.StateArchived
	}
}

// give releases what goes back with a session, a member or a connection.
func (o *others) give(t told) []settlement {
	switch {
	case t.closes:
		delete(o.sessions, t.session)
		return o.release(func(_ recordKey, l loan) bool { return l.session == t.session })
	case t.leaves:
		return o.release(func(_ recordKey, l loan) bool {
			return l.session.group == t.session.group && l.session.member == t.session.member
		})
	case t.ended:
		gone := map[sessionKey]bool{}
		for session, conn := range o.sessions {
			if conn == t.conn {
				gone[session] = true
				delete(o.sessions, session)
			}
		}
		return o.release(func(_ recordKey, l loan) bool { return gone[l.session] })
	}
	return nil
}

// expire releases what nobody can hold any more.
func (o *others) expire() []settlement {
	now := o.now()
	return o.release(func(_ recordKey, l loan) bool { return !now.Before(l.ends) })
}

// forget drops what is held of a group.
func (o *others) forget(group string) {
	for record := range o.held {
		if record.share.Group == group {
			delete(o.held, record)
		}
	}
}

func (o *others) release(which func(recordKey, loan) bool) []settlement {
	var settled []settlement
	for _, r := range o.pick(which) {
		count := o.held[r].count
		delete(o.held, r)
		settled = append(settled, settlement{r, stateAfter(wireRelease, count), count})
	}
	return settled
}

// pick lists what is held, in the order of the offsets.
func (o *others) pick(which func(recordKey, loan) bool) []recordKey {
	var picked []recordKey
	for r, l := range o.held {
		if which(r, l) {
			picked = append(picked, r)
		}
	}
	slices.SortFunc(picked, func(a, b recordKey) int { return cmp.Compare(a.offset, b.offset) })
	return picked
}
