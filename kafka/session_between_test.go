package kafka

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// This file is about what begins while something else of the same session waits
// for its turn at a broker, is on its way, or has just been answered.

// lined makes an Acknowledge or Renew that has lined up and does nothing more yet;
// what it returns goes on with it.
func lined(t *testing.T, s *Session, kind int8, d model.Decision, records ...model.HeldRecord) func() []model.AckResult {
	t.Helper()
	orders := make([]order, len(records))
	for i, r := range records {
		orders[i] = order{id: r.ID, decision: d, kind: kind}
	}
	batches, unknown, err := s.lineUpOrders(orders)
	if err != nil || len(unknown) > 0 {
		t.Fatalf("%v not held, %v", unknown, err)
	}
	return func() []model.AckResult {
		results, err := s.send(context.Background(), batches, kind == wireRenew)
		if err != nil {
			t.Error(err)
		}
		return results
	}
}

// frozen lets a broker not answer requests with a key until the test is over;
// arrived has an element for each that came.
func frozen(t *testing.T, c *kfake.Cluster, key kmsg.Key) (arrived <-chan struct{}) {
	t.Helper()
	arrived, release := holdBack(c, key)
	t.Cleanup(release)
	return arrived
}

// beginsToLeave leaves, and returns once that has begun.
func beginsToLeave(ctx context.Context, s *Session) <-chan model.LeaveResult {
	left := make(chan model.LeaveResult, 1)
	go func() { left <- s.Leave(ctx) }()
	<-s.leaving
	return left
}

// What has lined up for its turn when leaving begins is sent before it: a person
// has confirmed it before.
func TestLeavingWaitsForWhatHasLinedUp(t *testing.T) {
	t.Parallel()
	book := &logbook{}
	c, s := billingSession(t, book)
	held := take(t, s, 3)
	accept := lined(t, s, wireAccept, model.Accept, held[0])
	left := beginsToLeave(t.Context(), s)
	wantOutcome(t, accept(), 1, model.OutcomeDone)
	result := <-left
	if len(result.Released) != 2 || len(result.Decided) != 1 || result.Decided[0].ID != held[0].ID || result.Decided[0].Outcome != model.OutcomeDone {
		t.Errorf("left with %+v", result)
	}
	if _, lag := startAndLag(t, c, "billing"); lag != 2 {
		t.Errorf("lag %d", lag)
	}
	if accepted, released := book.at("accept", "done"), book.at("release", "sending"); accepted < 0 || accepted > released {
		t.Errorf("the audit file tells of the accept at %d, and of the releases from %d on", accepted, released)
	}
	if _, err := s.Acknowledge(t.Context(), []model.Acknowledgement{{ID: held[1].ID, Decision: model.Accept}}); !errors.Is(err, errLeaving) {
		t.Errorf("after it: %v", err)
	}
}

// at is where the first entry with an action and an outcome stands; −1 for none.
func (l *logbook) at(action, outcome string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.IndexFunc(l.entries, func(e model.AuditEntry) bool { return e.Action == action && e.Outcome == outcome })
}

// A decision that is on its way and not answered until leaving ends may have
// happened: it is not said to be a release that failed. What waits behind it does
// not leave any more, and is.
func TestLeavingWhileADecisionIsNotAnswered(t *testing.T) {
	t.Parallel()
	book := &logbook{}
	c, s := billingSession(t, book)
	held := take(t, s, 3)
	arrived := frozen(t, c, kmsg.ShareAcknowledge)
	accept, reject := lined(t, s, wireAccept, model.Accept, held[0]), lined(t, s, wireReject, model.Reject, held[1])
	accepted, rejected := make(chan []model.AckResult, 1), make(chan []model.AckResult, 1)
	go func() { accepted <- accept() }()
	<-arrived
	go func() { rejected <- reject() }()
	ctx, cancel := context.WithCancel(t.Context())
	left := beginsToLeave(ctx, s)
	cancel()
	result := <-left
	answered := <-accepted
	wantOutcome(t, answered[:1], 1, model.OutcomeNoAnswer)
	wantOutcome(t, answered[1:], 2, model.OutcomeGivenBack)
	wantOutcome(t, <-rejected, 1, model.OutcomeNotSent)
	if len(result.Unanswered) != 1 || result.Unanswered[0].ID != held[0].ID || result.Unanswered[0].Decision != model.Accept {
		t.Errorf("the decision that is on its way: %+v", result.Unanswered)
	}
	if len(result.NotReleased) != 2 || len(result.Released)+len(result.Decided) > 0 || result.FetchCut {
		t.Errorf("left with %+v", result)
	}
	if book.of("accept", "no answer") != 1 || book.of("reject", "not sent") != 1 || book.of("release", "not sent") != 2 {
		t.Errorf("the audit file has %+v", book.entries)
	}
}

// A second decision about a record that waits for its turn is not sent once the
// first was: the broker would refuse all others of the partition with it.
func TestASecondDecisionAboutARecord(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfakeBrokers(1))
	produce(t, c, "orders", 2)
	place(t, c, "orders", 0, "billing")
	s := joinSession(t, sessionClient(t, c, Options{}), "billing", &logbook{}, "orders")
	held := take(t, s, 6)
	same := slices.DeleteFunc(slices.Clone(held), func(r model.HeldRecord) bool { return r.ID.Partition != held[0].ID.Partition })
	first, second := lined(t, s, wireAccept, model.Accept, same[0]), lined(t, s, wireReject, model.Reject, same...)
	third := lined(t, s, wireRenew, model.Undecided, same...)
	wantOutcome(t, first(), 1, model.OutcomeDone)
	for _, r := range second() {
		if want := map[bool]model.Outcome{true: model.OutcomeNotHolder, false: model.OutcomeDone}[r.ID == same[0].ID]; r.Outcome != want {
			t.Errorf("%s: %v, want %v", r.ID, r.Outcome, want)
		}
	}
	wantOutcome(t, third(), len(same), model.OutcomeNotHolder)
	if left := s.Leave(t.Context()); len(left.Released) != len(held)-len(same) || len(left.Unanswered)+len(left.NotHeld) > 0 {
		t.Errorf("left with %+v", left)
	}
}

// A decision that waits behind a renewal has the lock that the renewal gave.
func TestADecisionBehindARenewal(t *testing.T) {
	t.Parallel()
	c, s := billingSession(t, &logbook{})
	held := take(t, s, 1)
	renew, accept := lined(t, s, wireRenew, model.Undecided, held...), lined(t, s, wireAccept, model.Accept, held...)
	renewed := renew()
	c.ControlKey(kmsg.ShareAcknowledge.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		return nil, errors.New("the connection is cut"), true
	})
	wantOutcome(t, accept(), 1, model.OutcomeNoAnswer)
	left := s.Leave(t.Context())
	if len(left.Unanswered) != 1 || !left.Unanswered[0].LockEnds.Equal(renewed[0].LockEnds) {
		t.Errorf("left with %+v, renewed until %v", left, renewed[0].LockEnds)
	}
}

// firstDone tells when somebody begins to wait for the context.
type firstDone struct {
	context.Context
	asked func()
}

func (c firstDone) Done() <-chan struct{} {
	c.asked()
	return c.Context.Done()
}

// endLock lets a record's lock be over for the session.
func endLock(s *Session, id model.RecordID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.ledger[id]
	e.ends = e.since
	s.ledger[id] = e
}

// Records are not taken before a renewal is answered that may bring back one
// whose lock looks over.
func TestTakingWaitsForRenewals(t *testing.T) {
	t.Parallel()
	c, s := billingSession(t, &logbook{})
	held := take(t, s, 1)
	arrived, release := holdBack(c, kmsg.ShareAcknowledge)
	renewed := make(chan []model.AckResult, 1)
	go func() {
		results, _ := s.Renew(context.Background(), []model.RecordID{held[0].ID})
		renewed <- results
	}()
	<-arrived
	endLock(s, held[0].ID)
	records, err := s.Take(firstDone{t.Context(), sync.OnceFunc(release)}, 3)
	if err == nil || !strings.Contains(err.Error(), "still held") {
		t.Errorf("took %v, %v", records, err)
	}
	wantOutcome(t, <-renewed, 1, model.OutcomeDone)
	wantOutcome(t, decide(t, s, model.Accept, held...), 1, model.OutcomeDone)
}

// someoneWaits waits until something has lined up behind a turn.
func someoneWaits(b *sessionBroker, behind *turn) {
	waits := func() bool {
		b.turns.mu.Lock()
		defer b.turns.mu.Unlock()
		return b.turns.last != (<-chan struct{})(behind.over)
	}
	for !waits() {
		runtime.Gosched()
	}
}

// A fetch that was not sent when leaving begins is not sent any more.
func TestNoFetchAfterLeavingHasBegun(t *testing.T) {
	t.Parallel()
	c, s := billingSession(t, &logbook{})
	decide(t, s, model.Accept, take(t, s, 1)...)
	b := s.everyBroker[0]
	before, _ := s.lineUp(b)
	sent := count(c)
	fetched := make(chan error, 1)
	go func() {
		_, err := s.fetch(b, nil, 1, 0)
		fetched <- err
	}()
	someoneWaits(b, before)
	left := beginsToLeave(t.Context(), s)
	before.end()
	if err := <-fetched; !errors.Is(err, errLeaving) {
		t.Errorf("waiting when leaving began: %v", err)
	}
	if _, err := s.fetch(b, nil, 1, 0); !errors.Is(err, errLeaving) {
		t.Errorf("after it: %v", err)
	}
	if result := <-left; result.FetchCut || sent.of(kmsg.ShareFetch) > 0 {
		t.Errorf("left with %+v, %d fetches", result, sent.of(kmsg.ShareFetch))
	}
}

// A fetch that fails while the session is being left may have acquired records:
// there is nobody but leaving to tell it.
func TestLeavingTellsOfAFetchThatFailed(t *testing.T) {
	t.Parallel()
	c, s := billingSession(t, &logbook{})
	came, gate := make(chan struct{}, 1), make(chan struct{})
	c.ControlKey(kmsg.ShareFetch.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		came <- struct{}{}
		c.SleepControl(func() { <-gate })
		return nil, errors.New("the connection is cut"), true
	})
	go func() { _, _ = s.Take(context.Background(), 3) }()
	<-came
	if left := leaveBehind(t, s, func() { close(gate) }); !left.FetchCut || !left.Left {
		t.Errorf("left with %+v", left)
	}
}

// A heartbeat that is on its way when leaving begins is answered before: one that
// joins again, since the coordinator had dropped the member, would else make a
// member that nobody is.
func TestLeavingIsTheLastHeartbeat(t *testing.T) {
	t.Parallel()
	c, s := billingSession(t, &logbook{})
	take(t, s, 1)
	adm := kadm.NewClient(plainClient(t, c))
	members := func() int {
		groups, err := adm.DescribeShareGroups(t.Context(), "billing")
		if err != nil {
			t.Error(err)
		}
		return len(groups["billing"].Members)
	}
	closed := make(chan struct{}, 1)
	control(c, kmsg.ShareAcknowledge, func(kmsg.Request) kmsg.Response {
		closed <- struct{}{}
		return nil
	})
	onItsWay := s.beats.next() // stands for a heartbeat
	left := beginsToLeave(t.Context(), s)
	<-closed
	if n := members(); n != 1 {
		t.Errorf("%d members before the heartbeat is answered", n)
	}
	onItsWay.end()
	if result := <-left; !result.Left || members() > 0 {
		t.Errorf("left with %+v, and %d members", result, members())
	}
	if over, _ := s.beatOnce(); !over {
		t.Error("a heartbeat after leaving")
	}
}

// A lock that ends while leaving waits for its turn has given its record back.
func TestALockThatEndsWhileLeavingIsNamed(t *testing.T) {
	t.Parallel()
	_, s := billingSession(t, &logbook{})
	held := take(t, s, 2)
	before, _ := s.lineUp(s.everyBroker[0])
	left := beginsToLeave(t.Context(), s)
	endLock(s, held[0].ID)
	before.end()
	if result := <-left; len(result.Released) != 2 {
		t.Errorf("left with %+v", result)
	}
}

func TestTurnsAreInOrder(t *testing.T) {
	t.Parallel()
	var line turns
	first, given, third := line.next(), line.next(), line.next()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := given.await(over); err == nil {
		t.Error("a turn came before the one before it was over")
	}
	if err := third.await(over); err == nil {
		t.Error("giving up a turn lets the next one in")
	}
	fourth := line.next()
	first.end()
	if err := fourth.await(t.Context()); err != nil {
		t.Error(err)
	}
	fourth.end()
	if err := line.next().await(over); err != nil {
		t.Errorf("a free turn is not given: %v", err)
	}
}

// Acknowledging is not cancelled with who asked for it once it is on its way: that
// would cut the connection, and nobody knew what came of it.
func TestADecisionOnItsWayIsNotCancelled(t *testing.T) {
	t.Parallel()
	c, s := billingSession(t, &logbook{})
	held := take(t, s, 1)
	arrived, release := holdBack(c, kmsg.ShareAcknowledge)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan []model.AckResult, 1)
	go func() {
		results, _ := s.Acknowledge(ctx, []model.Acknowledgement{{ID: held[0].ID, Decision: model.Accept}})
		done <- results
	}()
	<-arrived
	cancel()
	release()
	wantOutcome(t, <-done, 1, model.OutcomeDone)
}
