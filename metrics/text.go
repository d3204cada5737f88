package metrics

import (
	"io"
	"strconv"
)

// Content types of the two formats that are served.
const (
	textFormat  = "text/plain; version=0.0.4; charset=utf-8"
	openMetrics = "application/openmetrics-text; version=1.0.0; charset=utf-8"
)

// endOfOpenMetrics ends an answer in OpenMetrics. The text format takes it for
// a comment, and is written without.
const endOfOpenMetrics = "# EOF\n"

// family is a name of series with those that there are, as lines of the
// exposition format. All are gauges, which the text format (0.0.4) and
// OpenMetrics (1.0) write alike. Prometheus' client library is not linked for
// that: it takes more than a millisecond of every start of the program. The
// tests read what is written with its parser and its lint.
type family struct {
	name   string
	help   string // without backslashes, quotes and line ends
	labels []string
	lines  []byte
}

// add writes one sample. Values are those of the family's labels, in their
// order.
func (f *family) add(v float64, values ...string) {
	f.lines = append(f.lines, f.name...)
	separator := byte('{')
	for i, value := range values {
		f.lines = append(f.lines, separator)
		f.lines = append(f.lines, f.labels[i]...)
		f.lines = append(f.lines, '=', '"')
		f.lines = appendEscaped(f.lines, value)
		f.lines = append(f.lines, '"')
		separator = ','
	}
	if len(values) > 0 {
		f.lines = append(f.lines, '}')
	}
	f.lines = append(f.lines, ' ')
	f.lines = strconv.AppendFloat(f.lines, v, 'f', -1, 64)
	f.lines = append(f.lines, '\n')
}

// write prints the family, and nothing when it has no series.
func (f *family) write(w io.Writer) error {
	if len(f.lines) == 0 {
		return nil
	}
	head := "# HELP " + f.name + " " + f.help + "\n# TYPE " + f.name + " gauge\n"
	if _, err := io.WriteString(w, head); err != nil {
		return err
	}
	_, err := w.Write(f.lines)
	return err
}

// appendEscaped writes the value of a label. It is valid UTF-8 already.
func appendEscaped(to []byte, value string) []byte {
	for i := range len(value) {
		switch c := value[i]; c {
		case '\\', '"':
			to = append(to, '\\', c)
		case '\n':
			to = append(to, '\\', 'n')
		default:
			to = append(to, c)
		}
	}
	return to
}
