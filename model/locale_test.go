package model

import "testing"

func TestSpeaksUTF8(t *testing.T) {
	tests := []struct {
		vars map[string]string
		want bool
	}{
		{nil, true},
		{map[string]string{"LANG": "C.UTF-8"}, true},
		{map[string]string{"LANG": "de_DE.utf8"}, true},
		{map[string]string{"LANG": "C"}, false},
		{map[string]string{"LANG": "de_DE.UTF-8", "LC_ALL": "POSIX"}, false},
		{map[string]string{"LANG": "C", "LC_CTYPE": "en_US.UTF-8"}, true},
	}
	for _, tt := range tests {
		if got := SpeaksUTF8(func(k string) string { return tt.vars[k] }); got != tt.want {
			t.Errorf("%v: %v", tt.vars, got)
		}
	}
}
