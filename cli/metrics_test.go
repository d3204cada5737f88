package cli

import (
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"sharetop/model"
)

func TestMetricsOnce(t *testing.T) {
	w := newWorld()
	s := shop()
	s.Answered = time.Now()
	w.source.snapshots = []*model.Snapshot{s}
	code := w.main(t, "metrics", "--bootstrap-server", "a:1")
	// Offsets of another day are not told as if they were now.
	out := w.stdout.String()
	if code != ExitPartial || !strings.Contains(out, "kafka_share_group_members{group=\"a-packers\"} 1\n") ||
		!strings.Contains(out, "sharetop_problems{kind=\"denied\"} 1\n") || strings.Contains(out, "kafka_share_group_lag{") {
		t.Errorf("exit %d, %s", code, out)
	}
	if !w.opened[0].ReadOnly || !strings.Contains(w.stderr.String(), "Topic t2 is not shown") {
		t.Errorf("not read-only, or nothing said: %s", w.stderr.String())
	}
}

func TestMetricsUnreachable(t *testing.T) {
	for _, more := range [][]string{nil, {"--listen", "127.0.0.1:0"}} {
		w := newWorld()
		w.source.snapshots = []*model.Snapshot{{Problems: []model.Problem{
			problemOf(model.ProblemUnreachable, "cluster", "No broker of a:1 can be asked: it refused.", "check the servers"),
		}}}
		if code := w.main(t, append([]string{"metrics", "--bootstrap-server", "a:1"}, more...)...); code != ExitUnreachable {
			t.Errorf("%v: exit %d", more, code)
		}
		if w.stdout.Len() > 0 {
			t.Errorf("%v: printed %s", more, w.stdout.String())
		}
	}
}

// liveSource gives out what is put into it.
type liveSource struct {
	mu      sync.Mutex
	current *model.Snapshot
	waits   int
}

func (l *liveSource) set(s *model.Snapshot) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.current != nil {
		s.Version = l.current.Version
	}
	s.Version++
	l.current = s
}

func (l *liveSource) Watch(ctx context.Context, _ model.Scope, after model.Version) (*model.Snapshot, error) {
	l.mu.Lock()
	s := l.current
	l.waits++
	l.mu.Unlock()
	if s.Version > after {
		return s, nil
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(10 * time.Millisecond):
		return l.Watch(ctx, model.Scope{}, after)
	}
}

func (l *liveSource) Close() {}

// said is stderr that can be waited for.
type said struct {
	mu   sync.Mutex
	text strings.Builder
	more chan struct{}
}

func (s *said) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(b)
	select {
	case s.more <- struct{}{}:
	default:
	}
	return len(b), nil
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// TestMetricsServed scrapes while the cluster changes, and ends with the
// program: new boards come at the interval, not with the scrapes.
func TestMetricsServed(t *testing.T) {
	live := &liveSource{}
	now := func(lag int64) *model.Snapshot {
		s := seenSnapshot(100, time.Now(), seenGroup("a", 100, lag, time.Now()))
		s.Answered = time.Now()
		return s
	}
	live.set(now(7))
	w := newWorld()
	stderr := &said{more: make(chan struct{}, 1)}
	w.env.Stderr = stderr
	w.env.Open = func(context.Context, model.Connection, func(string) (model.Secret, error)) (Source, error) {
		return live, nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	exit := make(chan int, 1)
	go func() {
		exit <- Main(ctx, []string{"metrics", "--bootstrap-server", "a:1", "--listen", "127.0.0.1:0", "--min-interval", "500ms"}, w.env)
	}()
	select {
	case <-stderr.more:
	case code := <-exit:
		t.Fatalf("exit %d: %s", code, stderr)
	}
	url := regexp.MustCompile(`http://\S+`).FindString(stderr.String())
	scrape := func() string {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, _ := io.ReadAll(answer.Body)
		return string(body)
	}
	lag := func(n string) string { return `kafka_share_group_lag{group="a",partition="0",topic="t"} ` + n + "\n" }
	if out := scrape(); !strings.Contains(out, lag("7")) {
		t.Fatalf("first scrape:\n%s", out)
	}
	live.set(now(3))
	for !strings.Contains(scrape(), lag("3")) {
		if ctx.Err() != nil {
			t.Fatal("the new lag never came")
		}
	}
	cancel()
	if code := <-exit; code != ExitInterrupted {
		t.Errorf("exit %d", code)
	}
}
