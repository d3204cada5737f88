package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sharetop/model"
)

// fakeGroup is a share group in memory that one person joins: it hands out
// records and takes decisions.
type fakeGroup struct {
	mu      sync.Mutex
	records []model.HeldRecord
	joinErr error
	// outcome is what every acknowledgement gets; stuck makes leaving wait for
	// its context or for Abandon.
	outcome   model.Outcome
	sendErr   error
	stuck     bool
	trouble   string
	acks      []model.Acknowledgement
	renewed   []model.RecordID
	took      []int
	left      int
	abandoned chan struct{}
	once      sync.Once
	joined    model.JoinRequest
	held      []model.RecordID
	// deliveries are those of the records; answers lets acknowledgements and renewals
	// be answered, nil at once.
	deliveries map[model.RecordID]int
	answers    chan struct{}
	// beside is given back with each answer.
	beside []model.AckResult
	// begun is what the person asked for, in the order in which it began.
	begun []string
	// decided is told by leaving.
	decided []model.AckResult
}

func newFakeGroup(deliveries ...int) *fakeGroup {
	g := &fakeGroup{outcome: model.OutcomeDone, deliveries: make(map[model.RecordID]int)}
	for i, n := range deliveries {
		offset := 9120 + int64(i)
		g.deliveries[model.RecordID{Topic: model.NewTopicName("refunds"), Offset: offset}] = n
		g.records = append(g.records, model.HeldRecord{
			ID: model.RecordID{Topic: model.NewTopicName("refunds"), Offset: offset}, Delivery: n, Lock: fakeLock,
			Record: &model.Record{
				Topic: model.NewTopicName("refunds"), Offset: offset, Millis: fixtureTime().UnixMilli(),
				Key:   model.NewBlob(fmt.Appendf(nil, "r-%d", offset)),
				Value: model.NewBlob(fmt.Appendf(nil, `{"refund":%d,"amount":"12.00"}`, offset)),
			},
		})
	}
	return g
}

func (g *fakeGroup) Join(_ context.Context, r model.JoinRequest) (Session, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.joined, g.abandoned = r, make(chan struct{})
	if g.joinErr != nil {
		return nil, g.joinErr
	}
	return &fakeSession{g, time.Now()}, nil
}

type fakeSession struct {
	*fakeGroup
	began time.Time
}

func (s *fakeSession) Terms() model.SessionTerms {
	return model.SessionTerms{
		Group: s.joined.Group, Topics: s.joined.Topics, DeliveryLimit: model.Known(5), Heartbeat: 5 * time.Second,
		DeadLetters: model.NewTopicName("dlq.refunds"), ClientID: model.NewText("sharetop@bastion1"),
	}
}

func (s *fakeSession) Take(ctx context.Context, most int) ([]model.HeldRecord, error) {
	s.mu.Lock()
	s.took = append(s.took, most)
	n := min(most, len(s.records))
	out := s.records[:n:n]
	s.records = s.records[n:]
	for i := range out {
		out[i].LockEnds = fixtureTime().Add(time.Since(s.began)).Add(fakeLock)
		s.held = append(s.held, out[i].ID)
	}
	s.mu.Unlock()
	if n == 0 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return out, nil
}

// note books what was begun, in order.
func (s *fakeSession) note(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun = append(s.begun, what)
}

// awaitAnswer waits until the group answers.
func (s *fakeSession) awaitAnswer() {
	if s.answers != nil {
		<-s.answers
	}
}

func (s *fakeSession) StartAcknowledge(acks []model.Acknowledgement) (wait func() ([]model.AckResult, error)) {
	s.note("send")
	return func() ([]model.AckResult, error) { return s.acknowledge(acks) }
}

func (s *fakeSession) acknowledge(acks []model.Acknowledgement) ([]model.AckResult, error) {
	s.awaitAnswer()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sendErr != nil {
		return nil, s.sendErr
	}
	s.acks = append(s.acks, acks...)
	var out []model.AckResult
	for _, a := range acks {
		out = append(out, model.AckResult{ID: a.ID, Decision: a.Decision, Outcome: s.outcome, Took: 3 * time.Millisecond})
	}
	s.held = nil
	return append(out, s.beside...), nil
}

func (s *fakeSession) StartRenew(ids []model.RecordID) (wait func() ([]model.AckResult, error)) {
	s.note("renew")
	return func() ([]model.AckResult, error) { return s.renew(ids) }
}

func (s *fakeSession) renew(ids []model.RecordID) ([]model.AckResult, error) {
	s.awaitAnswer()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.renewed = append(s.renewed, ids...)
	var out []model.AckResult
	for _, id := range ids {
		out = append(out, model.AckResult{
			ID: id, Delivery: s.deliveries[id], Outcome: s.outcome, Lock: fakeLock, LockEnds: fixtureTime().Add(time.Since(s.began)).Add(fakeLock),
		})
	}
	return append(out, s.beside...), nil
}

func (s *fakeSession) Leave(ctx context.Context) model.LeaveResult {
	s.note("leave")
	if s.stuck {
		ctx, cancel := context.WithTimeout(ctx, leaveTakes)
		defer cancel()
		select {
		case <-ctx.Done():
		case <-s.abandoned:
		}
		r := model.LeaveResult{Group: s.joined.Group, Why: "did not answer in time"}
		for _, id := range s.held {
			r.NotReleased = append(r.NotReleased, model.LockedRecord{ID: id, LockEnds: fixtureTime().Add(fakeLock)})
		}
		return r
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left++
	return model.LeaveResult{Group: s.joined.Group, Left: true, Released: s.held, Decided: s.decided}
}

func (s *fakeSession) Abandon() { s.once.Do(func() { close(s.abandoned) }) }

func (s *fakeSession) Trouble() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.trouble
}

// readable is the incident with a topic that payments-retry reads.
func readable() *model.Board {
	b := incident()
	for _, g := range b.Snapshot.Groups {
		if g.ID.Raw() == "payments-retry" {
			g.Described = fixtureTime()
			g.Members = []model.Member{{Subscribed: []model.TopicName{model.NewTopicName("refunds")}}}
		}
	}
	slices.SortFunc(b.Snapshot.Groups, func(a, b *model.Group) int { return strings.Compare(a.ID.Raw(), b.ID.Raw()) })
	return b
}

// consuming runs a test on the consume page of a fake group that has been
// joined by keys.
func consuming(t *testing.T, g *fakeGroup, test func(d *driver)) {
	t.Helper()
	drive(t, 118, 30, func(d *driver) {
		d.board(readable())
		d.joins()
		test(d)
	}, func(c *Config) { c.Consumer = g })
}

// joins joins the group under the cursor by keys: C, then the last line.
func (d *driver) joins() {
	d.t.Helper()
	d.keys("C", "down", "enter")
}

func (d *driver) consumePage() *consumePage {
	d.t.Helper()
	p := d.app.consuming()
	if p == nil {
		d.t.Fatalf("no session is open:\n%s", d.text())
	}
	return p
}
