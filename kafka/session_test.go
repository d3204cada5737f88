package kafka

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// logbook is an audit file in memory.
type logbook struct {
	mu      sync.Mutex
	entries []model.AuditEntry
	err     error
}

func (l *logbook) Record(entries ...model.AuditEntry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return l.err
	}
	l.entries = append(l.entries, entries...)
	return nil
}

func (l *logbook) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = err
}

// of counts the entries with an action and an outcome.
func (l *logbook) of(action, outcome string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, e := range l.entries {
		if e.Action == action && e.Outcome == outcome {
			n++
		}
	}
	return n
}

// sessionClient is a client that sessions are opened with.
func sessionClient(t *testing.T, c *kfake.Cluster, opts Options) *Client {
	t.Helper()
	opts.Now = time.Now
	client, err := Open(model.Connection{Bootstrap: c.ListenAddrs()}, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func joinSession(t *testing.T, client *Client, group string, book *logbook, topics ...string) *Session {
	t.Helper()
	s, err := client.Join(t.Context(), request(group, topics...), JoinOptions{Audit: book, Who: "me@here"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Leave(context.Background()) })
	return s
}

// billingSession is a session of the group "billing", which is at the beginning of
// one record in each of the 3 partitions of "orders", on one broker.
func billingSession(t *testing.T, book *logbook) (*kfake.Cluster, *Session) {
	t.Helper()
	c := fakeCluster(t, kfakeBrokers(1))
	produce(t, c, "orders", 1)
	place(t, c, "orders", 0, "billing")
	return c, joinSession(t, sessionClient(t, c, Options{}), "billing", book, "orders")
}

func request(group string, topics ...string) model.JoinRequest {
	r := model.JoinRequest{Group: model.NewGroupID(group)}
	for _, topic := range topics {
		r.Topics = append(r.Topics, model.NewTopicName(topic))
	}
	return r
}

func take(t *testing.T, s *Session, most int) []model.HeldRecord {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patienceOfTests)
	defer cancel()
	records, err := s.Take(ctx, most)
	if err != nil {
		t.Fatal(err)
	}
	return records
}

func decide(t *testing.T, s *Session, d model.Decision, records ...model.HeldRecord) []model.AckResult {
	t.Helper()
	acks := make([]model.Acknowledgement, len(records))
	for i, r := range records {
		acks[i] = model.Acknowledgement{ID: r.ID, Decision: d}
	}
	results, err := s.Acknowledge(t.Context(), acks)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

func wantOutcome(t *testing.T, results []model.AckResult, n int, want model.Outcome) {
	t.Helper()
	if len(results) != n {
		t.Errorf("%d results, want %d", len(results), n)
	}
	for _, r := range results {
		if r.Outcome != want {
			t.Errorf("%s: %v (%s), want %v", r.ID, r.Outcome, r.Detail, want)
		}
	}
}

// startAndLag are a group's start offsets and lag, summed over the partitions.
func startAndLag(t *testing.T, c *kfake.Cluster, group string) (start, lag int64) {
	t.Helper()
	answers, err := kadm.NewClient(plainClient(t, c)).DescribeShareGroupOffsets(t.Context(), group)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range answers[group].Offsets.Sorted() {
		start += p.StartOffset
		lag += p.Lag
	}
	return start, lag
}

func TestSessionTakesExactlySoManyAndDecides(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfakeBrokers(2))
	produce(t, c, "orders", 10)
	place(t, c, "orders", 0, "billing")
	book := &logbook{}
	s := joinSession(t, sessionClient(t, c, Options{}), "billing", book, "orders")

	records := take(t, s, 7)
	if len(records) > 7 || len(records) == 0 {
		t.Fatalf("%d records, want at most 7", len(records))
	}
	for _, r := range records {
		if r.Delivery != 1 || string(r.Record.Value.Bytes()) != "x" || r.Lock <= 0 {
			t.Errorf("record %+v", r)
		}
	}
	if _, err := s.Take(t.Context(), 1); err == nil || !strings.Contains(err.Error(), "still held") {
		t.Errorf("a take while records are held: %v", err)
	}
	wantOutcome(t, decide(t, s, model.Accept, records...), len(records), model.OutcomeDone)
	if _, lag := startAndLag(t, c, "billing"); lag != int64(30-len(records)) {
		t.Errorf("lag %d after accepting %d of 30", lag, len(records))
	}
	if n := book.of("accept", "sending"); n != len(records) || book.of("accept", "done") != n {
		t.Errorf("the audit file has %d accepts", n)
	}
}

func TestSessionReleaseRejectRenew(t *testing.T) {
	t.Parallel()
	_, s := billingSession(t, &logbook{})

	records := take(t, s, 10)
	if len(records) != 3 {
		t.Fatalf("%d records, want 3", len(records))
	}
	renewed, err := s.Renew(t.Context(), []model.RecordID{records[0].ID})
	if err != nil {
		t.Fatal(err)
	}
	wantOutcome(t, renewed, 1, model.OutcomeDone)
	if !renewed[0].LockEnds.After(records[0].LockEnds) {
		t.Errorf("the lock ends at %v, it ended at %v before", renewed[0].LockEnds, records[0].LockEnds)
	}
	wantOutcome(t, decide(t, s, model.Reject, records[0]), 1, model.OutcomeDone)
	wantOutcome(t, decide(t, s, model.Release, records[1:]...), 2, model.OutcomeDone)

	again := take(t, s, 10)
	if len(again) != 2 {
		t.Fatalf("%d records after a reject of one and a release of two", len(again))
	}
	for _, r := range again {
		if r.Delivery != 2 || r.ID == records[0].ID {
			t.Errorf("%s comes on delivery %d", r.ID, r.Delivery)
		}
	}
}

func TestLeavingReleasesAll(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfakeBrokers(3))
	produce(t, c, "orders", 5)
	place(t, c, "orders", 0, "billing")
	client := sessionClient(t, c, Options{})
	book := &logbook{}
	s := joinSession(t, client, "billing", book, "orders")
	held := take(t, s, 15)
	left := s.Leave(t.Context())
	if !left.Left || len(left.Released) != len(held) || len(left.NotReleased) > 0 {
		t.Errorf("held %d, left with %+v", len(held), left)
	}
	if _, lag := startAndLag(t, c, "billing"); lag != 15 {
		t.Errorf("lag %d of 15 after leaving without a decision", lag)
	}
	if book.of("release", "done") != len(held) || book.of("leave", "done") != 1 {
		t.Errorf("the audit file has %+v", book.entries)
	}
	next := joinSession(t, client, "billing", &logbook{}, "orders")
	for _, r := range take(t, next, 15) {
		if slices.ContainsFunc(held, func(h model.HeldRecord) bool { return h.ID == r.ID }) && r.Delivery != 2 {
			t.Errorf("%s comes on delivery %d, want 2", r.ID, r.Delivery)
		}
	}
}

func TestJoinIsRefused(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfakeBrokers(1))
	consumer := plainClient(t, c, kgo.ConsumerGroup("readers"), kgo.ConsumeTopics("orders"))
	produce(t, c, "orders", 1)
	consumer.PollFetches(t.Context())
	w := newWitness()
	readOnly, err := Open(model.Connection{Bootstrap: c.ListenAddrs(), ReadOnly: true}, Options{Now: time.Now, Dial: w.dial})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(readOnly.Close)
	client := sessionClient(t, c, Options{})
	broken := &logbook{err: errors.New("disk full")}
	for name, test := range map[string]struct {
		client *Client
		group  string
		topics []string
		audit  Auditor
		says   string
	}{
		"read-only":            {readOnly, "billing", []string{"orders"}, &logbook{}, "read-only"},
		"no audit":             {client, "billing", []string{"orders"}, nil, "audit"},
		"audit can't be kept":  {client, "billing", []string{"orders"}, broken, "disk full"},
		"no topics":            {client, "billing", nil, &logbook{}, "no topic"},
		"no such topic":        {client, "billing", []string{"nope"}, &logbook{}, "nope"},
		"a consumer group's":   {client, "readers", []string{"orders"}, &logbook{}, "belongs to a"},
		"a name for the shell": {client, "readers\x1b[2J", []string{"nope\x1b[2J"}, &logbook{}, `\e[2J`},
	} {
		_, err := test.client.Join(t.Context(), request(test.group, test.topics...), JoinOptions{Audit: test.audit})
		if err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, key := range []kmsg.Key{kmsg.ShareGroupHeartbeat, kmsg.ShareFetch, kmsg.ShareAcknowledge, kmsg.FindCoordinator} {
		if w.keys()[key.Int16()] {
			t.Errorf("a %s frame left in read-only mode", key.Name())
		}
	}
}

func TestUndecidedIsNeverSent(t *testing.T) {
	t.Parallel()
	c, s := billingSession(t, &logbook{})
	held := take(t, s, 1)
	sent := count(c)
	for _, d := range []model.Decision{model.Undecided, 9} {
		if _, err := s.Acknowledge(t.Context(), []model.Acknowledgement{{ID: held[0].ID, Decision: d}}); err == nil {
			t.Errorf("decision %d was sent", d)
		}
	}
	if n := sent.of(kmsg.ShareAcknowledge); n != 0 {
		t.Errorf("%d acknowledgements left", n)
	}
}

func TestLockThatEnded(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfakeBrokers(1), kfake.BrokerConfigs(map[string]string{
		"group.share.record.lock.duration.ms": "1000", "share.record.lock.sweep.interval.ms": "100",
	}))
	produce(t, c, "orders", 1)
	place(t, c, "orders", 0, "billing")
	s := joinSession(t, sessionClient(t, c, Options{}), "billing", &logbook{}, "orders")
	held := take(t, s, 3)
	// The next take waits for the locks to end: it is what a person sees too.
	again := take(t, s, 3)
	if len(again) == 0 || again[0].Delivery != 2 {
		t.Errorf("after the locks ended: %+v", again)
	}
	_ = held
}

func TestTwoSessionsNeverHoldTheSame(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfakeBrokers(3))
	produce(t, c, "orders", 20)
	place(t, c, "orders", 0, "billing")
	client := sessionClient(t, c, Options{})
	var mu sync.Mutex
	holders := make(map[model.RecordID]int)
	finished := 0
	ctx, allDone := context.WithTimeout(t.Context(), patienceOfTests)
	defer allDone()
	work := func(n int, s *Session) {
		for {
			records, err := s.Take(ctx, 5)
			if err != nil {
				return
			}
			mu.Lock()
			for _, r := range records {
				if other := holders[r.ID]; other != 0 {
					t.Errorf("%s is held by %d and %d", r.ID, other, n)
				}
				holders[r.ID] = n
			}
			mu.Unlock()
			acks := make([]model.Acknowledgement, len(records))
			for i, r := range records {
				acks[i] = model.Acknowledgement{ID: r.ID, Decision: model.Accept}
				if r.ID.Offset%3 == 0 && r.Delivery == 1 {
					acks[i].Decision = model.Release
				}
			}
			mu.Lock()
			for _, a := range acks {
				delete(holders, a.ID)
			}
			results, err := s.Acknowledge(ctx, acks)
			for _, r := range results {
				if r.Decision == model.Accept && r.Outcome == model.OutcomeDone {
					finished++
				}
			}
			if finished >= 60 {
				allDone()
			}
			mu.Unlock()
			if err != nil {
				t.Error(err)
				return
			}
		}
	}
	var wg sync.WaitGroup
	for n := 1; n <= 2; n++ {
		s := joinSession(t, client, "billing", &logbook{}, "orders")
		wg.Go(func() { work(n, s) })
	}
	wg.Wait()
	if _, lag := startAndLag(t, c, "billing"); lag != 0 {
		t.Errorf("lag %d at the end, %d accepted", lag, finished)
	}
}
