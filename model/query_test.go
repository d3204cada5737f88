package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// testRow makes a row with a lag; severity fine.
func testRow(id string, lag Number) *Row {
	return &Row{
		Group:   &Group{ID: NewGroupID(id), State: GroupStable},
		Lag:     lag,
		Verdict: Verdict{Severity: SeverityFine, Finding: FindingDraining},
	}
}

func sweptBoard(rows ...*Row) *Board {
	s := &Snapshot{Offsets: OffsetsState{Sweep: Sweep{FirstDone: true}}}
	return &Board{Snapshot: s, Rows: rows}
}

func rowIDs(rows []*Row) []string {
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.Group.ID.Raw()
	}
	return ids
}

func severe(id string, lag Number, s Severity) *Row {
	r := testRow(id, lag)
	r.Verdict.Severity = s
	return r
}

func TestArrangeWorst(t *testing.T) {
	b := sweptBoard(
		severe("denied", Number{}, SeverityUnknown),
		severe("fine-big", Known(900), SeverityFine),
		severe("warn-unknown", Number{}, SeverityWarn),
		severe("warn-small", Known(3), SeverityWarn),
		severe("warn-negative", Known(-3), SeverityWarn),
		severe("stuck-b", Known(5), SeverityStuck),
		severe("stuck-a", Known(5), SeverityStuck),
	)
	want := []string{
		"stuck-a", "stuck-b", "warn-small", "warn-negative", "warn-unknown", "fine-big", "denied",
	}
	if got := rowIDs(Query{}.Arrange(b)); !slices.Equal(got, want) {
		t.Errorf("worst first: %v, want %v", got, want)
	}
	want = []string{
		"fine-big", "warn-unknown", "warn-negative", "warn-small", "stuck-a", "stuck-b", "denied",
	}
	if got := rowIDs(Query{Invert: true}.Arrange(b)); !slices.Equal(got, want) {
		t.Errorf("inverted: %v, want %v", got, want)
	}
}

func TestArrangeByNameUntilAllAreSeen(t *testing.T) {
	b := sweptBoard(
		severe("b", Known(1), SeverityStuck), severe("a", Known(1), SeverityFine), severe("c", Known(1), SeverityWarn),
	)
	early := *b.Snapshot
	early.Offsets.Sweep.FirstDone = false
	b.Snapshot = &early
	if got := rowIDs(Query{}.Arrange(b)); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("before the first sweep is over: %v", got)
	}
	if got := rowIDs(Query{Sort: SortLag}.Arrange(b)); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("by lag, all equal: %v", got)
	}
}

func TestArrangeByColumn(t *testing.T) {
	a, b, c, u := testRow("a", Known(10)), testRow("b", Known(math.MaxInt64)), testRow("c", Known(-980)), testRow("u", Number{})
	a.Group.State, b.Group.State, u.Group.State = GroupStable, GroupEmpty, GroupUnknown
	c.Group.State = GroupDead
	a.Members, b.Members, c.Members = Known(2), Known(1), Known(3)
	a.Partitions, b.Partitions, c.Partitions = Known(1), Known(2), Known(3)
	a.In, b.In, c.In = Rate{5, true}, Rate{7, true}, Rate{6, true}
	u.In = Rate{math.NaN(), true}
	a.Done, b.Done, c.Done = Rate{1, true}, Rate{0, true}, Rate{-1, true}
	a.Drain = Drain{Kind: DrainIn, In: time.Minute}
	b.Drain = Drain{Kind: DrainNever}
	c.Drain = Drain{Kind: DrainDone}
	a.State.Accepted, b.State.Accepted, c.State.Accepted = Rate{9, true}, Rate{1, true}, Rate{2, true}
	a.State.Archived, b.State.Archived, c.State.Archived = Rate{0, true}, Rate{2, true}, Rate{1, true}
	a.Retrying, b.Retrying, c.Retrying = Known(0), Known(4), Known(500)
	tests := []struct {
		key    SortKey
		want   string
		invert string
	}{
		{SortName, "abcu", "ucba"},
		{SortState, "cbau", "abcu"},
		{SortMembers, "cabu", "bacu"},
		{SortPartitions, "cbau", "abcu"},
		{SortLag, "bacu", "cabu"},
		{SortIn, "bcau", "acbu"},
		{SortDone, "abcu", "cbau"},
		{SortDrain, "bacu", "cabu"},
		{SortAccepted, "acbu", "bcau"},
		{SortArchived, "bcau", "acbu"},
		{SortRetrying, "cbau", "abcu"},
	}
	board := sweptBoard(u, b, a, c)
	for _, tt := range tests {
		for _, invert := range []bool{false, true} {
			want := tt.want
			if invert {
				want = tt.invert
			}
			got := strings.Join(rowIDs(Query{Sort: tt.key, Invert: invert}.Arrange(board)), "")
			if got != want {
				t.Errorf("by %s, inverted %v: %s, want %s", tt.key, invert, got, want)
			}
		}
	}
	if got := rowIDs(board.Rows); !slices.Equal(got, []string{"u", "b", "a", "c"}) {
		t.Errorf("the board itself was changed: %v", got)
	}
}

func TestArrangeDrainOrder(t *testing.T) {
	b := sweptBoard()
	for i, d := range []Drain{
		{Kind: DrainDone},
		{Kind: DrainUnknown},
		{Kind: DrainIn, In: time.Second},
		{Kind: DrainStuck},
		{Kind: DrainIn, In: time.Hour},
		{Kind: DrainNever},
	} {
		r := testRow(strconv.Itoa(i), Known(1))
		r.Drain = d
		b.Rows = append(b.Rows, r)
	}
	if got := rowIDs(Query{Sort: SortDrain}.Arrange(b)); !slices.Equal(got, []string{"3", "5", "4", "2", "0", "1"}) {
		t.Errorf("by drain: %v", got)
	}
}

// TestSortKeysFollowValues compares the order of keys with that of the values,
// for all pairs of telling ones.
func TestSortKeysFollowValues(t *testing.T) {
	numbers := []int64{math.MinInt64 + 1, -1 << 60, -980, -1, 0, 1, 7, 8, 14, 1 << 53, 1<<53 + 1, math.MaxInt64 - 1, math.MaxInt64}
	for i := 1; i < len(numbers); i++ {
		low, high := Known(numbers[i-1]), Known(numbers[i])
		if byNumber(high) >= byNumber(low) || byNumber(low) == lastKey {
			t.Errorf("%d does not come before %d", numbers[i], numbers[i-1])
		}
		if rank(1, high) > rank(1, low) || rank(0, low) >= rank(1, high) || rank(1, low) >= rank(1, Number{}) {
			t.Errorf("%d does not come before %d within its kind", numbers[i], numbers[i-1])
		}
	}
	if rank(2, Known(8)) >= rank(2, Known(7)) {
		t.Error("numbers that differ by 1 share a rank")
	}
	rates := []float64{
		math.Inf(-1), -math.MaxFloat64, -1.5, -1, -math.SmallestNonzeroFloat64, 0,
		math.SmallestNonzeroFloat64, 0.5, 1, 1e300, math.Inf(1),
	}
	for i := 1; i < len(rates); i++ {
		if high := byRate(Rate{rates[i], true}); high >= byRate(Rate{rates[i-1], true}) || high == lastKey {
			t.Errorf("%v does not come before %v", rates[i], rates[i-1])
		}
	}
	if byRate(Rate{math.Copysign(0, -1), true}) != byRate(Rate{0, true}) {
		t.Error("0 and -0 are not equal")
	}
}

func TestArrangeOfNothing(t *testing.T) {
	if got := (Query{}).Arrange(nil); len(got) != 0 {
		t.Errorf("no board: %v", got)
	}
	if got := (Query{}).Arrange(&Board{Rows: []*Row{nil, {}}}); len(got) != 0 {
		t.Errorf("rows without a group: %v", got)
	}
}

func benchmarkBoard(n int) *Board {
	random := rand.New(rand.NewPCG(1, 2))
	b := sweptBoard()
	for i := range n {
		r := severe(fmt.Sprintf("team.orders-%05d", i), Known(random.Int64N(5000)), SeverityFine)
		if i%50 == 0 {
			r.Verdict.Severity = SeverityWarn
		}
		b.Rows = append(b.Rows, r)
	}
	return b
}

func BenchmarkArrange(b *testing.B) {
	board := benchmarkBoard(10_000)
	for _, line := range []string{"", "orders-00", "/orders-0+1/ lag>10"} {
		filter, err := ParseFilter(line)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("10000 rows, filter %q", line), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Query{Filter: filter}.Arrange(board)
			}
		})
	}
}
