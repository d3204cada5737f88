package metrics

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// wanted is the form of an answer.
type wanted struct {
	format string // a content type
	packed bool   // with gzip
}

// wantedBy reads what the client takes (RFC 9110, 12.5): the text format unless
// OpenMetrics 1.0 is named, and liked no less.
func wantedBy(header http.Header) wanted {
	accept := strings.Join(header.Values("Accept"), ",")
	w := wanted{format: textFormat}
	if open := liking(accept, isOpenMetrics); open > 0 && open >= liking(accept, isText) {
		w.format = openMetrics
	}
	w.packed = liking(strings.Join(header.Values("Accept-Encoding"), ","), isGzip) > 0
	return w
}

// liking is the largest q of the entries of an Accept header that match: from
// 0, not taken, to 1.
func liking(accept string, matches func(name string, params map[string]string) bool) float64 {
	most := 0.0
	for entry := range strings.SplitSeq(accept, ",") {
		name, params, err := mime.ParseMediaType(entry)
		if err != nil || !matches(name, params) {
			continue
		}
		q, err := strconv.ParseFloat(params["q"], 64)
		if params["q"] == "" {
			q = 1
		} else if err != nil {
			continue
		}
		most = max(most, q)
	}
	return most
}

func isOpenMetrics(name string, params map[string]string) bool {
	version := params["version"]
	return name == "application/openmetrics-text" && (version == "" || version == "1.0.0")
}

func isText(name string, params map[string]string) bool {
	version := params["version"]
	return name == "text/plain" && (version == "" || version == "0.0.4")
}

func isGzip(name string, _ map[string]string) bool { return name == "gzip" || name == "*" }
