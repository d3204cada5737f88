package metrics

import (
	"net/http"
	"testing"
)

func TestWantedBy(t *testing.T) {
	// What Prometheus 3 sends.
	const prometheus = "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6," +
		"application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4," +
		"text/plain;version=0.0.4;q=0.3,*/*;q=0.2"
	tests := []struct {
		name, accept, encoding string
		want                   wanted
	}{
		{"nothing said", "", "", wanted{textFormat, false}},
		{"Prometheus", prometheus, "gzip", wanted{openMetrics, true}},
		{"a browser", "text/html,application/xhtml+xml,*/*;q=0.8", "gzip, deflate, br", wanted{textFormat, true}},
		{"text liked more", "application/openmetrics-text;q=0.3, text/plain;q=0.5", "", wanted{textFormat, false}},
		{"OpenMetrics refused", "application/openmetrics-text;q=0", "gzip;q=0", wanted{textFormat, false}},
		{"another version", "application/openmetrics-text;version=2.0.0", "*", wanted{textFormat, true}},
		{"nonsense", ";;,application/openmetrics-text;q=x,/", ",;", wanted{textFormat, false}},
	}
	for _, tt := range tests {
		header := http.Header{"Accept": {tt.accept}, "Accept-Encoding": {tt.encoding}}
		if got := wantedBy(header); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}
