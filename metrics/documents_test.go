package metrics

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const documents = "../docs/prometheus/"

// names are all series that there are.
func names() []string {
	return []string{
		nameLag, nameStart, nameEnd, nameAhead, nameMembers, nameState, nameVerdict, nameLagPartial,
		nameUp, nameProblems, nameAnswered,
	}
}

func TestSeriesAreDocumented(t *testing.T) {
	doc := readFile(t, "../docs/metrics.md")
	for _, name := range names() {
		if !strings.Contains(doc, "| `"+name+"` |") {
			t.Errorf("docs/metrics.md does not tell of %s", name)
		}
	}
}

// Rules and dashboard must ask for series that are there.
func TestDocumentsAskForOurSeries(t *testing.T) {
	series := regexp.MustCompile(`\b(?:kafka_share_group|sharetop)_\w+`)
	for _, file := range []string{"alerts.yml", "alerts_test.yml", "dashboard.json"} {
		found := series.FindAllString(readFile(t, documents+file), -1)
		if len(found) == 0 {
			t.Errorf("%s asks for nothing", file)
		}
		for _, name := range found {
			if !slices.Contains(names(), name) {
				t.Errorf("%s asks for %s, which does not exist", file, name)
			}
		}
	}
	var dashboard struct {
		Panels []struct{ Targets []struct{ Expr string } }
	}
	if err := json.Unmarshal([]byte(readFile(t, documents+"dashboard.json")), &dashboard); err != nil {
		t.Fatal(err)
	}
	for i, panel := range dashboard.Panels {
		if len(panel.Targets) == 0 || panel.Targets[0].Expr == "" {
			t.Errorf("panel %d shows nothing", i)
		}
	}
}

// TestRulesWithPromtool lets Prometheus' own tool read the rules, try what they
// fire on, read the dashboard's expressions and check our output.
func TestRulesWithPromtool(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("this test was not run: there is no promtool (on Debian it is in the package prometheus)")
	}
	run := func(stdin string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), promtool, args...)
		cmd.Stdin = strings.NewReader(stdin)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
	}
	run("", "check", "rules", documents+"alerts.yml")
	run("", "test", "rules", documents+"alerts_test.yml")
	run(printed(t, shop(), seenAt), "check", "metrics")
	run("", "check", "rules", dashboardAsRules(t))
}

// dashboardAsRules writes the dashboard's expressions as recording rules, which
// is how promtool reads expressions.
func dashboardAsRules(t *testing.T) string {
	t.Helper()
	expr := regexp.MustCompile(`"expr": ("(?:[^"\\]|\\.)*")`)
	var rules strings.Builder
	rules.WriteString("groups: [{name: dashboard, rules: [\n")
	for _, found := range expr.FindAllStringSubmatch(readFile(t, documents+"dashboard.json"), -1) {
		filled := strings.NewReplacer("$__rate_interval", "5m", "$group", ".*").Replace(found[1])
		rules.WriteString("{record: " + "\"dashboard:" + string(rune('a'+strings.Count(rules.String(), "record"))) + "\", expr: " + filled + "},\n")
	}
	rules.WriteString("]}]\n")
	file := t.TempDir() + "/dashboard.yml"
	if err := os.WriteFile(file, []byte(rules.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
