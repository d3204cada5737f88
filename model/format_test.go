package model

import (
	"math"
	"testing"
	"time"
	"unicode/utf8"
)

func TestFormatNumber(t *testing.T) {
	tests := []struct {
		in   Number
		want string
	}{
		{Number{}, "–"},
		{Known(0), "0"},
		{Known(-1), "-1"},
		{Known(999), "999"},
		{Known(1000), "1,000"},
		{Known(-1000), "-1,000"},
		{Known(12840), "12,840"},
		{Known(123456), "123,456"},
		{Known(1234567), "1,234,567"},
		{Known(math.MaxInt64), "9,223,372,036,854,775,807"},
		{Known(math.MinInt64), "-9,223,372,036,854,775,807"},
	}
	for _, tt := range tests {
		if got := FormatNumber(tt.in); got != tt.want {
			t.Errorf("FormatNumber(%+v) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestFormatTotal(t *testing.T) {
	tests := []struct {
		in      Number
		partial bool
		want    string
	}{
		{Known(12840), false, "12,840"},
		{Known(12840), true, "12,840+"},
		{Known(0), true, "0+"},
		{Number{}, true, "–"},
		{Number{}, false, "–"},
	}
	for _, tt := range tests {
		if got := FormatTotal(tt.in, tt.partial); got != tt.want {
			t.Errorf("FormatTotal(%+v, %v) = %q, want %q", tt.in, tt.partial, got, tt.want)
		}
	}
}

func TestFormatRate(t *testing.T) {
	tests := []struct {
		in   float64
		want string
	}{
		{0, "0"},
		{math.Copysign(0, -1), "0"},
		{0.0001, "<0.1"},
		{-0.0001, ">-0.1"},
		{0.05, "0.1"},
		{0.4, "0.4"},
		{-0.44, "-0.4"},
		{3, "3"},
		{9.94, "9.9"},
		{9.96, "10"},
		{310.4, "310"},
		{-60, "-60"},
		{9999.4, "9,999"},
		{-9999.4, "-9,999"},
		{9999.6, "10k"},
		{12400, "12.4k"},
		{-99940, "-99.9k"},
		{99960, "100k"},
		{-999400, "-999k"},
		{999600, "1M"},
		{12.4e6, "12.4M"},
		{3e9, "3G"},
		{4.5e12, "4.5T"},
		{1e15, "1e+15"},
		{math.MaxFloat64, "2e+308"},
		{math.NaN(), "–"},
		{math.Inf(1), "–"},
		{math.Inf(-1), "–"},
	}
	for _, tt := range tests {
		if got := FormatRate(Rate{PerSecond: tt.in, Known: true}); got != tt.want {
			t.Errorf("FormatRate(%v) = %q, want %q", tt.in, got, tt.want)
		}
	}
	if got := FormatRate(Rate{PerSecond: 5}); got != Unknown {
		t.Errorf("a rate that is not known is %q", got)
	}
}

func TestFormatDuration(t *testing.T) {
	const day = 24 * time.Hour
	tests := []struct {
		in   time.Duration
		want string
	}{
		{0, "0s"},
		{1, "<1ms"},
		{40 * time.Millisecond, "40ms"},
		{99*time.Millisecond + 999*time.Microsecond, "99ms"},
		{100 * time.Millisecond, "0.1s"},
		{449 * time.Millisecond, "0.4s"},
		{3 * time.Second, "3s"},
		{9999 * time.Millisecond, "9.9s"},
		{18900 * time.Millisecond, "18s"},
		{time.Minute, "1m"},
		{4*time.Minute + 5*time.Second, "4m05s"},
		{4*time.Minute + 10*time.Second, "4m10s"},
		{10*time.Minute - 1, "9m59s"},
		{14*time.Minute + 59*time.Second, "14m"},
		{3 * time.Hour, "3h"},
		{3*time.Hour + 5*time.Minute, "3h05m"},
		{day - 1, "23h"},
		{day, "1d"},
		{9*day + 23*time.Hour, "9d23h"},
		{12*day + 5*time.Hour, "12d"},
		{999 * day, "999d"},
		{1000 * day, "2y"},
		{math.MaxInt64, "292y"},
		{-18 * time.Second, "-18s"},
		{-(9*time.Minute + 59*time.Second), "-9m59s"},
		{math.MinInt64, "-292y"},
	}
	for _, tt := range tests {
		got := FormatDuration(tt.in)
		if got != tt.want {
			t.Errorf("FormatDuration(%d) = %q, want %q", tt.in, got, tt.want)
		}
		if n := utf8.RuneCountInString(got); n > 6 {
			t.Errorf("FormatDuration(%d) = %q takes %d cells", tt.in, got, n)
		}
	}
}

func TestFormatDrain(t *testing.T) {
	tests := []struct {
		in   Drain
		want string
	}{
		{Drain{}, "–"},
		{Drain{Kind: DrainDone}, "done"},
		{Drain{Kind: DrainIn, In: 26*time.Second + 700*time.Millisecond}, "~26s"},
		{Drain{Kind: DrainIn, In: 2700 * time.Millisecond}, "~2s"},
		{Drain{Kind: DrainIn}, "~1s"},
		{Drain{Kind: DrainIn, In: math.MaxInt64}, "~292y"},
		{Drain{Kind: DrainNever}, "never"},
		{Drain{Kind: DrainStuck}, "stuck"},
		{Drain{Kind: 99}, "–"},
	}
	for _, tt := range tests {
		if got := FormatDrain(tt.in); got != tt.want {
			t.Errorf("FormatDrain(%+v) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestFormatAge(t *testing.T) {
	now := time.Date(2026, 11, 29, 14, 57, 3, 0, time.UTC)
	tests := []struct {
		name string
		at   time.Time
		want string
	}{
		{"never", time.Time{}, "–"},
		{"now", now, "0s ago"},
		{"a moment", now.Add(-400 * time.Millisecond), "0.4s ago"},
		{"minutes", now.Add(-14 * time.Minute), "14m ago"},
		{"the epoch", time.UnixMilli(0), "56y ago"},
		{"timestamp -1", time.UnixMilli(-1), "56y ago"},
		{"tomorrow", now.Add(24 * time.Hour), "in 1d"},
		{"the largest timestamp", time.UnixMilli(math.MaxInt64), "in 292y"},
		{"the smallest timestamp", time.UnixMilli(math.MinInt64), "292y ago"},
	}
	for _, tt := range tests {
		if got := FormatAge(tt.at, now); got != tt.want {
			t.Errorf("%s: FormatAge = %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestFormatClock(t *testing.T) {
	east := time.FixedZone("east", 3600)
	at := time.Date(2026, 11, 29, 15, 57, 3, 0, east)
	if got := FormatClock(at, true); got != "14:57:03Z" {
		t.Errorf("in UTC it is %q", got)
	}
	if got, want := FormatClock(at, false), at.Local().Format("15:04:05"); got != want {
		t.Errorf("in local time it is %q, want %q", got, want)
	}
	if got := FormatClock(time.Time{}, true); got != Unknown {
		t.Errorf("the zero time is %q", got)
	}
}

func TestFormatSize(t *testing.T) {
	tests := []struct {
		in   int64
		want string
	}{
		{-1, "–"},
		{0, "0 B"},
		{812, "812 B"},
		{1023, "1023 B"},
		{1024, "1 KiB"},
		{1229, "1.2 KiB"},
		{20 << 10, "20 KiB"},
		{1<<20 - 1, "1 MiB"},
		{20 << 20, "20 MiB"},
		{5 << 30, "5 GiB"},
		{math.MaxInt64, "8 EiB"},
	}
	for _, tt := range tests {
		if got := FormatSize(tt.in); got != tt.want {
			t.Errorf("FormatSize(%d) = %q, want %q", tt.in, got, tt.want)
		}
	}
}
