package statetopic

import (
	"math/rand/v2"
	"testing"
	"time"

	"sharetop/model"
)

// journalFeed reads what a journal writes.
type journalFeed struct {
	*feed
	journal *Journal
}

func (f *journalFeed) apply(key, value []byte) Applied {
	f.t.Helper()
	applied, err := f.table.Apply(Record{Offset: f.next, Timestamp: f.clock, Seen: f.clock, Key: key, Value: value})
	if err != nil {
		f.t.Fatal(err)
	}
	f.next++
	f.clock += 1000
	return applied
}

func (f *journalFeed) settle(batches ...Batch) {
	f.t.Helper()
	key, value, err := f.journal.Settle(f.share, 0, batches, f.clock)
	if err != nil {
		f.t.Fatal(err)
	}
	f.apply(key, value)
}

func newJournalFeed(t testing.TB, perSnapshot int) *journalFeed {
	return &journalFeed{feed: newFeed(t), journal: NewJournal(perSnapshot)}
}

// The records of the real sequence in the vectors, 12 records, 6 acquired, come
// out of the journal byte by byte as Kafka wrote them, leader epoch 0 throughout.
func TestJournalWritesWhatKafkaWrote(t *testing.T) {
	v := loadVectors(t)
	j := NewJournal(UpdatesPerSnapshot)
	k := v.Records[0].key(t).ShareKey
	check := func(i int, key, value []byte) {
		t.Helper()
		wantKey, wantValue := v.Records[i].bytes(t)
		if string(key) != string(wantKey) || string(value) != string(wantValue) {
			t.Errorf("record %d: %x, want %x", i, value, wantValue)
		}
	}
	created := v.Records[0].Value.CreateTimestamp
	key, value := j.Initialize(k, NotTold, created)
	check(0, key, value)
	for i := 1; i <= 5; i++ {
		key, value, err := j.Settle(k, 0, v.Records[i].Value.batches(), created)
		if err != nil {
			t.Fatal(err)
		}
		check(i, key, value)
	}
	if lag, ok := j.Lag(k, 12); !ok || lag != v.Sequence.BrokerSaid.Lag {
		t.Errorf("lag %d %v, want %d", lag, ok, v.Sequence.BrokerSaid.Lag)
	}
}

// Consumers that accept, give back and reject at random, snapshots at every
// interval: lag, head and tally are those of what they really did.
func TestTableFollowsAJournal(t *testing.T) {
	for _, perSnapshot := range []int{0, 1, 2, 7, 500} {
		f := newJournalFeed(t, perSnapshot)
		f.apply(f.journal.Initialize(f.share, NotTold, f.clock))
		f.table.Watch(0)
		g := newMadeUpGroup(rand.New(rand.NewPCG(uint64(perSnapshot), 1)))
		for g.left() {
			f.settle(g.deliver())
			if f.next%10 == 0 {
				f.apply(f.journal.Repeat(f.share, f.clock))
			}
			g.check(t, f)
		}
		s := f.state()
		if s.Lag(model.Known(g.end()), time.UnixMilli(f.clock)) != model.Known(0) || s.Head() != model.Known(g.end()) {
			t.Errorf("drained, but lag is not 0 and the head is at %v", s.Head())
		}
	}
}

// madeUpGroup consumes records one batch at a time.
type madeUpGroup struct {
	rng   *rand.Rand
	state []model.RecordState
	count []int16
	tally model.Tally
}

func newMadeUpGroup(rng *rand.Rand) *madeUpGroup {
	return &madeUpGroup{rng: rng, state: make([]model.RecordState, 80), count: make([]int16, 80)}
}

func (g *madeUpGroup) end() int64 { return int64(len(g.state)) }

func (g *madeUpGroup) left() bool { return g.head() < g.end() }

func (g *madeUpGroup) head() int64 {
	for o, s := range g.state {
		if !s.Done() {
			return int64(o)
		}
	}
	return g.end()
}

// deliver hands out some unfinished records that share a count, decides what
// becomes of them and gives up what was handed out five times.
func (g *madeUpGroup) deliver() Batch {
	first := g.head()
	for o := first; o < g.end() && g.rng.IntN(3) > 0; o++ {
		if !g.state[o].Done() {
			first = o
		}
	}
	last := first
	for last+1 < g.end() && !g.state[last+1].Done() && g.count[last+1] == g.count[first] && g.rng.IntN(4) > 0 {
		last++
	}
	b := Batch{First: first, Last: last, Count: g.count[first] + 1}
	n := b.Last - b.First + 1
	switch {
	case g.rng.IntN(3) > 0:
		b.State, g.tally.Accepted = StateAcknowledged, g.tally.Accepted+n
	case b.Count >= 5 || g.rng.IntN(5) == 0:
		b.State, g.tally.Archived = StateArchived, g.tally.Archived+n
	default:
		b.State, g.tally.Released = StateAvailable, g.tally.Released+n
	}
	g.tally.Deliveries += n
	for o := first; o <= last; o++ {
		g.state[o], g.count[o] = recordState(b.State), b.Count
	}
	return b
}

func (g *madeUpGroup) check(t *testing.T, f *journalFeed) {
	t.Helper()
	s := f.state()
	lag := int64(0)
	for o, state := range g.state {
		if !state.Done() {
			lag++
		}
		is, count := s.StateAt(int64(o))
		if is != model.RecordBelowStart && (count != g.count[o] || is != state && is != model.RecordNew) {
			t.Fatalf("offset %d is %v %d, want %v %d", o, is, count, state, g.count[o])
		}
		if wrote, deliveries := f.journal.At(f.share, int64(o)); wrote != is || deliveries != count {
			t.Fatalf("the journal says offset %d is %v %d, want %v %d", o, wrote, deliveries, is, count)
		}
	}
	if got := s.Lag(model.Known(g.end()), time.UnixMilli(f.clock)); got != model.Known(lag) {
		t.Fatalf("lag %v, want %d", got, lag)
	}
	if kafka, ok := f.journal.Lag(f.share, g.end()); !ok || kafka != lag {
		t.Fatalf("the journal says lag %d, want %d", kafka, lag)
	}
	if s.Head() != model.Known(g.head()) || s.Tally() != g.tally {
		t.Fatalf("head %v, tally %+v; want %d, %+v", s.Head(), s.Tally(), g.head(), g.tally)
	}
}

func TestJournalLife(t *testing.T) {
	f := newJournalFeed(t, UpdatesPerSnapshot)
	f.table.Watch(0)
	if _, ok := f.journal.Lag(f.share, 10); ok {
		t.Error("there is lag before there is a share-partition")
	}
	if key, _ := f.journal.Repeat(f.share, f.clock); key != nil {
		t.Error("what is not there is repeated")
	}
	f.settle(Batch{First: 0, Last: 3, State: StateAcknowledged, Count: 1})
	if got := f.table.Stats(); got.Snapshots != 1 || got.Orphans != 0 {
		t.Errorf("the first record is no snapshot: %+v", got)
	}
	f.settle(Batch{First: 9, Last: 9, State: StateAvailable, Count: 1})
	if s := f.state(); s.Start() != model.Known(4) || s.FinishedAhead() != model.Known(0) {
		t.Errorf("start %v, finished %v", s.Start(), s.FinishedAhead())
	}
	f.apply(f.journal.Initialize(f.share, 2, f.clock))
	if s := f.state(); s.Start() != model.Known(2) || s.Tally().Resets != 1 || len(s.Batches()) != 0 {
		t.Errorf("altered: start %v, %+v", s.Start(), s.Tally())
	}
	if _, _, err := f.journal.Settle(f.share, 0, []Batch{{First: 3, Last: 2}}, 0); err == nil {
		t.Error("an impossible batch is written")
	}
	if applied := f.apply(f.journal.Delete(f.share)); !applied.Changed || f.table.Len() != 0 {
		t.Error("not deleted")
	}
}

func TestStateIDs(t *testing.T) {
	for id := StateAvailable; id <= StateArchived; id++ {
		if got := stateID(recordState(id)); got != id {
			t.Errorf("state %d is written as %d", id, got)
		}
	}
	if got := stateID(model.RecordOther); recordState(got) != model.RecordOther {
		t.Errorf("an unknown state is written as %d", got)
	}
}
