package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Bounds of one Fetch of a load: small enough that answers do not show in the
// memory that the program takes.
const (
	loadFetchBytes     = 4 << 20
	loadPartitionBytes = 1 << 20
	// loadWait is how long a leader may wait for something to send; there is
	// something, since only what lies below the ends is asked for.
	loadWait = 250 * time.Millisecond
	// loadIdle is how many answers in a row may bring nothing.
	loadIdle = 4
)

// load reads up to the ends that were sampled before it, by plain Fetch requests
// to all leaders side by side. A consumer would read the same, but takes four
// round trips to its first record; it is made meanwhile and reads on from there.
func (t *tail) load(ctx context.Context, facts *stateTopicFacts, parts []int32) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	byLeader := make(map[int32][]int32, 3)
	for _, id := range parts {
		byLeader[facts.leaders[id]] = append(byLeader[facts.leaders[id]], id)
	}
	errs := make(chan error, len(byLeader))
	for leader, led := range byLeader {
		t.c.wg.Go(func() { errs <- t.loadFrom(ctx, facts, leader, led) })
	}
	var first error
	for range byLeader {
		if err := <-errs; err != nil && first == nil {
			first = err
			cancel()
		}
	}
	return first
}

// loadFrom reads the partitions of one leader.
func (t *tail) loadFrom(ctx context.Context, facts *stateTopicFacts, leader int32, parts []int32) error {
	l := t.c.nodes.link(leader)
	if l == nil {
		return fmt.Errorf("%d partitions of %s have no leader that can be asked", len(parts), stateTopic)
	}
	unpack, err := l.decompressor()
	if err != nil {
		return err
	}
	f := fetching{topic: stateTopic, id: facts.id, wait: loadWait, bytes: loadFetchBytes, partBytes: loadPartitionBytes}
	for idle := 0; idle < loadIdle; {
		from := t.unread(parts)
		if len(from) == 0 {
			return nil
		}
		resp, err := ask[*kmsg.FetchResponse](ctx, l, roleTail, f.request(from...))
		if err != nil {
			return err
		}
		if err := kerr.ErrorForCode(resp.ErrorCode); err != nil {
			return err
		}
		moved, err := t.takeLoaded(resp, unpack)
		switch {
		case err != nil:
			return err
		case moved:
			idle = 0
		default:
			idle++
		}
	}
	return fmt.Errorf("broker %d sends nothing of %s below its ends", leader, stateTopic)
}

// unread is where to go on in those of the partitions that are not read up to
// where the load goes.
func (t *tail) unread(parts []int32) []fetchFrom {
	t.mu.Lock()
	defer t.mu.Unlock()
	var from []fetchFrom
	for _, id := range parts {
		if p := t.parts[id]; p.next < p.target {
			from = append(from, fetchFrom{id, p.next})
		}
	}
	return from
}

// takeLoaded applies an answer, and holds the budget; moved tells whether it
// brought the load on.
func (t *tail) takeLoaded(resp *kmsg.FetchResponse, unpack kgo.Decompressor) (moved bool, err error) {
	now := t.c.opts.Now()
	if !t.c.demand.active(now) {
		return false, errPaused
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	var failed []kgo.FetchError
	for i := range resp.Topics {
		for j := range resp.Topics[i].Partitions {
			p := &resp.Topics[i].Partitions[j]
			on, err := t.takePart(p, unpack, now)
			if err != nil {
				failed = append(failed, kgo.FetchError{Topic: stateTopic, Partition: p.Partition, Err: err})
			}
			moved = moved || on
		}
	}
	loaded := t.noteLoaded()
	t.tell()
	return moved, errors.Join(t.failedFetch(failed), t.overBudget(now, loaded))
}

// takePart applies what an answer has of one partition; t.mu is held.
func (t *tail) takePart(r *kmsg.FetchResponseTopicPartition, unpack kgo.Decompressor, now time.Time) (moved bool, err error) {
	p := t.parts[r.Partition]
	if p == nil {
		return false, nil
	}
	before := p.next
	if err := kerr.ErrorForCode(r.ErrorCode); err != nil {
		return false, err
	}
	err = t.takeBatches(p, r.Partition, r.RecordBatches, unpack, now.UnixMicro())
	return p.next > before, err
}
