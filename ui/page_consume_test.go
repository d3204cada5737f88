package ui

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

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
}

const fakeLock = 30 * time.Second

func newFakeGroup(deliveries ...int) *fakeGroup {
	g := &fakeGroup{outcome: model.OutcomeDone}
	for i, n := range deliveries {
		offset := 9120 + int64(i)
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

func (s *fakeSession) Acknowledge(_ context.Context, acks []model.Acknowledgement) ([]model.AckResult, error) {
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
	return out, nil
}

func (s *fakeSession) Renew(_ context.Context, ids []model.RecordID) ([]model.AckResult, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.renewed = append(s.renewed, ids...)
	var out []model.AckResult
	for _, id := range ids {
		out = append(out, model.AckResult{
			ID: id, Outcome: s.outcome, Lock: fakeLock, LockEnds: fixtureTime().Add(time.Since(s.began)).Add(fakeLock),
		})
	}
	return out, nil
}

func (s *fakeSession) Leave(ctx context.Context) model.LeaveResult {
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
	return model.LeaveResult{Group: s.joined.Group, Left: true, Released: s.held}
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

func TestJoiningSaysWhatItMeansAndDefaultsToNo(t *testing.T) {
	g := newFakeGroup(1)
	drive(t, 118, 30, func(d *driver) {
		d.board(readable())
		d.keys("C")
		d.wantText("Consume payments-retry: what joining means", "One cannot choose offsets", "deliveries", "records at a time: 10")
		d.keys("enter")
		d.wantNoText("what joining means")
		if len(g.took) != 0 || d.app.consuming() != nil {
			t.Error("enter on the default joined")
		}
		d.keys("C", "backspace", "backspace", "7", "down", "enter")
		d.wantText("CONSUME payments-retry")
		if len(g.took) != 1 || g.took[0] != 7 {
			t.Errorf("took %v", g.took)
		}
		if len(g.joined.Topics) != 1 || g.joined.Topics[0].Raw() != "refunds" {
			t.Errorf("joined with %v", g.joined.Topics)
		}
	}, func(c *Config) { c.Consumer = g })
}

// A topic that the group does not read yet is joined by its name; what no topic
// can be called is not taken.
func TestATopicIsAddedByName(t *testing.T) {
	g := newFakeGroup(1)
	drive(t, 118, 30, func(d *driver) {
		d.board(readable())
		d.keys("C", "up", "up")
		d.typed("jq refunds")
		d.keys("enter")
		d.wantText("no topic can have that name")
		for range len("jq refunds") {
			d.keys("backspace")
		}
		d.send(tea.PasteMsg{Content: "refunds.eu\n"})
		d.wantText("another topic: refunds.eu")
		d.keys("enter")
		d.wantText("[✓] refunds.eu", "whether that takes partitions from others is not known")
		d.keys("down", "7", "down", "down", "enter")
		if want := []model.TopicName{model.NewTopicName("refunds"), model.NewTopicName("refunds.eu")}; !slices.Equal(g.joined.Topics, want) {
			t.Errorf("joined with %v", g.joined.Topics)
		}
		d.send(tea.WindowSizeMsg{Width: 200, Height: 30})
		d.wantText("CONSUME payments-retry", "as sharetop@bastion1", "from 2 topics")
	}, func(c *Config) { c.Consumer = g })
}

func TestConsumeIsOffWithItsReason(t *testing.T) {
	for name, test := range map[string]struct {
		option func(*Config)
		says   string
	}{
		"read-only":   {func(c *Config) { c.Consumer, c.ReadOnly = newFakeGroup(), true }, "read-only"},
		"no consumer": {func(c *Config) { c.Consumer = nil }, "no way to join"},
	} {
		drive(t, 118, 30, func(d *driver) {
			d.board(incident())
			d.keys("C")
			d.wantText(test.says)
			d.wantNoText("what joining means")
		}, test.option)
		_ = name
	}
	drive(t, 118, 30, func(d *driver) {
		b := readable()
		b.Snapshot.Cluster.ShareGroups = model.SharePreview
		d.board(b)
		for _, keys := range [][]string{{"C"}, {"enter", "C"}} {
			d.keys(keys...)
			d.wantText("older than Kafka 4.2")
			d.wantNoText("what joining means")
		}
	}, func(c *Config) { c.Consumer = newFakeGroup() })
}

// What joining does to the others is said of the topics that are chosen.
func TestJoiningIsAboutTheChosenTopics(t *testing.T) {
	b := readable()
	refunds, late := model.NewTopicName("refunds"), model.NewTopicName("refunds.late")
	for _, g := range b.Snapshot.Groups {
		if g.ID.Raw() == "payments-retry" {
			g.OffsetsAt = fixtureTime()
			g.Members = []model.Member{{
				Subscribed: []model.TopicName{refunds, late},
				Assignment: []model.Assignment{{Topic: refunds, Partitions: []int32{0, 1, 2}}, {Topic: late, Partitions: []int32{0}}},
			}}
			g.Partitions = []model.SharePartition{{Topic: refunds}, {Topic: refunds, Partition: 1}, {Topic: refunds, Partition: 2}, {Topic: late}}
		}
	}
	drive(t, 118, 30, func(d *driver) {
		d.board(b)
		d.keys("C")
		d.wantText("2 members for 4 partitions: this one takes ~2 away from the others, of refunds-0, refunds-1,", "refunds.late-0")
		d.keys("up", "up", "up", "space")
		d.wantText("[ ] refunds.late", "2 members for 3 partitions: this one takes up to ~2 away from the others, of refunds-0,")
		d.wantNoText("refunds.late-0")
		d.keys("space")
		d.wantText("2 members for 4 partitions")
	}, func(c *Config) { c.Consumer = newFakeGroup() })
}

func TestHeldRecordsAreShownAndDecided(t *testing.T) {
	g := newFakeGroup(4, 3, 1)
	consuming(t, g, func(d *driver) {
		d.wantText("refunds-0@9,120", "4 of 5", "30s", "r-9120", `{"refund":9120`, "3 held   0 decided   3 undecided: released",
			"next lock ends in 30s", "acquire 3", "redelivery 2", "active 3", "one delivery is left")
		d.keys("a", "down", "x", "down", "z")
		d.wantText("accept", "reject", "release", "3 decided")
		d.keys("z")
		d.wantText("2 decided")
		d.keys("t")
		d.wantText("1 undecided: accepted")
		if len(g.acks) != 0 {
			t.Errorf("sent without S: %v", g.acks)
		}
		d.keys("S")
		d.wantText("accept 1, reject 1, undecided 1 → accept")
		d.keys("enter") // No
		if len(g.acks) != 0 {
			t.Errorf("sent by enter on No: %v", g.acks)
		}
		d.keys("t", "t", "S", "y")
		want := []model.Decision{model.Accept, model.Reject, model.Release}
		if len(g.acks) != 3 {
			t.Fatalf("sent %v", g.acks)
		}
		for i, a := range g.acks {
			if a.Decision != want[i] {
				t.Errorf("%s got %v, want %v", a.ID, a.Decision, want[i])
			}
		}
		d.wantText("accept: done", "reject: done", "release: done", "0 held", "acknowledge 1", "ack time avg 3.0 ms")
	})
}

// The record pane has the keys that it has everywhere, and nothing is sent.
// The screen is wide since the path of a temporary directory may be long.
func TestAHeldRecordIsReadAndSaved(t *testing.T) {
	g, dir := newFakeGroup(1), t.TempDir()
	drive(t, 240, 30, func(d *driver) {
		d.board(readable())
		d.joins()
		d.wantText(`"refund": 9120`)
		d.keys("V")
		d.wantText("value  text")
		d.keys("s")
		d.wantText("Written: ", "32 B as they came")
		files, err := filepath.Glob(filepath.Join(dir, "refunds-0@9120*"))
		if err != nil || len(files) != 1 {
			t.Errorf("files %v, %v", files, err)
		}
		if len(g.acks) != 0 || len(g.took) != 1 {
			t.Errorf("sent %v, took %v", g.acks, g.took)
		}
	}, func(c *Config) { c.Consumer, c.SnapDir = g, dir })
}

func TestMarkedRecordsAreDecidedTogether(t *testing.T) {
	g := newFakeGroup(1, 1, 1, 1)
	consuming(t, g, func(d *driver) {
		d.keys("space", "space", "x", "*", "N")
		d.wantText("reject 2, undecided 2 → release")
		d.keys("y")
		d.wantText("waiting for records", "reject: done")
		if len(g.took) != 2 || len(g.acks) != 4 {
			t.Errorf("took %v, sent %v", g.took, g.acks)
		}
	})
}

func TestFailuresAreNeverShownAsDone(t *testing.T) {
	for outcome, says := range map[model.Outcome]string{
		model.OutcomeLockOver: "lock had ended", model.OutcomeNotHolder: "not the holder",
		model.OutcomeStateError: "refused: state", model.OutcomeWriteFailed: "write failed", model.OutcomeNoAnswer: "no answer",
	} {
		g := newFakeGroup(1)
		g.outcome = outcome
		consuming(t, g, func(d *driver) {
			d.keys("a", "N", "y")
			d.wantText("accept: " + says)
			if outcome == model.OutcomeNoAnswer { // it may have happened
				d.wantText("got no answer")
				d.wantNoText("did not happen")
			} else {
				d.wantText("did not happen")
			}
			d.wantNoText("done")
			if len(g.took) != 1 {
				t.Errorf("%v: took more after a failure", outcome)
			}
		})
	}
}

func TestASendThatIsRefusedKeepsTheRecords(t *testing.T) {
	g := newFakeGroup(1)
	g.sendErr = errors.New("nothing was sent: disk full")
	consuming(t, g, func(d *driver) {
		d.keys("a", "S", "y")
		d.wantText("disk full", "accept: not sent", "1 held")
	})
}

func TestLocksRunDown(t *testing.T) {
	g := newFakeGroup(1, 1)
	consuming(t, g, func(d *driver) {
		d.wait(21 * time.Second)
		d.wantText("next lock ends in 9s")
		d.keys("w")
		if len(g.renewed) != 1 {
			t.Fatalf("renewed %v", g.renewed)
		}
		d.wantText("Renewed 1 lock.", "30s", "9s")
		d.wait(9 * time.Second)
		d.wantText("lock had ended", "1 held")
		d.keys("down", "up")
		d.wantNoText("somebody else may have it")
		d.keys("down")
		d.wantText("outcome its lock had ended: somebody else may have it")
		d.keys("a", "S")
		d.wantText("undecided 1 → release", "left out")
		d.keys("y")
		if len(g.acks) != 1 || g.acks[0].ID.Offset != 9120 {
			t.Errorf("sent %v", g.acks)
		}
	})
}

// All totals are there in a common window, and each with its rate in a wide one.
func TestStatisticsFit(t *testing.T) {
	consuming(t, newFakeGroup(1, 2), func(d *driver) {
		d.keys("a", "S", "y")
		d.wait(time.Second)
		d.send(tea.WindowSizeMsg{Width: 118, Height: 24})
		d.wantText("acquire 2", "acknowledge 1", "release 1", "reject 0", "renew 0", "redelivery 1", "ack time avg", "active 0")
		d.send(tea.WindowSizeMsg{Width: 200, Height: 50})
		for _, name := range []string{"acquire 2", "acknowledge 1", "release 1", "reject 0", "renew 0", "redelivery 1"} {
			d.wantText(name + " (")
		}
		d.wantText("ack time avg", "active 0")
	})
}

func TestAPlanIsWhatWasShown(t *testing.T) {
	g := newFakeGroup(1, 1)
	consuming(t, g, func(d *driver) {
		d.keys("a", "S")
		d.wait(29800 * time.Millisecond)
		d.keys("y")
		if len(g.acks) != 0 {
			t.Errorf("sent after the locks had ended: %v", g.acks)
		}
		d.wantText("every lock of it has ended")
	})
}

func TestLeavingAsksAndReleases(t *testing.T) {
	for _, key := range []string{"esc", "q"} {
		g := newFakeGroup(5, 1)
		consuming(t, g, func(d *driver) {
			d.keys("a", "t", key)
			d.wantText("2 records are held", "1 decision is not sent", "release = archived for 1 record")
			d.keys("enter")
			if g.left != 0 || d.quit {
				t.Fatalf("%s and enter left", key)
			}
			d.keys(key, "y")
			if g.left != 1 || len(g.acks) != 0 {
				t.Errorf("%s: left %d times, sent %v", key, g.left, g.acks)
			}
			if d.quit != (key == "q") {
				t.Errorf("%s: quit is %v", key, d.quit)
			}
			if key == "esc" {
				d.wantText("Released 2 records of payments-retry")
				if d.app.consuming() != nil {
					t.Error("the page is still there")
				}
			}
		})
	}
}

// In a narrow window the countdown stays longer than what the header says of
// the cluster, and what undecided records get longer than anything beside it.
func TestConsumeKeepsWhatCountsWhereItIsNarrow(t *testing.T) {
	consuming(t, newFakeGroup(1, 1), func(d *driver) {
		for width, wants := range map[int][]string{
			80: {"next lock ends in", "2 undecided: released when sent (t changes)", "S send"},
			60: {"2 held   0 decided   2 undecided: released", "S send"},
		} {
			d.send(tea.WindowSizeMsg{Width: width, Height: 24})
			d.wantText(wants...)
			d.wantNoText("every way")
		}
	})
}

func TestLeavingWithNothingHeldDoesNotAsk(t *testing.T) {
	g := newFakeGroup()
	consuming(t, g, func(d *driver) {
		d.wantText("can take a heartbeat: up to 5s more")
		d.keys("esc")
		if g.left != 1 || d.app.consuming() != nil {
			t.Errorf("left %d times", g.left)
		}
	})
}

func TestControlCReleasesThenQuits(t *testing.T) {
	g := newFakeGroup(1, 1)
	consuming(t, g, func(d *driver) {
		d.keys("a", "ctrl+c")
		if g.left != 1 || !d.quit || len(g.acks) != 0 {
			t.Errorf("left %d times, quit %v, sent %v", g.left, d.quit, g.acks)
		}
	})
}

func TestSecondControlCLeavesAtOnce(t *testing.T) {
	g := newFakeGroup(1, 1)
	g.stuck = true
	consuming(t, g, func(d *driver) {
		d.keys("ctrl+c")
		d.wantText("releasing 2 records, 5s left; ctrl-c again to leave now")
		d.wait(2 * time.Second)
		d.wantText("releasing 2 records, 3s left")
		d.keys("ctrl+c")
		if !d.quit {
			t.Error("the second ctrl-c did not quit")
		}
	})
}

func TestWhatCouldNotBeReleasedIsNamed(t *testing.T) {
	g := newFakeGroup(1)
	g.stuck = true
	consuming(t, g, func(d *driver) {
		d.keys("esc", "y")
		d.wait(leaveTakes)
		d.wantText("Could not release 1 record of payments-retry")
	})
}

func TestTheSessionSurvivesOtherPages(t *testing.T) {
	g := newFakeGroup(1)
	consuming(t, g, func(d *driver) {
		d.keys("S")
		d.keys("n", "!", ":")
		d.typed("filter booknest")
		d.keys("enter")
		if d.app.consuming() == nil {
			t.Fatal("a filter threw the session away")
		}
		for range 2 * maxPages {
			d.keys(":")
			d.typed("group x")
			d.keys("enter")
		}
		if d.app.consuming() == nil || len(d.app.pages) > maxPages {
			t.Fatalf("the session is gone, or %d pages are open", len(d.app.pages))
		}
		d.keys("C")
		d.wantText("leave it first")
		d.keys("q", "y")
		if g.left != 1 || !d.quit {
			t.Errorf("left %d times, quit %v", g.left, d.quit)
		}
	})
}

func TestSuspendWarnsAndTellsWhatIsGone(t *testing.T) {
	g := newFakeGroup(1, 1)
	consuming(t, g, func(d *driver) {
		before := len(d.sent)
		d.keys("ctrl+z")
		d.wantText("Suspend while records are held", "ends in 30s")
		if len(d.sent) != before {
			t.Fatal("suspended without asking")
		}
		d.keys("y")
		if len(d.sent) != before+1 {
			t.Fatalf("Bubble Tea was told %v", d.sent)
		}
		time.Sleep(31 * time.Second)
		d.send(tea.ResumeMsg{})
		d.wantText("2 locks ended meanwhile: refunds-0@9,120")
	})
}

func TestJoiningThatFails(t *testing.T) {
	g := newFakeGroup(1)
	g.joinErr = errors.New("payments-retry was not joined: READ on the\x1b[2J group is missing")
	consuming(t, g, func(d *driver) {
		d.wantText("READ on the", "There is no session: esc goes back")
		d.keys("esc", "esc")
		d.wantNoText("There is no session")
	})
}

func TestHelpExplainsImplicitAndExplicit(t *testing.T) {
	g := newFakeGroup(1)
	consuming(t, g, func(d *driver) {
		d.keys("?")
		d.wantText("Explicit acknowledgement, the only mode here", "Implicit acknowledgement")
	})
}

func TestTroubleIsShown(t *testing.T) {
	g := newFakeGroup(1)
	consuming(t, g, func(d *driver) {
		g.mu.Lock()
		g.trouble = "The coordinator had dropped this member; it joins again."
		g.mu.Unlock()
		d.wantText("■ The coordinator had dropped this member")
	})
}

func TestRenewIsOffWhereTheGroupForbidsIt(t *testing.T) {
	g := newFakeGroup(1)
	consuming(t, g, func(d *driver) {
		p := d.consumePage()
		terms := p.state.Terms()
		terms.NoRenew = "the group has share.renew.acknowledge.enable=false"
		p.state.SetTerms(terms)
		d.keys("w")
		d.wantText("share.renew.acknowledge.enable=false")
		if len(g.renewed) != 0 {
			t.Error("renewed all the same")
		}
	})
}

func TestConsumeAtEverySize(t *testing.T) {
	for _, size := range [][2]int{{40, 10}, {60, 15}, {80, 24}, {118, 30}, {200, 50}, {300, 100}, {0, 0}, {1, 1}, {5, 3}, {20, 5}} {
		g := newFakeGroup(4, 3, 1, 5)
		consuming(t, g, func(d *driver) {
			d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			d.text()
			if size[0] >= minWidth && size[1] >= minHeight {
				d.wantText("refunds-0@9,120", "30s")
			}
			d.keys("S")
			d.text()
			if size[0] >= minWidth && size[1] >= minHeight {
				d.wantText("not yet", "undecided 4")
			}
		})
	}
}

// fakeAudit is an audit file in memory.
type fakeAudit struct{ entries []model.AuditEntry }

func (f fakeAudit) Last(int) ([]model.AuditEntry, error) { return f.entries, nil }
func (f fakeAudit) Path() string                         { return "/state/audit.jsonl" }

func TestAuditPage(t *testing.T) {
	log := fakeAudit{[]model.AuditEntry{{
		Time: fixtureTime(), Who: "ada@bastion1", Action: "accept", Outcome: "done", Group: model.NewGroupID("pay"),
		Record: &model.AuditRecord{Topic: model.NewTopicName("refunds"), Offset: 9120, Delivery: 2},
	}}}
	drive(t, 118, 30, func(d *driver) {
		d.board(incident())
		d.keys(":")
		d.typed("audit")
		d.keys("enter")
		d.wantText("/state/audit.jsonl", "accept", "done", "refunds-0@9,120 delivery 2", "ada@bastion1")
		d.keys("esc")
		d.wantNoText("/state/audit.jsonl")
	}, func(c *Config) { c.Audit = log })
}

// BenchmarkConsume is a second of the clock with 500 records held: what is drawn
// again.
func BenchmarkConsume(b *testing.B) {
	at := fixtureTime()
	a := New(Config{
		Cluster: Cluster{Source: &fakeSource{changed: make(chan struct{})}, ClusterName: "prod-eu", Consumer: newFakeGroup()}, UTC: true,
		Now: func() time.Time { return at },
	})
	a.Update(tea.WindowSizeMsg{Width: 200, Height: 50})
	p := newConsumePage(&a.env, 1, startConsume{most: 500})
	a.push(p)
	records := newFakeGroup(make([]int, 500)...).records
	for i := range records {
		records[i].LockEnds = at.Add(time.Duration(30+i) * time.Second)
	}
	p.joined(&a.env, joinedMsg{number: 1, session: &fakeSession{newFakeGroup(), at}})
	p.took(&a.env, tookMsg{number: 1, records: records})
	b.ReportAllocs()
	for b.Loop() {
		at = at.Add(time.Millisecond)
		a.Update(clockMsg{})
		if !strings.Contains(a.View().Content, "refunds-0@9,120") {
			b.Fatal("nothing drawn")
		}
	}
}

func TestConsumeGolden(t *testing.T) {
	for _, size := range [][2]int{{118, 24}, {80, 24}, {40, 10}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			consuming(t, newFakeGroup(4, 3, 1, 1, 1), func(d *driver) {
				d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
				d.keys("down", "down", "a", "up")
				d.wait(12 * time.Second)
				golden.RequireEqual(d.t, []byte(d.text()))
			})
		})
	}
}

func TestJoinGolden(t *testing.T) {
	drive(t, 100, 20, func(d *driver) {
		d.board(readable())
		d.keys("C")
		golden.RequireEqual(d.t, []byte(d.text()))
	})
}

// The picture in the README.
func TestConsumeInColourGolden(t *testing.T) {
	consuming(t, newFakeGroup(5, 4, 3, 1, 1, 1), func(d *driver) {
		d.send(tea.WindowSizeMsg{Width: 118, Height: 24})
		d.keys("x", "down", "z", "down", "down", "a", "down")
		d.wait(2 * time.Second)
		golden.RequireEqual(d.t, []byte(d.content()))
	})
}
