package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"sharetop/model"
)

// record is one of topic t.
func record(offset int64, key, value []byte) *model.Record {
	return &model.Record{
		Topic: model.NewTopicName("t"), Offset: offset, Millis: seenAt.UnixMilli(),
		Key: model.NewBlob(key), Value: model.NewBlob(value),
		Headers: []model.Header{{Name: model.NewText("h"), Value: model.NewBlob([]byte{0xff})}},
	}
}

// peeking is a source that has two records in each partition that is there.
type peeking struct {
	*fakeSource
	requests []model.PeekRequest
}

func (p *peeking) Peek(_ context.Context, r model.PeekRequest) (*model.PeekResult, error) {
	p.requests = append(p.requests, r)
	out := &model.PeekResult{Topic: r.Topic, Partition: r.Partition, Partitions: model.Known(2)}
	if r.Topic.Raw() == "none" {
		problem := problemOf(model.ProblemGone, "topic none", "There is no topic none.", "")
		return &model.PeekResult{Problem: &problem}, nil
	}
	if r.Offset >= 100_000 {
		out.From, out.Next, out.Clamped, out.LogStart, out.End = 20_000, 20_000, true, model.Known(5), model.Known(20_000)
		return out, nil
	}
	out.Records = []*model.Record{record(r.Offset, []byte("k\x1b"), nil), record(r.Offset+1, nil, []byte{0xff, 0})}
	return out, nil
}

func peekWorld() (*world, *peeking) {
	w := changing(&fakeChanger{})
	p := &peeking{fakeSource: w.source}
	w.env.Open = func(_ context.Context, c model.Connection, _ func(string) (model.Secret, error)) (Source, error) {
		w.opened = append(w.opened, c)
		return p, nil
	}
	return w, p
}

func TestPeek(t *testing.T) {
	tests := []struct {
		args     string
		code     int
		requests int
		first    model.PeekRequest
		says     string
	}{
		{"a-packers -n 2", ExitOK, 1, model.PeekRequest{Offset: 11640, Max: 2}, "from the start offset, 11,640"},
		{"--group a-packers --topic t@7", ExitOK, 1, model.PeekRequest{Offset: 7, Max: 10}, ""},
		{"--group a-packers --topic other", ExitOK, 0, model.PeekRequest{}, "no share-partition to peek at"},
		{"t:1@5", ExitOK, 1, model.PeekRequest{Partition: 1, Offset: 5, Max: 10}, ""},
		{"t", ExitOK, 2, model.PeekRequest{From: model.PeekAtLogStart, Max: 10}, ""},
		{"t:0@latest", ExitOK, 1, model.PeekRequest{From: model.PeekAtEnd, Backward: true, Max: 10}, ""},
		{"t:0@2026-11-28T00:00:00Z", ExitOK, 1, model.PeekRequest{
			From: model.PeekAtTime, Time: time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC), Max: 10,
		}, ""},
		{"t:1@100000", ExitOK, 1, model.PeekRequest{Partition: 1, Offset: 100000, Max: 10}, "t-1: 100000 is not in the log, which begins at 5 and ends at 20,000"},
		{"--group a-packers --topic t@100000", ExitOK, 1, model.PeekRequest{Offset: 100000, Max: 10}, "t-0: 100000 is not in the log, which begins at 5 and ends at 20,000"},
		{"none", ExitFailure, 1, model.PeekRequest{From: model.PeekAtLogStart, Max: 10}, "There is no topic none"},
		{"--group none", ExitFailure, 0, model.PeekRequest{}, "there is no share group none"},
		{"t:0@noon", ExitFailure, 0, model.PeekRequest{}, "is no time"},
	}
	for _, tt := range tests {
		w, p := peekWorld()
		code := w.main(t, append([]string{"peek", "--bootstrap-server", "a:1"}, strings.Fields(tt.args)...)...)
		if code != tt.code || len(p.requests) != tt.requests || !strings.Contains(w.stderr.String(), tt.says) {
			t.Errorf("%s: exit %d, %d requests, %s%s", tt.args, code, len(p.requests), w.stdout.String(), w.stderr.String())
			continue
		}
		if tt.requests > 0 {
			got := p.requests[0]
			got.Topic = model.TopicName{}
			if !got.Time.Equal(tt.first.Time) {
				t.Errorf("%s: at %s", tt.args, got.Time)
			}
			got.Time = tt.first.Time
			if got != tt.first {
				t.Errorf("%s asked for %+v, want %+v", tt.args, got, tt.first)
			}
		}
		if !w.opened[0].ReadOnly {
			t.Errorf("%s: the connection can change something", tt.args)
		}
	}
}

// stingy is a source of a log of ten records that has one of them for each look.
type stingy struct{ *peeking }

func (p *stingy) Peek(_ context.Context, r model.PeekRequest) (*model.PeekResult, error) {
	at := r.Offset
	if r.From == model.PeekAtEnd {
		at = 10
	}
	if r.Backward {
		at--
	}
	out := &model.PeekResult{From: at, Next: at + 1, LogStart: model.Known(0), End: model.Known(10), Partitions: model.Known(1)}
	if at >= 0 && at < 10 {
		out.Records = []*model.Record{record(at, nil, []byte("v"))}
	}
	return out, nil
}

// One look ends early where records are large: peek prints as many as were asked
// for all the same.
func TestPeekReadsOn(t *testing.T) {
	for args, want := range map[string]string{
		"t:0 -n 4":         "0 1 2 3",
		"t:0@8 -n 4":       "8 9",
		"t:0@latest -n 3":  "7 8 9",
		"t:0@latest -n 30": "0 1 2 3 4 5 6 7 8 9",
	} {
		for _, format := range []string{"jsonl", "table"} {
			w, p := peekWorld()
			w.env.Open = func(context.Context, model.Connection, func(string) (model.Secret, error)) (Source, error) {
				return &stingy{p}, nil
			}
			code := w.main(t, append(strings.Fields("peek --bootstrap-server a:1 --no-header -o "+format), strings.Fields(args)...)...)
			var got []string
			for _, line := range strings.Split(strings.TrimSpace(w.stdout.String()), "\n") {
				if format == "table" {
					got = append(got, strings.Fields(line)[2])
					continue
				}
				_, rest, _ := strings.Cut(line, `"offset":`)
				offset, _, _ := strings.Cut(rest, ",")
				got = append(got, offset)
			}
			if code != ExitOK || strings.Join(got, " ") != want {
				t.Errorf("%s as %s: exit %d, %v\n%s", args, format, code, got, w.stderr.String())
			}
		}
	}
}

// Keys and values come back as they were, whatever bytes they are.
func TestRecordsAsJSON(t *testing.T) {
	w, _ := peekWorld()
	w.main(t, "peek", "t:0@3", "-o", "jsonl", "--bootstrap-server", "a:1")
	type row struct {
		Offset                         int64
		Key, KeyForm, Value, ValueForm *string
		Headers                        []struct{ Name, Value, ValueForm string }
	}
	var rows []row
	for line := range bytes.Lines(w.stdout.Bytes()) {
		var r row
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	if len(rows) != 2 || *rows[0].Key != "k\x1b" || rows[0].Value != nil || rows[0].ValueForm != nil || rows[1].Key != nil ||
		*rows[1].Value != "/wA=" || *rows[1].ValueForm != "base64" || rows[0].Headers[0].Value != "/w==" {
		t.Errorf("%s", w.stdout.String())
	}
	if bytes.ContainsRune(w.stdout.Bytes(), 0x1b) {
		t.Error("an escape byte is written")
	}
}

// fakeSession hands out batches, and does what it is told.
type fakeSession struct {
	batches [][]model.HeldRecord
	acks    []string
	fails   model.Outcome
	left    bool
}

func (f *fakeSession) Terms() model.SessionTerms { return model.SessionTerms{} }

func (f *fakeSession) Take(ctx context.Context, most int) ([]model.HeldRecord, error) {
	if len(f.batches) == 0 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	next := f.batches[0]
	f.batches = f.batches[1:]
	return next[:min(most, len(next))], nil
}

func (f *fakeSession) Acknowledge(_ context.Context, acks []model.Acknowledgement) ([]model.AckResult, error) {
	var out []model.AckResult
	for _, a := range acks {
		f.acks = append(f.acks, a.Decision.String())
		r := model.AckResult{ID: a.ID, Decision: a.Decision, Outcome: model.OutcomeDone}
		if f.fails != model.OutcomeNone {
			r.Outcome = f.fails
		}
		out = append(out, r)
	}
	return out, nil
}

func (f *fakeSession) Leave(context.Context) model.LeaveResult {
	f.left = true
	return model.LeaveResult{Left: true}
}

// held are some acquired records, from an offset on.
func held(from int64, n int, lock time.Duration) []model.HeldRecord {
	out := make([]model.HeldRecord, n)
	for i := range out {
		r := record(from+int64(i), nil, []byte("v"))
		out[i] = model.HeldRecord{
			ID:       model.RecordID{Topic: r.Topic, Partition: r.Partition, Offset: r.Offset},
			Delivery: 1, Lock: lock, LockEnds: time.Now().Add(lock), Record: r,
		}
	}
	return out
}

func TestConsume(t *testing.T) {
	line := func(offset, decision string) string {
		return `{"topicName":"t","partitionIndex":0,"offset":` + offset + `,"decision":"` + decision + `","value":"v"}` + "\n"
	}
	tests := []struct {
		name, args, stdin string
		batches           [][]model.HeldRecord
		fails             model.Outcome
		code              int
		acks, says        string
	}{
		{"releases by default, each once", "-n 9 --execute", "", [][]model.HeldRecord{held(1, 2, time.Minute), held(1, 2, time.Minute)}, 0, ExitOK, "release release", "2 of at most 9 records were taken: what is released comes first again"},
		{"accepts batch after batch", "-n 3 --ack accept --execute", "", [][]model.HeldRecord{held(1, 2, time.Minute), held(3, 2, time.Minute)}, 0, ExitOK, "accept accept accept", "t-0@3: accept: done"},
		{"decides batch after batch until one is released", "-n 9 --decide - --execute", line("1", "accept") + line("2", "reject") + line("3", "accept"), [][]model.HeldRecord{held(1, 2, time.Minute), held(3, 2, time.Minute), held(4, 1, time.Minute)}, 0, ExitOK, "accept reject accept release", "4 of at most 9 records were taken"},
		{"accepts when told", "-n 2 --ack accept --execute", "", [][]model.HeldRecord{held(1, 2, time.Minute)}, 0, ExitOK, "accept accept", ""},
		{"fewer than asked for", "-n 9 --timeout 50ms --execute", "", [][]model.HeldRecord{held(1, 2, time.Minute)}, 0, ExitOK, "release release", ""},
		{"none", "-n 1 --timeout 50ms --execute", "", nil, 0, ExitTimeout, "", "no record came within 50ms"},
		{"refused by the broker", "-n 1 --execute", "", [][]model.HeldRecord{held(1, 1, time.Minute)}, model.OutcomeLockOver, ExitFailure, "release", "t-0@1: release:"},
		{"decides each", "-n 2 --decide - --execute", line("2", "reject") + "\n" + line("1", "accept"), [][]model.HeldRecord{held(1, 2, time.Minute)}, 0, ExitOK, "accept reject", ""},
		{"the input ends", "-n 2 --decide - --execute", line("2", "reject"), [][]model.HeldRecord{held(1, 2, time.Minute)}, 0, ExitOK, "release reject", ""},
		{"a decision of another record", "-n 1 --decide - --execute", line("9", "reject"), [][]model.HeldRecord{held(1, 1, time.Minute)}, 0, ExitOK, "release", "t-0@9 is not held"},
		{"a wrong line", "-n 1 --decide - --execute", "{}\n", [][]model.HeldRecord{held(1, 1, time.Minute)}, 0, ExitFailure, "", "line 1 of the decisions: it names no record"},
		{"not JSON", "-n 1 --decide - --execute", "accept\n", [][]model.HeldRecord{held(1, 1, time.Minute)}, 0, ExitFailure, "", "line 1 of the decisions: it is no JSON object"},
		{"no such decision", "-n 1 --decide - --execute", line("1", "renew"), [][]model.HeldRecord{held(1, 1, time.Minute)}, 0, ExitFailure, "", `"renew" is no decision`},
		{"dry", "-n 1", "", nil, 0, ExitOK, "", "would join a-packers, acquire at most 1 of its records and release each"},
		{"read-only", "-n 1 --execute --read-only", "", nil, 0, ExitRefused, "", "nobody joined"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, p := peekWorld()
			session := &fakeSession{batches: tt.batches, fails: tt.fails}
			joined := false
			w.env.Join = func(context.Context, Source, model.JoinRequest, AuditOptions) (Session, func(), error) {
				joined = true
				return session, func() {}, nil
			}
			w.env.Stdin = strings.NewReader(tt.stdin)
			code := w.main(t, strings.Fields("consume a-packers --bootstrap-server a:1 "+tt.args)...)
			all := w.stdout.String() + w.stderr.String()
			if got := strings.Join(session.acks, " "); code != tt.code || got != tt.acks || !strings.Contains(all, tt.says) {
				t.Errorf("exit %d, sent %q: %s", code, got, all)
			}
			if joined != session.left {
				t.Error("the session was not left")
			}
			if dry := !strings.Contains(tt.args, "--execute"); dry && (joined || len(p.requests) == 0 || !w.opened[0].ReadOnly) {
				t.Error("a dry run joined, did not peek, or could change something")
			}
		})
	}
}

// A decision that does not come does not hold a record beyond its lock.
func TestConsumeDoesNotWaitBeyondTheLock(t *testing.T) {
	w, _ := peekWorld()
	session := &fakeSession{batches: [][]model.HeldRecord{held(1, 1, 1100*time.Millisecond)}}
	w.env.Join = func(context.Context, Source, model.JoinRequest, AuditOptions) (Session, func(), error) {
		return session, func() {}, nil
	}
	in, silent := io.Pipe()
	defer silent.Close()
	w.env.Stdin = in
	code := w.main(t, "consume", "a-packers", "-n", "1", "--decide", "-", "--execute", "--bootstrap-server", "a:1")
	if code != ExitOK || strings.Join(session.acks, " ") != "release" || !strings.Contains(w.stderr.String(), "a lock is about to end") {
		t.Errorf("exit %d, sent %v: %s", code, session.acks, w.stderr.String())
	}
}

// Whatever happens, the session is left; and nobody is told of a closed pipe.
func TestConsumeIntoAClosedPipe(t *testing.T) {
	w, _ := peekWorld()
	session := &fakeSession{batches: [][]model.HeldRecord{held(1, 1, time.Minute)}}
	w.env.Join = func(context.Context, Source, model.JoinRequest, AuditOptions) (Session, func(), error) {
		return session, func() {}, nil
	}
	r, out := io.Pipe()
	r.Close()
	w.env.Stdout = out
	code := w.main(t, "consume", "a-packers", "--execute", "--bootstrap-server", "a:1")
	if code != ExitPipe || !session.left || len(session.acks) > 0 || strings.Contains(w.stderr.String(), "pipe") {
		t.Errorf("exit %d, left %v, sent %v: %s", code, session.left, session.acks, w.stderr.String())
	}
}

func TestJoinIsRefused(t *testing.T) {
	w, _ := peekWorld()
	w.env.Join = func(context.Context, Source, model.JoinRequest, AuditOptions) (Session, func(), error) {
		return nil, nil, errors.New("the audit file can't be written")
	}
	if code := w.main(t, "consume", "a-packers", "--execute", "--bootstrap-server", "a:1"); code != ExitFailure {
		t.Errorf("exit %d: %s", code, w.stderr.String())
	}
}

// No two of them read the same in a table, nor like the key of a record that could
// not be read.
func TestNullEmptyAndTheirWordsDiffer(t *testing.T) {
	p := &printer{}
	seen := map[string]string{}
	for _, text := range []string{"null", "(null)", "(empty)"} {
		seen[p.shown(of(payload(model.NewBlob([]byte(text)))))] = text
	}
	seen[p.shown(of(payload(model.NewBlob(nil))))] = "nothing"
	seen[p.shown(of(payload(model.NewBlob([]byte{}))))] = "empty"
	for _, c := range unreadableCells(&model.HeldRecord{}) {
		if text := p.shown(c); seen[text] != "" {
			t.Errorf("what could not be read reads like %s", seen[text])
		}
	}
	if len(seen) != 5 {
		t.Errorf("some read the same: %q", seen)
	}
}
