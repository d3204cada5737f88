package kafka

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// holdBack keeps requests with a key from being answered until release is
// called; arrived has an element for each that came.
func holdBack(c *kfake.Cluster, key kmsg.Key) (arrived <-chan struct{}, release func()) {
	came, gate := make(chan struct{}, 100), make(chan struct{})
	c.ControlKey(key.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		came <- struct{}{}
		c.SleepControl(func() { <-gate })
		return nil, nil, false
	})
	return came, func() { close(gate) }
}

// leaveBehind leaves while a request is under way, which is answered then.
func leaveBehind(t *testing.T, s *Session, release func()) model.LeaveResult {
	t.Helper()
	left := make(chan model.LeaveResult, 1)
	go func() { left <- s.Leave(context.Background()) }()
	<-s.leaving
	release()
	return <-left
}

// What is accepted while the session is being left is not said to be released.
func TestLeavingWhileDecisionsAreOnTheirWay(t *testing.T) {
	t.Parallel()
	book := &logbook{}
	c, s := billingSession(t, book)
	held := take(t, s, 3)
	arrived, release := holdBack(c, kmsg.ShareAcknowledge)
	sent := make(chan []model.AckResult, 1)
	go func() {
		results, _ := s.Acknowledge(context.Background(), []model.Acknowledgement{{ID: held[0].ID, Decision: model.Accept}})
		sent <- results
	}()
	<-arrived
	left := leaveBehind(t, s, release)
	wantOutcome(t, <-sent, 1, model.OutcomeDone)
	if len(left.Released) != 2 || len(left.NotReleased)+len(left.Unanswered) > 0 || book.of("release", "done") != 2 {
		t.Errorf("accepted 1 of 3 and left with %+v", left)
	}
	if _, lag := startAndLag(t, c, "billing"); lag != 2 {
		t.Errorf("lag %d", lag)
	}
}

// Decisions and renewals have lined up once they were started: leaving that begins
// right after comes after them, whoever runs first.
func TestLeavingComesAfterWhatWasStarted(t *testing.T) {
	t.Parallel()
	c, s := billingSession(t, &logbook{})
	held := take(t, s, 3)
	renewed := s.StartRenew([]model.RecordID{held[0].ID})
	sent := s.StartAcknowledge([]model.Acknowledgement{{ID: held[0].ID, Decision: model.Accept}})
	left := s.Leave(context.Background())
	for _, wait := range []func() ([]model.AckResult, error){renewed, sent} {
		results, err := wait()
		if err != nil {
			t.Fatal(err)
		}
		wantOutcome(t, results, 1, model.OutcomeDone)
	}
	if len(left.Decided) != 1 || len(left.Released) != 2 {
		t.Errorf("left with %+v", left)
	}
	if _, lag := startAndLag(t, c, "billing"); lag != 2 {
		t.Errorf("lag %d", lag)
	}
	if _, err := s.StartAcknowledge([]model.Acknowledgement{{ID: held[1].ID, Decision: model.Accept}})(); !errors.Is(err, errLeaving) {
		t.Errorf("after leaving: %v", err)
	}
}

// What an answer settles is settled before the next request to the broker has its
// turn: leaving, which waits for that turn, would else release what is accepted.
func TestAnswersAreBookedBeforeTheNextRequest(t *testing.T) {
	t.Parallel()
	_, s := billingSession(t, &logbook{})
	id := take(t, s, 1)[0].ID
	batches, _, err := s.lineUpOrders([]order{{id: id, decision: model.Accept, kind: wireAccept}})
	if err != nil {
		t.Fatal(err)
	}
	results, _ := s.sendTo(t.Context(), batches[0], false)
	wantOutcome(t, results, 1, model.OutcomeDone)
	if _, held := s.held(id); held {
		t.Error("it is accepted, and held until something else is done")
	}
}

// What a fetch brings while the session is being left was held too, and may
// have been on its last delivery.
func TestLeavingNamesWhatWasJustTaken(t *testing.T) {
	t.Parallel()
	c, s := billingSession(t, &logbook{})
	arrived, release := holdBack(c, kmsg.ShareFetch)
	go func() { _, _ = s.Take(context.Background(), 3) }()
	<-arrived
	if left := leaveBehind(t, s, release); !left.Left || len(left.Released) != 3 {
		t.Errorf("left with %+v", left)
	}
}

// What a release leads to is told by the delivery limit that holds by then, and
// not by the one at joining.
func TestLeavingKnowsTheNewestDeliveryLimit(t *testing.T) {
	t.Parallel()
	_, s := billingSession(t, &logbook{})
	take(t, s, 3)
	state := s.client.state
	state.mu.Lock()
	state.groups["billing"] = &groupEntry{group: &model.Group{Settings: &model.Settings{DeliveryLimit: model.Known(1)}}}
	state.mu.Unlock()
	if left := s.Leave(context.Background()); len(left.Archived) != 3 || len(left.Released) != 0 {
		t.Errorf("left with %+v", left)
	}
}

// Joining that is given up while the coordinator has not answered yet leaves no
// member behind.
func TestJoiningThatIsGivenUpLeavesNoMember(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfakeBrokers(1))
	place(t, c, "orders", 0, "billing")
	client := sessionClient(t, c, Options{})
	arrived, release := holdBack(c, kmsg.ShareGroupHeartbeat)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := client.Join(ctx, request("billing", "orders"), JoinOptions{Audit: &logbook{}})
		done <- err
	}()
	<-arrived
	cancel()
	release()
	if err := <-done; err == nil {
		t.Error("it joined")
	}
	groups, err := kadm.NewClient(plainClient(t, c)).DescribeShareGroups(t.Context(), "billing")
	if err != nil || len(groups["billing"].Members) > 0 {
		t.Errorf("%+v, %v", groups["billing"].Members, err)
	}
}

// A decision that was not answered may have happened: nothing is said of its
// record but that, and others can be taken at once, since what the connection
// held went with it.
func TestWhatWasNotAnsweredIsNotSaidToBeReleased(t *testing.T) {
	t.Parallel()
	book := &logbook{}
	c, s := billingSession(t, book)
	held := take(t, s, 3)
	c.ControlKey(kmsg.ShareAcknowledge.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		return nil, errors.New("the connection is cut"), true
	})
	wantOutcome(t, decide(t, s, model.Accept, held...), len(held), model.OutcomeNoAnswer)
	again := take(t, s, 1)
	left := s.Leave(t.Context())
	unknown := make(map[model.RecordID]bool)
	for _, l := range left.Unanswered {
		unknown[l.ID] = l.Decision == model.Accept && !l.LockEnds.IsZero()
	}
	for _, r := range held {
		if r.ID != again[0].ID && !unknown[r.ID] {
			t.Errorf("nothing is said of %s", r.ID)
		}
	}
	if len(left.Released) != 1 || left.Released[0] != again[0].ID || book.of("release", "done") != 1 {
		t.Errorf("took %s again and left with %+v", again[0].ID, left)
	}
	if book.of("leave", "incomplete") != 1 {
		t.Error("the audit file says that all was given back")
	}
}

// A renewal at the last moment is answered after the lock has ended for us: the
// record is held all the same, with all that a decision about it needs.
func TestARenewalThatIsAnsweredLate(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfakeBrokers(1))
	s := joinSession(t, sessionClient(t, c, Options{}), "billing", &logbook{}, "orders")
	id := model.RecordID{Topic: model.NewTopicName("orders"), Offset: 7}
	b := &sessionBroker{}
	late := order{id: id, kind: wireRenew, entry: heldEntry{broker: b, delivery: 2}}
	ends := time.Now().Add(time.Minute)
	s.book(b, []order{late}, []model.AckResult{{ID: id, Outcome: model.OutcomeDone, Lock: time.Minute, LockEnds: ends}}, true, false)
	entry, held := s.held(id)
	if !held || entry.broker != late.entry.broker || entry.delivery != 2 || !entry.ends.Equal(ends) {
		t.Errorf("held %v: %+v", held, entry)
	}
	delete(s.ledger, id)
}
