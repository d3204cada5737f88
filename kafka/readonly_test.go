package kafka

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// Every request key of kmsg is tried on every client, past our own check too:
// no frame with a key that is not allowed may leave.
func TestReadOnlyLetsNoOtherRequestLeave(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfakeBrokers(1))
	for _, r := range []role{roleControl, roleOffsets, roleSession} {
		w := newWitness()
		factory := newClients(t.Context(), model.Connection{ReadOnly: true},
			Options{Dial: w.dial, Now: time.Now}.withDefaults())
		l := newLink(c.ListenAddrs()[0], factory)
		t.Cleanup(l.close)
		cl, err := l.client(r)
		if err != nil {
			t.Fatal(err)
		}
		allowed := readOnlyKeys()
		tried := 0
		for key := int16(0); key <= kmsg.MaxKey; key++ {
			req := kmsg.RequestForKey(key)
			if req == nil {
				continue
			}
			if _, ok := allowed[key]; ok {
				continue
			}
			tried++
			checkRefused(t, l, r, req)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			for name, send := range map[string]func() (kmsg.Response, error){
				"broker":    func() (kmsg.Response, error) { return cl.SeedBrokers()[0].Request(ctx, req) },
				"retriable": func() (kmsg.Response, error) { return cl.SeedBrokers()[0].RetriableRequest(ctx, req) },
				"any":       func() (kmsg.Response, error) { return cl.Request(ctx, req) },
			} {
				if _, err := send(); err == nil {
					t.Errorf("%s was answered on path %q", kmsg.NameForKey(key), name)
				}
			}
			cancel()
		}
		if tried < 60 {
			t.Errorf("only %d keys tried", tried)
		}
		for key := range w.keys() {
			if _, ok := allowed[key]; !ok {
				t.Errorf("a %s frame left", kmsg.NameForKey(key))
			}
		}
	}
}

func checkRefused(t *testing.T, l *link, r role, req kmsg.Request) {
	t.Helper()
	_, err := ask[kmsg.Response](t.Context(), l, r, req)
	refused, ok := errors.AsType[*ReadOnlyError](err)
	if !ok || refused.Key != req.Key() {
		t.Errorf("%s: %v", kmsg.NameForKey(req.Key()), err)
		return
	}
	if text := err.Error(); !strings.Contains(text, kmsg.NameForKey(req.Key())) || !strings.Contains(text, "read-only") {
		t.Errorf("the refusal says %q", text)
	}
}

// All that watching needs is on the allow-list.
func TestReadOnlyWatches(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfakeBrokers(2))
	place(t, c, "orders", 0, "billing")
	w := newWitness()
	client := open(t, model.Connection{Bootstrap: c.ListenAddrs(), ReadOnly: true}, Options{Dial: w.dial})
	client.scope.Open = model.NewGroupID("billing")
	client.until("configs", func(s *model.Snapshot) bool {
		g := s.Group(model.NewGroupID("billing"))
		return s.Offsets.Sweep.FirstDone && g != nil && g.Configs != nil
	})
	client.expectNoProblems()
	allowed := readOnlyKeys()
	for key := range w.keys() {
		if _, ok := allowed[key]; !ok {
			t.Errorf("a %s frame left", kmsg.NameForKey(key))
		}
	}
}

// Also without read-only mode nothing is sent yet that is not on the list.
func TestWatchingSendsReadsOnly(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, kfakeBrokers(2))
	place(t, c, "orders", 0, "billing")
	w := newWitness()
	client := open(t, model.Connection{Bootstrap: c.ListenAddrs()}, Options{Dial: w.dial})
	client.done()
	allowed := readOnlyKeys()
	for key := range w.keys() {
		if _, ok := allowed[key]; !ok {
			t.Errorf("a %s frame left", kmsg.NameForKey(key))
		}
	}
}
