package main

import "testing"

func TestSoftwareVersionIsWhatBrokersAccept(t *testing.T) {
	for version, want := range map[string]string{
		"v1.2.3":                    "v1.2.3",
		"v1.2.3 (0123abc, changed)": "v1.2.3-0123abc-changed",
		"v1.2.3+dirty go1.26.7":     "v1.2.3-dirty-go1.26.7",
		"-.unknown.-":               "unknown",
		"":                          "",
	} {
		if got := softwareVersion(version); got != want {
			t.Errorf("%q: got %q, want %q", version, got, want)
		}
	}
}
