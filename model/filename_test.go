package model

import (
	"strings"
	"testing"
)

func TestFileName(t *testing.T) {
	tests := []struct{ raw, want string }{
		{"payments-retry", "payments-retry"},
		{"../../etc/passwd", ".._.._etc_passwd"},
		{"a b;$(rm)\n\x1b[31m", "a_b___rm____31m"},
		{"größe", "gr__e"},
		{"", ""},
		{strings.Repeat("x", 70), strings.Repeat("x", MaxFileName)},
	}
	for _, tt := range tests {
		if got := FileName(tt.raw); got != tt.want {
			t.Errorf("%q is %q, want %q", tt.raw, got, tt.want)
		}
	}
}
