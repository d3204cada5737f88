package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"sharetop/model"
)

type fruit struct {
	name string
	lag  int64
	why  string
}

func fruitColumns() []column[fruit] {
	return []column[fruit]{
		{columnSpec: columnSpec{title: "GROUP", flex: 1, min: 12}, cell: func(f fruit, _ look, _ int) cell { return cell{text: f.name} }},
		{columnSpec: columnSpec{title: "LAG", right: true}, cell: func(f fruit, _ look, _ int) cell { return cell{text: strconv.FormatInt(f.lag, 10)} }, compare: func(a, b fruit) int { return cmp.Compare(a.lag, b.lag) }},
		{columnSpec: columnSpec{title: "TREND", want: 8, drop: 1}, cell: func(_ fruit, _ look, w int) cell { return cell{text: strings.Repeat("=", w)} }},
		{columnSpec: columnSpec{title: "STATE", drop: 2}, cell: func(fruit, look, int) cell { return cell{text: "Stable"} }},
		{columnSpec: columnSpec{title: "WHY", flex: 1, min: 16}, cell: func(f fruit, l look, _ int) cell {
			return cell{text: f.why, sign: l.g.warn, signStyle: l.s.warn}
		}},
	}
}

func newFruitTable(n int) *table[fruit, string] {
	t := newTable(func(f fruit) string { return f.name }, fruitColumns())
	t.SetHeight(11)
	t.SetRows(fruits(n))
	return t
}

func fruits(n int) []fruit {
	rows := make([]fruit, n)
	for i := range rows {
		rows[i] = fruit{fmt.Sprintf("group-%05d", i), int64(i * 37), "falling behind by 60/s"}
	}
	return rows
}

func testLook() look { return lookFor(false) }

func lookFor(ascii bool) look {
	s, g := newStyles(true, true), newGlyphs(ascii)
	return look{&s, &g}
}

func cursorName(t *testing.T, tb *table[fruit, string]) string {
	t.Helper()
	row, ok := tb.Cursor()
	if !ok {
		return ""
	}
	return row.name
}

func TestCursorIsOnARowAndNotOnAPlace(t *testing.T) {
	tests := []struct {
		name   string
		change func([]fruit) []fruit
		want   string
	}{
		{"sorted the other way", func(r []fruit) []fruit { slices.Reverse(r); return r }, "group-00005"},
		{"rows come above", func(r []fruit) []fruit { return append(fruits(30)[20:], r...) }, "group-00005"},
		{"rows go above", func(r []fruit) []fruit { return r[4:] }, "group-00005"},
		{"its own row goes", func(r []fruit) []fruit { return slices.Delete(r, 5, 6) }, "group-00006"},
		{"it and all below go", func(r []fruit) []fruit { return r[:5] }, "group-00004"},
		{"all go", func([]fruit) []fruit { return nil }, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tb := newFruitTable(20)
			tb.Move(5)
			tb.SetRows(tt.change(fruits(20)))
			if got := cursorName(t, tb); got != tt.want {
				t.Errorf("the cursor is on %q, want %q", got, tt.want)
			}
		})
	}
}

func TestCursorComesBackWithItsRow(t *testing.T) {
	tb := newFruitTable(20)
	tb.Move(7)
	tb.SetRows(nil)
	rows := fruits(20)
	slices.Reverse(rows)
	tb.SetRows(rows)
	if got := cursorName(t, tb); got != "group-00007" {
		t.Errorf("the cursor is on %q", got)
	}
}

func TestCursorStaysOnTopUntilMoved(t *testing.T) {
	tb := newFruitTable(20)
	rows := fruits(20)
	slices.Reverse(rows)
	tb.SetRows(rows)
	if got := cursorName(t, tb); got != "group-00019" {
		t.Errorf("the cursor is on %q, want the first row", got)
	}
}

func TestWindowHoldsTheCursor(t *testing.T) {
	for rows := range 30 {
		for height := range 12 {
			for cursor := range max(1, rows) {
				for _, top := range []int{-5, 0, 3, 50} {
					got := windowTop(top, cursor, rows, height)
					if got < 0 || (rows > 0 && got >= rows) {
						t.Fatalf("windowTop(%d, %d, %d, %d) = %d: outside", top, cursor, rows, height, got)
					}
					if height > 0 && (cursor < got || cursor >= got+height) {
						t.Fatalf("windowTop(%d, %d, %d, %d) = %d: cursor not in it", top, cursor, rows, height, got)
					}
					if rows >= height && got+height > rows && height > 0 {
						t.Fatalf("windowTop(%d, %d, %d, %d) = %d: blank lines", top, cursor, rows, height, got)
					}
				}
			}
		}
	}
}

func TestMoves(t *testing.T) {
	tb := newFruitTable(100)
	steps := []struct {
		name string
		do   func()
		want string
	}{
		{"up at the top", func() { tb.Move(-1) }, "group-00000"},
		{"down", func() { tb.Move(1) }, "group-00001"},
		{"page down", func() { tb.Page(1) }, "group-00010"},
		{"bottom", tb.Bottom, "group-00099"},
		{"page up", func() { tb.Page(-1) }, "group-00090"},
		{"top", tb.Top, "group-00000"},
		{"select", func() { tb.Select("group-00042") }, "group-00042"},
		{"select one that is not there", func() { tb.Select("nope") }, "group-00042"},
	}
	for _, s := range steps {
		s.do()
		if got := cursorName(t, tb); got != s.want {
			t.Fatalf("%s: the cursor is on %q, want %q", s.name, got, s.want)
		}
	}
	visible := tb.Visible()
	if len(visible) != 10 || !slices.ContainsFunc(visible, func(f fruit) bool { return f.name == "group-00042" }) {
		t.Errorf("%d rows are visible, want 10 with the cursor's", len(visible))
	}
}

func TestMarksAreOnRows(t *testing.T) {
	tb := newFruitTable(5)
	tb.Move(2)
	tb.ToggleMark()
	rows := fruits(5)
	slices.Reverse(rows)
	tb.SetRows(rows)
	if got := tb.MarkedRows(); len(got) != 1 || got[0].name != "group-00002" {
		t.Errorf("marked: %v", got)
	}
	tb.ToggleAll()
	if got := len(tb.MarkedRows()); got != 5 {
		t.Errorf("%d marked, want all 5", got)
	}
	tb.ToggleAll()
	if got := len(tb.MarkedRows()); got != 0 {
		t.Errorf("%d marked, want none", got)
	}
}

func TestTableIsExactAtEverySize(t *testing.T) {
	for _, n := range []int{0, 1, 5, 1000} {
		tb := newFruitTable(n)
		tb.empty = "no groups yet\nstart a share consumer"
		for _, w := range []int{0, 1, 2, 3, 5, 20, 40, 60, 80, 120, 200, 300} {
			for _, h := range []int{0, 1, 2, 3, 10, 24, 100} {
				assertBlock(t, tb.View(testLook(), w, h), w, h)
			}
		}
	}
}

func TestAwkwardTextInEveryCell(t *testing.T) {
	for id, s := range awkward(t) {
		t.Run(id, func(t *testing.T) {
			tb := newFruitTable(0)
			tb.SetRows([]fruit{{s, 1, s}, {"b" + s, 2, s + s}})
			tb.empty = s
			for w := range 90 {
				assertBlock(t, tb.View(testLook(), w, 5), w, 5)
			}
			tb.SetRows(nil)
			assertBlock(t, tb.View(testLook(), 30, 5), 30, 5)
		})
	}
}

// Columns go by their priority, and the last flex column is cut last.
func TestColumnsByWidth(t *testing.T) {
	tb := newFruitTable(3)
	for _, tt := range []struct {
		width int
		want  string
	}{
		{100, "  GROUP        LAG  TREND     STATE   WHY"},
		{56, "  GROUP        LAG  TREND     STATE   WHY"},
		{52, "  GROUP       LAG TREND    STATE  WHY"},
		{48, "  GROUP        LAG  TREND     WHY"},
		{40, "  GROUP        LAG  WHY"},
		{34, "  GROUP       LAG WHY"},
		{20, "  GROUP   LAG WHY"},
	} {
		title, _, _ := strings.Cut(ansi.Strip(tb.View(testLook(), tt.width, 9)), "\n")
		if got := strings.TrimRight(title, " "); got != tt.want {
			t.Errorf("at %d:\n got %q\nwant %q", tt.width, got, tt.want)
		}
	}
}

func TestWidthsNeverShrink(t *testing.T) {
	tb := newFruitTable(3)
	tb.SetRows([]fruit{{"a-group-with-a-long-name", 1_000_000_000, "x"}})
	wide := lagColumn(tb)
	tb.SetRows(fruits(3))
	if got := lagColumn(tb); got != wide {
		t.Errorf("the title LAG moved from %d to %d", wide, got)
	}
}

// What a verdict says changes all the time: the columns before it stay.
func TestVerdictsMoveNoColumn(t *testing.T) {
	tb := newTable(func(r *model.Row) string { return r.Group.ID.Raw() }, groupColumns())
	tb.SetHeight(10)
	titles := func(why string) string {
		b := incident()
		for _, r := range b.Rows {
			r.Verdict.Text = why
		}
		tb.SetRows(b.Rows)
		title, _, _ := strings.Cut(ansi.Strip(tb.View(testLook(), 120, 10)), "\n")
		return title
	}
	short := titles("fine")
	if long := titles(strings.Repeat("a long story ", 8)); long != short {
		t.Errorf("columns moved:\n%q\n%q", short, long)
	}
}

func lagColumn(tb *table[fruit, string]) int {
	return strings.Index(ansi.Strip(tb.View(testLook(), 120, 3)), "LAG")
}

func TestRowStyles(t *testing.T) {
	tb := newFruitTable(3)
	tb.stale = func(f fruit) bool { return f.name == "group-00001" }
	tb.changed = func(f fruit, col int) bool { return f.name == "group-00002" && col == 1 }
	tb.SetSort(1, true)
	l := testLook()
	lines := strings.Split(tb.View(l, 80, 4), "\n")
	for i, want := range []string{
		"LAG↓",
		l.s.accent.render("▌") + " " + l.s.bold.render("group-00000"),
		l.s.dim.render("group-00001"),
		l.s.bold.render("74"),
	} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("line %d is %q, want %q in it", i, lines[i], want)
		}
	}
}

func TestOnlyVisibleCellsAreMade(t *testing.T) {
	made := 0
	cols := []column[int]{{columnSpec: columnSpec{title: "N"}, cell: func(n int, _ look, _ int) cell {
		made++
		return cell{text: model.FormatInt(int64(n))}
	}}}
	rows := make([]int, 100_000)
	for i := range rows {
		rows[i] = i
	}
	tb := newTable(func(n int) int { return n }, cols)
	tb.SetHeight(41)
	tb.SetRows(rows)
	tb.View(testLook(), 100, 41)
	if made > 80 {
		t.Errorf("%d cells made for 40 rows on screen, want at most 80", made)
	}
}

func TestSortColumns(t *testing.T) {
	tb := newFruitTable(0)
	rows := []fruit{{"b", 1, ""}, {"a", 3, ""}, {"c", 2, ""}}
	names := func() string {
		var out strings.Builder
		for _, f := range tb.Sorted(rows) {
			out.WriteString(f.name)
		}
		return out.String()
	}
	if got := names(); got != "bac" {
		t.Errorf("without a column: %s", got)
	}
	tb.SortNext(1)
	if got := names(); got != "acb" {
		t.Errorf("by LAG, largest first: %s", got)
	}
	tb.SetSort(tb.sorted, false)
	if got := names(); got != "bca" {
		t.Errorf("by LAG, smallest first: %s", got)
	}
	tb.SortNext(1)
	if got := names(); got != "bac" || tb.sorted != noSort {
		t.Errorf("after the last column: %s", got)
	}
	tb.SortNext(-1)
	if tb.sorted != 1 {
		t.Errorf("to the left of none is column %d, want the last", tb.sorted)
	}
}

func BenchmarkTableView(b *testing.B) {
	for _, n := range []int{100, 10_000, 100_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			tb := newFruitTable(0)
			tb.SetHeight(41)
			tb.SetRows(fruits(n))
			tb.Bottom()
			l := testLook()
			b.ReportAllocs()
			for b.Loop() {
				tb.View(l, 200, 41)
			}
		})
	}
}

func BenchmarkTableSetRows(b *testing.B) {
	for _, n := range []int{100, 10_000, 100_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			tb := newFruitTable(0)
			tb.SetHeight(41)
			rows := fruits(n)
			tb.SetRows(rows)
			tb.Bottom()
			b.ReportAllocs()
			for b.Loop() {
				tb.SetRows(rows)
			}
		})
	}
}
