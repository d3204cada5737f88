package model

import (
	"strings"
	"testing"
	"time"
)

func TestStateBudgetIsRead(t *testing.T) {
	var b StateBudget
	tests := []struct {
		set   func(string) error
		text  string
		value func() int64
		want  int64 // 0: refused
	}{
		{b.SetMemory, "256MB", func() int64 { return b.MaxMemory }, 256_000_000},
		{b.SetMemory, "1 GiB", func() int64 { return b.MaxMemory }, 1 << 30},
		{b.SetMemory, "1048576", func() int64 { return b.MaxMemory }, 1 << 20},
		{b.SetMemory, "1KB", nil, 0},
		{b.SetMemory, "65GiB", nil, 0},
		{b.SetMemory, "9223372036854775807GB", nil, 0},
		{b.SetMemory, "-1MB", nil, 0},
		{b.SetMemory, "MB", nil, 0},
		{b.SetMemory, "1XB", nil, 0},
		{b.SetMemory, "", nil, 0},
		{b.SetRate, "1MB", func() int64 { return b.MaxBytesPerSecond }, 1_000_000},
		{b.SetRate, "64kib/s", func() int64 { return b.MaxBytesPerSecond }, 64 << 10},
		{b.SetRate, "10", nil, 0},
		{b.SetLoad, "10s", func() int64 { return int64(b.MaxLoad) }, int64(10 * time.Second)},
		{b.SetLoad, "1ms", nil, 0},
		{b.SetLoad, "10", nil, 0},
	}
	for _, tt := range tests {
		err := tt.set(tt.text)
		switch {
		case (err == nil) != (tt.want > 0):
			t.Errorf("%q: error %v", tt.text, err)
		case err == nil && tt.value() != tt.want:
			t.Errorf("%q is %d, want %d", tt.text, tt.value(), tt.want)
		case err != nil && !strings.HasPrefix(err.Error(), "must be a "):
			t.Errorf("%q: %v", tt.text, err)
		}
	}
}

func TestStateBudgetIsFilledIn(t *testing.T) {
	given := StateBudget{MaxLoad: time.Second}
	filled := given.Or(StateBudget{MaxMemory: 5 << 20, MaxLoad: time.Minute})
	if b := filled.OrDefault(); b != (StateBudget{5 << 20, time.Second, DefaultStateBytesPerSecond}) {
		t.Errorf("got %+v", b)
	}
}
