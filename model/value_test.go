package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func allRows(data []byte, view ValueView, width int) []string {
	v := NewValueRows(data, LookAtAll(data), view, width).Whole()
	n, _ := v.Len()
	return v.Window(0, n)
}

func TestValueViews(t *testing.T) {
	for name, test := range map[string]struct {
		data   string
		want   []string
		view   ValueView
		schema Number
		bom    bool
	}{
		"numbers as written": {
			`{"a":1e400,"b":12345678901234567890,"c":0.1}`,
			[]string{"{", `  "a": 1e400,`, `  "b": 12345678901234567890,`, `  "c": 0.1`, "}"},
			ViewJSON,
			Number{},
			false,
		},
		"duplicate keys": {`{"a":1,"a":2}`, []string{"{", `  "a": 1,`, `  "a": 2`, "}"}, ViewJSON, Number{}, false},
		"nested": {
			" [ {} , [ ] , { \"k\" : [ true , null ] } ] ",
			[]string{"[", "  {},", "  [],", "  {", `    "k": [`, "      true,", "      null", "    ]", "  }", "]"},
			ViewJSON,
			Number{},
			false,
		},
		"escapes stay":     {`["a\"b\\","\u00e9\n"]`, []string{"[", `  "a\"b\\",`, `  "\u00e9\n"`, "]"}, ViewJSON, Number{}, false},
		"empty object":     {`{}`, []string{"{}"}, ViewJSON, Number{}, false},
		"trailing garbage": {`{"a":1}garbage`, []string{`{"a":1}garbage`}, ViewText, Number{}, false},
		"the word null":    {"null", []string{"null"}, ViewText, Number{}, false},
		"lines":            {"line1\r\nline2\rline3\n", []string{`line1\r`, `line2\rline3`, ""}, ViewText, Number{}, false},
		"mark before JSON": {"\ufeff{\"a\":1}", []string{"{", `  "a": 1`, "}"}, ViewJSON, Number{}, true},
		"invalid UTF-8":    {"\xff\xfe\x80abc", []string{"00000000  ff fe 80 61 62 63                                ...abc"}, ViewHex, Number{}, false},
		"control bytes":    {"\x1b[2J\x1b[Hhidden and more text", []string{`\e[2J\e[Hhidden and more text`}, ViewText, Number{}, false},
		"framed JSON":      {"\x00\x00\x00\x00\x07{\"a\":1}", []string{"{", `  "a": 1`, "}"}, ViewJSON, Known(7), false},
		"framed Avro": {
			"\x00\x00\x00\x01\x02\x06abc",
			[]string{"00000000  00 00 00 01 02 06 61 62 63                       ......abc"},
			ViewHex, Known(258), false,
		},
		"bytes that only look framed": {
			"\x00\x01\x02\x03\x04\x05",
			[]string{"00000000  00 01 02 03 04 05                                ......"},
			ViewHex,
			Number{},
			false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := LookAtAll([]byte(test.data))
			if c.View != test.view || c.SchemaID != test.schema || c.BOM != test.bom {
				t.Errorf("seen as %+v", c)
			}
			if got := allRows([]byte(test.data), ViewAuto, 80); !slices.Equal(got, test.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

func TestNullEmptyAndTheWordDiffer(t *testing.T) {
	null, empty, word := NewBlob(nil), NewBlob([]byte{}), NewBlob([]byte("null"))
	if !null.IsNull() || empty.IsNull() || word.IsNull() {
		t.Error("only no bytes at all are null")
	}
	if null.Size() != -1 || empty.Size() != 0 || word.Size() != 4 {
		t.Errorf("sizes %d %d %d", null.Size(), empty.Size(), word.Size())
	}
	if null.Preview(10) != "" || word.Preview(10) != "null" {
		t.Error("null has a preview")
	}
}

// Every value in every view and width is safe for a terminal, never wider than
// its place, and a window is what the whole has there.
func TestRowsOfOddValues(t *testing.T) {
	values := [][]byte{
		[]byte(strings.Repeat("e\u0301\u0302\u0303", 300)), []byte(strings.Repeat("世界", 200)),
		[]byte(`{"` + strings.Repeat("k", 200) + `":"` + strings.Repeat(`\"`, 200) + `"}`),
		[]byte(`["` + strings.Repeat("\u202e", 100) + `",` + strings.Repeat("9", 500) + `]`),
		[]byte(strings.Repeat("[", 500) + `"` + strings.Repeat("\U000e0001", 30) + `"` + strings.Repeat("]", 500)),
	}
	for _, s := range oddStrings(t) {
		values = append(values, []byte(s.Raw))
		quoted, err := json.Marshal(map[string]string{s.Raw: s.Raw})
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, quoted)
	}
	for i, data := range values {
		for _, view := range []ValueView{ViewAuto, ViewJSON, ViewText, ViewHex} {
			for _, width := range []int{24, 31, 80, 200} {
				rows := allRows(data, view, width)
				for n, row := range rows {
					if Sanitize(row) != row || Width(row) > width {
						t.Fatalf("value %d as %s at %d: row %d is %d cells: %q", i, view, width, n, Width(row), row)
					}
				}
				v := NewValueRows(data, LookAtAll(data), view, width).Whole()
				for from := range rows {
					if got := v.Window(from, 3); !slices.Equal(got, rows[from:min(len(rows), from+3)]) {
						t.Fatalf("value %d as %s at %d: window at %d is %q", i, view, width, from, got)
					}
				}
			}
		}
	}
}

// Indented JSON is the same JSON: only blanks outside strings come and go.
func TestJSONRowsKeepEveryByte(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		data := []byte(randomJSON(random, 4))
		if !json.Valid(data) {
			t.Fatalf("the test made no JSON: %s", data)
		}
		var out strings.Builder
		for _, row := range allRows(data, ViewJSON, 10_000) {
			out.WriteString(row)
		}
		if got, want := compacted(t, []byte(out.String())), compacted(t, data); got != want {
			t.Fatalf("got  %s\nwant %s", got, want)
		}
	}
}

func compacted(t *testing.T, data []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, data); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return b.String()
}

func randomJSON(r *rand.Rand, depth int) string {
	kind := r.IntN(7)
	if depth == 4 || depth > 0 && kind < 4 {
		var parts []string
		object := kind%2 == 0
		for range r.IntN(4) {
			part := randomJSON(r, depth-1)
			if object {
				part = fmt.Sprintf("%q :\t%s", fmt.Sprint("k", r.IntN(3)), part)
			}
			parts = append(parts, part)
		}
		all := strings.Join(parts, " ,\n")
		if object {
			return "{ " + all + "}"
		}
		return "[" + all + " ]"
	}
	return []string{"1.50e+7", "null", `"a\"\\é"`, "-0", "true", `""`, "18446744073709551616"}[kind]
}

// A large value is not read to its end before it is asked to be.
func TestLargeValueBeginsAtOnce(t *testing.T) {
	data := largeArray(1_000_000)
	c := Look(data)
	if c.Checked || c.IsJSON {
		t.Fatalf("a large value was read at once: %+v", c)
	}
	v := NewValueRows(data, c, ViewAuto, 80)
	rows, whole := v.Len()
	if whole || rows > firstRows {
		t.Errorf("%d rows of a large value are known at once", rows)
	}
	v = NewValueRows(data, LookAtAll(data), ViewAuto, 80).Whole()
	if rows, whole = v.Len(); !whole || rows != 1_000_002 {
		t.Errorf("%d rows, whole %v", rows, whole)
	}
	if got := v.Window(500_000, 1); !slices.Equal(got, []string{"  499999,"}) {
		t.Errorf("row in the middle: %q", got)
	}
	if marks := len(v.marks); marks > rows/rowsPerMark+1 {
		t.Errorf("%d marks", marks)
	}
}

// Reading all of a large value can be given up: what is known stays.
func TestReadingALargeValueCanBeGivenUp(t *testing.T) {
	data := largeArray(1_000_000)
	c := LookAtAll(data)
	asked := 0
	v := NewValueRows(data, c, ViewAuto, 80).WholeUnless(func() bool { asked++; return asked > 3 })
	if rows, whole := v.Len(); whole || rows != firstRows+3*rowsPerStop {
		t.Errorf("%d rows, whole %v", rows, whole)
	}
	if rows, whole := v.Whole().Len(); !whole || rows != 1_000_002 {
		t.Errorf("gone on with: %d rows, whole %v", rows, whole)
	}
}

func TestBlobIsBounded(t *testing.T) {
	b := NewBlob(make([]byte, MaxBlob+5))
	if at, cut := b.CutAt(); !cut || at != MaxBlob || b.Size() != MaxBlob+5 {
		t.Errorf("cut at %d, %v, size %d", at, cut, b.Size())
	}
	if _, cut := NewBlob([]byte("x")).CutAt(); cut {
		t.Error("a small value is cut")
	}
}

func largeArray(n int) []byte {
	var b bytes.Buffer
	b.WriteByte('[')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprint(&b, i)
	}
	b.WriteByte(']')
	return b.Bytes()
}

// BenchmarkValueWindow is what one frame costs of the largest values, at their
// middle.
func BenchmarkValueWindow(b *testing.B) {
	for name, data := range map[string][]byte{
		"20 MiB in one line": bytes.Repeat([]byte("order 12345 "), 20<<20/12),
		"a million elements": largeArray(1_000_000),
	} {
		v := NewValueRows(data, LookAtAll(data), ViewAuto, 120).Whole()
		rows, _ := v.Len()
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if len(v.Window(rows/2, 50)) != 50 {
					b.Fatal("no rows")
				}
			}
		})
	}
}

// BenchmarkValueOpen is what opening such a value costs where the screen is
// drawn; the rest is done elsewhere.
func BenchmarkValueOpen(b *testing.B) {
	for name, data := range map[string][]byte{
		"20 MiB in one line": bytes.Repeat([]byte("order 12345 "), 20<<20/12),
		"a million elements": largeArray(1_000_000),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				NewValueRows(data, Look(data), ViewAuto, 120)
			}
		})
	}
}
