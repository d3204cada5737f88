//go:build unix

package test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// consumer is a share consumer that accepts everything.
type consumer struct {
	mu       sync.Mutex
	accepted int
	more     chan struct{}
	// close leaves the group; a second time does nothing.
	close func()
}

// accept starts a share consumer that ends with the test.
func accept(t *testing.T, c cluster, topic, group string) *consumer {
	t.Helper()
	client, err := kgo.NewClient(
		kgo.SeedBrokers(c.Bootstrap()...), kgo.ConsumeTopics(topic), kgo.ShareGroup(group), kgo.DisableClientMetrics(),
	)
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	a := &consumer{more: make(chan struct{}, 1)}
	var running sync.WaitGroup
	running.Go(func() { a.run(ctx, client) })
	a.close = func() {
		cancel()
		running.Wait()
		client.Close()
	}
	t.Cleanup(a.close)
	return a
}

func (a *consumer) run(ctx context.Context, client *kgo.Client) {
	for ctx.Err() == nil {
		records := client.PollRecords(ctx, -1).Records()
		client.MarkAcks(kgo.AckAccept, records...)
		if client.FlushAcks(ctx) != nil {
			return
		}
		a.mu.Lock()
		a.accepted += len(records)
		a.mu.Unlock()
		select {
		case a.more <- struct{}{}:
		default:
		}
	}
}

// waitFor waits until n records have been accepted.
func (a *consumer) waitFor(t *testing.T, n int) {
	t.Helper()
	deadline := time.After(stepTimeout)
	for {
		a.mu.Lock()
		accepted := a.accepted
		a.mu.Unlock()
		if accepted >= n {
			return
		}
		select {
		case <-a.more:
		case <-deadline:
			t.Fatalf("%d records were accepted, want %d", accepted, n)
		}
	}
}
