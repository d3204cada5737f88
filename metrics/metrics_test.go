package metrics

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"
	prom "github.com/prometheus/common/model"

	"sharetop/model"
)

var seenAt = time.Date(2026, 11, 29, 14, 57, 3, 0, time.UTC)

const interval = 10 * time.Second

// shop is a cluster with a group of which all is known, one with unknown
// numbers and a hostile name, and two ids that are one label.
func shop() *model.Board {
	topic := model.NewTopicName("jobs")
	group := func(id string, state model.GroupState, partitions ...model.SharePartition) *model.Group {
		return &model.Group{
			ID: model.NewGroupID(id), State: state, Coordinator: 1, Described: seenAt, OffsetsAt: seenAt,
			Settings: &model.Settings{}, Partitions: partitions,
		}
	}
	packers := group("packers", model.GroupStable,
		model.SharePartition{Topic: topic, Start: model.Known(12_000), Lag: model.Known(800)},
		model.SharePartition{Topic: topic, Partition: 1, Start: model.Known(9), Lag: model.Known(-4)})
	packers.Members = []model.Member{{ID: model.NewText("m1")}}
	s := &model.Snapshot{
		Version: 1, Taken: seenAt, Answered: seenAt, Listed: seenAt,
		Groups: []*model.Group{
			group("a\"\n\\é", model.GroupEmpty, model.SharePartition{Topic: topic, Partition: 2}),
			packers,
			group("x\xfe", "", model.SharePartition{Topic: topic, Start: model.Known(1), Lag: model.Known(1)}),
			group("x\xff", "", model.SharePartition{Topic: topic, Start: model.Known(2), Lag: model.Known(2)}),
		},
		Topics: map[model.TopicName]*model.Topic{topic: {Name: topic, Partitions: []model.PartitionLog{
			log(0, 12_840), log(0, 5), log(0, 7),
		}}},
		Problems: []model.Problem{{Kind: model.ProblemDenied, Target: model.NewText("topic t2"), Detail: "Topic t2 is not shown."}},
	}
	return model.NewTracker(model.Rules{}).Apply(s, model.GroupID{}, seenAt)
}

func log(start, end int64) model.PartitionLog {
	return model.PartitionLog{
		Asked: true, Leader: 1, LogStart: model.Known(start), End: model.Known(end), StartAt: seenAt, EndAt: seenAt,
	}
}

// printed are the series of a board at that time, a line each.
func printed(t *testing.T, b *model.Board, now time.Time) string {
	t.Helper()
	var out strings.Builder
	e := New(func() *model.Board { return b }, func() time.Time { return now }, interval)
	if err := e.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestSeries(t *testing.T) {
	out := printed(t, shop(), seenAt)
	for _, want := range []string{
		`kafka_share_group_lag{group="packers",partition="0",topic="jobs"} 800`,
		`kafka_share_group_lag{group="packers",partition="1",topic="jobs"} 0`,
		`kafka_share_group_start_offset{group="packers",partition="0",topic="jobs"} 12000`,
		`kafka_share_group_end_offset{group="packers",partition="0",topic="jobs"} 12840`,
		`kafka_share_group_finished_ahead{group="packers",partition="0",topic="jobs"} 40`,
		`kafka_share_group_members{group="packers"} 1`,
		`kafka_share_group_state{group="packers",state="Stable"} 1`,
		`kafka_share_group_state{group="packers",state="Empty"} 0`,
		`kafka_share_group_verdict{group="packers",severity="fine"} 1`,
		`kafka_share_group_verdict{group="packers",severity="stuck"} 0`,
		`kafka_share_group_lag_partial{group="packers"} 0`,
		`kafka_share_group_lag_partial{group="a\"\n\\é"} 1`,
		`sharetop_up 1`,
		`sharetop_problems{kind="denied"} 1`,
		`sharetop_answered_timestamp_seconds 1.795964223e+09`,
	} {
		if !strings.Contains(out, want+"\n") {
			t.Errorf("there is no %s in\n%s", want, out)
		}
	}
	for _, unknown := range []string{
		nameLag + `{group="a\"\n\\é"`, nameStart + `{group="a\"\n\\é"`, nameState + "{group=\"x", " -1\n",
	} {
		if strings.Contains(out, unknown) {
			t.Errorf("what is not known has a series: %s in\n%s", unknown, out)
		}
	}
}

// The text must be what Prometheus reads, and its series named as it asks for.
func TestSeriesAreRead(t *testing.T) {
	out := printed(t, shop(), seenAt)
	parser := expfmt.NewTextParser(prom.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(out))
	if err != nil {
		t.Fatalf("%v in\n%s", err, out)
	}
	if len(families) != 11 {
		t.Errorf("%d families, want 11", len(families))
	}
	problems, err := promlint.New(strings.NewReader(out)).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("lint: %v %v", problems, err)
	}
}

// What is old is not served as if it were now.
func TestStaleSeries(t *testing.T) {
	old := staleAfter + 3*interval
	tests := []struct {
		name       string
		change     func(s *model.Snapshot)
		has, lacks string
	}{
		{"fresh", func(*model.Snapshot) {}, "sharetop_up 1", "sharetop_up 0"},
		{"no broker answers", func(s *model.Snapshot) { s.Answered = seenAt.Add(-old) }, "sharetop_up 0", "kafka_share_group"},
		{"not listed", func(s *model.Snapshot) { s.Listed = time.Time{} }, "sharetop_up 0", "kafka_share_group"},
		{"old offsets", func(s *model.Snapshot) {
			for _, g := range s.Groups {
				g.OffsetsAt = seenAt.Add(-old)
			}
		}, nameMembers, nameLag},
		{"old ends", func(s *model.Snapshot) {
			for i := range s.Topics[model.NewTopicName("jobs")].Partitions {
				s.Topics[model.NewTopicName("jobs")].Partitions[i].EndAt = seenAt.Add(-old)
			}
		}, nameLag, nameEnd},
	}
	for _, tt := range tests {
		b := shop()
		tt.change(b.Snapshot)
		if out := printed(t, b, seenAt); !strings.Contains(out, tt.has) || strings.Contains(out, tt.lacks+"{") || strings.Contains(out, tt.lacks+"\n") {
			t.Errorf("%s: no %s, or %s in\n%s", tt.name, tt.has, tt.lacks, out)
		}
	}
	if out := printed(t, nil, seenAt); !strings.Contains(out, "sharetop_up 0\n") {
		t.Errorf("before the first look: %s", out)
	}
}

func TestHandler(t *testing.T) {
	b := shop()
	now := seenAt
	server := httptest.NewServer(New(func() *model.Board { return b }, func() time.Time { return now }, interval).Handler())
	defer server.Close()
	get := func(path, accept string) (int, string, string) {
		request, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path, nil)
		request.Header.Set("Accept", accept)
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, _ := io.ReadAll(answer.Body)
		return answer.StatusCode, answer.Header.Get("Content-Type"), string(body)
	}
	if code, _, body := get("/healthz", ""); code != http.StatusOK || body != "ok\n" {
		t.Errorf("healthz: %d %q", code, body)
	}
	code, kind, body := get("/metrics", "application/openmetrics-text;version=1.0.0")
	if code != http.StatusOK || !strings.HasPrefix(kind, "application/openmetrics-text") || !strings.HasSuffix(body, "# EOF\n") {
		t.Errorf("OpenMetrics: %d %s\n%s", code, kind, body)
	}
	if code, kind, _ := get("/metrics", ""); code != http.StatusOK || !strings.HasPrefix(kind, "text/plain") {
		t.Errorf("text: %d %s", code, kind)
	}
	if code, _, _ := get("/nothing", ""); code != http.StatusNotFound {
		t.Errorf("/nothing: %d", code)
	}
	now = now.Add(staleAfter + 3*interval)
	if code, _, body := get("/healthz", ""); code != http.StatusServiceUnavailable || body != "Topic t2 is not shown.\n" {
		t.Errorf("healthz of a cluster that is gone: %d %q", code, body)
	}
}

func TestListenAddress(t *testing.T) {
	tests := []struct{ text, want string }{
		{"9465", "127.0.0.1:9465"},
		{":9465", "127.0.0.1:9465"},
		{"0.0.0.0:9465", "0.0.0.0:9465"},
		{"[::1]:0", "[::1]:0"},
		{"", ""},
		{"host", ""},
		{"a:b:c", ""},
		{"1.2.3.4:99999", ""},
	}
	for _, tt := range tests {
		got, err := ListenAddress(tt.text)
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%q: %q, %v, want %q", tt.text, got, err, tt.want)
		}
	}
}
