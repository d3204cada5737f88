package kafka

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// acceptsOnWire notes every offset that any request asks a broker to accept,
// whichever way it came about, by group.
type acceptsOnWire struct {
	mu       sync.Mutex
	accepted map[string]map[string]bool
}

func watchAccepts(c *kfake.Cluster) *acceptsOnWire {
	w := &acceptsOnWire{accepted: make(map[string]map[string]bool)}
	c.Control(func(r kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		switch r := r.(type) {
		case *kmsg.ShareAcknowledgeRequest:
			for _, t := range r.Topics {
				for _, p := range t.Partitions {
					for _, b := range p.AcknowledgementBatches {
						w.note(*r.GroupID, p.Partition, b.FirstOffset, b.LastOffset, b.AcknowledgeTypes)
					}
				}
			}
		case *kmsg.ShareFetchRequest:
			for _, t := range r.Topics {
				for _, p := range t.Partitions {
					for _, b := range p.AcknowledgementBatches {
						w.note(*r.GroupID, p.Partition, b.FirstOffset, b.LastOffset, b.AcknowledgeTypes)
					}
				}
			}
		}
		return nil, nil, false
	})
	return w
}

func (w *acceptsOnWire) note(group string, partition int32, first, last int64, types []int8) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for offset := first; offset <= last; offset++ {
		if types[min(int(offset-first), len(types)-1)] != wireAccept {
			continue
		}
		if w.accepted[group] == nil {
			w.accepted[group] = make(map[string]bool)
		}
		w.accepted[group][fmt.Sprintf("%d@%d", partition, offset)] = true
	}
}

// Sessions of random decisions that end in every way there is: no frame ever
// asks to accept a record that was not decided to be accepted, and what was not
// accepted is still there for the next.
func TestNoFrameAcceptsWhatNobodyAccepted(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfakeBrokers(2))
	produce(t, c, "orders", 4)
	wire := watchAccepts(c)
	runs := 1000
	if testing.Short() {
		runs = 60
	}
	for seed := range runs {
		random := rand.New(rand.NewPCG(uint64(seed), 7))
		group := fmt.Sprintf("random-%d", seed)
		place(t, c, "orders", 0, group)
		w := newWitness()
		client := sessionClient(t, c, Options{Dial: w.dial})
		s := joinSession(t, client, group, &logbook{}, "orders")
		willing := make(map[string]bool)
		for range 1 + random.IntN(3) {
			records := take(t, s, 1+random.IntN(6))
			var acks []model.Acknowledgement
			for _, r := range records {
				d := model.Decision(random.IntN(4))
				if d == model.Accept {
					willing[fmt.Sprintf("%d@%d", r.ID.Partition, r.ID.Offset)] = true
				}
				if d != model.Undecided {
					acks = append(acks, model.Acknowledgement{ID: r.ID, Decision: d})
				}
			}
			if random.IntN(3) == 0 {
				if _, err := s.Renew(t.Context(), []model.RecordID{records[0].ID}); err != nil {
					t.Fatal(err)
				}
			}
			if len(acks) > 0 {
				if _, err := s.Acknowledge(t.Context(), acks); err != nil {
					t.Fatal(err)
				}
			}
			if len(acks) < len(records) {
				break // something is still held: only leaving is left
			}
		}
		endSomehow(t, random.IntN(5), s, w, c, client)
		client.Close()
		for id := range wire.accepted[group] {
			if !willing[id] {
				t.Fatalf("seed %d: %s was accepted, and nobody accepted it", seed, id)
			}
		}
	}
	if len(wire.accepted) < runs/4 {
		t.Errorf("only %d of %d runs accepted anything: the test sees too little", len(wire.accepted), runs)
	}
}

// endSomehow ends a session in one of the ways there are.
func endSomehow(t *testing.T, way int, s *Session, w *witness, c *kfake.Cluster, client *Client) {
	t.Helper()
	switch way {
	case 0: // the person leaves
		if r := s.Leave(t.Context()); !r.Left || len(r.NotReleased) > 0 {
			t.Errorf("left with %+v", r)
		}
	case 1: // a second ctrl-c
		s.Abandon()
		s.Leave(t.Context())
	case 2: // the program's context is over before it begins
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		s.Leave(ctx)
	case 3: // everything else is closed first, as after a panic
		client.Close()
		s.Leave(t.Context())
	default: // the brokers are gone
		for _, addr := range c.ListenAddrs() {
			w.kill(addr)
		}
		s.Leave(t.Context())
	}
}
