//go:build unix

package test

import (
	"bytes"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	prom "github.com/prometheus/common/model"
)

// series are the values of one family by "group topic partition".
type series map[string]float64

// testMetrics holds the series of `sharetop metrics` against Kafka's own
// command: equal where it prints a number, absent where it prints none.
func testMetrics(t *testing.T, c cluster) {
	const topic, group, unplaced = "metrics.jobs", "metrics, \"quoted\"", "metrics-unplaced"
	must(t, c.work.CreateTopic(t.Context(), topic, 2))
	must(t, c.work.Produce(t.Context(), topic, 0, 5))
	must(t, c.work.Produce(t.Context(), topic, 1, 9))
	must(t, c.work.PlaceGroup(t.Context(), group, topic, 5, 4))
	must(t, c.work.PlaceGroup(t.Context(), unplaced, topic, -1, 2))
	want, err := c.judge.Offsets(t.Context(), group, unplaced)
	must(t, err)
	if len(want) != 4 {
		t.Fatalf("Kafka's command prints %d rows, want 4", len(want))
	}

	families := metricsOf(t, c)
	lag, start := families["kafka_share_group_lag"], families["kafka_share_group_start_offset"]
	for _, row := range want {
		key := row.Group + " " + row.Topic + " " + strconv.Itoa(int(row.Partition))
		for what, pair := range map[string]struct {
			got    series
			number int64
			known  bool
		}{
			"lag":          {lag, row.Lag.Or(0), row.Lag.IsKnown()},
			"start offset": {start, row.Start.Or(0), row.Start.IsKnown()},
		} {
			got, there := pair.got[key]
			if there != pair.known || there && got != float64(pair.number) {
				t.Errorf("%s of %s: %v (%v), Kafka prints %v (%v)", what, key, got, there, pair.number, pair.known)
			}
		}
	}
	if n := families["kafka_share_group_end_offset"][group+" "+topic+" 1"]; n != 9 {
		t.Errorf("the end offset is %v, want 9", n)
	}
}

// metricsOf runs the program and reads what it prints, as Prometheus does.
func metricsOf(t *testing.T, c cluster) map[string]series {
	t.Helper()
	path, err := program()
	must(t, err)
	cmd := exec.CommandContext(t.Context(), path, "metrics", "--bootstrap-server", strings.Join(c.Bootstrap(), ","))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("metrics: %v, %s", err, stderr.String())
	}
	parser := expfmt.NewTextParser(prom.UTF8Validation)
	read, err := parser.TextToMetricFamilies(bytes.NewReader(out))
	must(t, err)
	families := make(map[string]series)
	for name, family := range read {
		families[name] = series{}
		for _, metric := range family.GetMetric() {
			families[name][labelsOf(metric)] = metric.GetGauge().GetValue()
		}
	}
	return families
}

func labelsOf(metric *dto.Metric) string {
	labels := map[string]string{}
	for _, pair := range metric.GetLabel() {
		labels[pair.GetName()] = pair.GetValue()
	}
	return labels["group"] + " " + labels["topic"] + " " + labels["partition"]
}
