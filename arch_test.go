package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// direction says what one folder may import beside the standard library, as
// path prefixes, and what must not even be linked into it through others.
type direction struct {
	folder  string
	imports []string
	never   []string
}

// directions is the rule of docs/architecture.md. A folder that is not listed
// (main, test, bench) may import everything; a folder inside a listed one
// follows its rule unless it has its own line above it.
func directions() []direction {
	const franz, charm = "github.com/twmb/franz-go", "charm.land"
	return []direction{
		{folder: "model"},
		{folder: "audit", imports: []string{"sharetop/model"}, never: []string{"github.com", "charm.land"}},
		{folder: "keymap", imports: []string{"charm.land/bubbles/v2/key"}, never: []string{franz}},
		{folder: "kafka/statetopic", imports: []string{"sharetop/model"}, never: []string{franz + "/pkg/kgo", charm}},
		{folder: "kafka", imports: []string{"sharetop/model", "sharetop/kafka", franz, "github.com/jcmturner/gokrb5", "github.com/aws/aws-sdk-go-v2"}, never: []string{charm, franz + "/pkg/kfake"}},
		{
			folder:  "ui",
			imports: []string{"sharetop/model", "sharetop/keymap", "sharetop/ui", charm, "github.com/charmbracelet"},
			never:   []string{franz, "sharetop/kafka"},
		},
		{folder: "demo", imports: []string{"sharetop/model", "sharetop/kafka/statetopic", franz}, never: []string{charm}},
		{
			folder: "profile",
			imports: []string{
				"sharetop/model", "github.com/BurntSushi/toml", "gopkg.in/yaml.v3",
				"github.com/pavlo-v-chernykh/keystore-go", "software.sslmate.com/src/go-pkcs12", "github.com/youmark/pkcs8",
			},
			never: []string{franz, charm},
		},
		{folder: "dial", imports: []string{"sharetop/model", "golang.org/x/crypto", "golang.org/x/net/proxy"}, never: []string{franz, charm}},
		{folder: "metrics", imports: []string{"sharetop/model", "github.com/prometheus"}, never: []string{franz, charm}},
		{folder: "cli", imports: []string{"sharetop/model", "sharetop/metrics", "github.com/spf13/cobra", "github.com/spf13/pflag"}, never: []string{franz, charm}},
	}
}

// listed is what `go list` says of one package.
type listed struct {
	ImportPath string
	Standard   bool
	Imports    []string
	Deps       []string
}

func TestImportDirections(t *testing.T) {
	packages := goList(t)
	seen := 0
	for path, p := range packages {
		rule, ok := ruleFor(path)
		if !ok {
			continue
		}
		seen++
		for _, broken := range breaches(rule, p, packages) {
			t.Errorf("%s %s", path, broken)
		}
	}
	if seen == 0 {
		t.Fatal("no package of a rule was listed: the test looks at nothing")
	}
}

// The checker itself must be able to say no.
func TestImportDirectionsAreNoticed(t *testing.T) {
	std := listed{ImportPath: "fmt", Standard: true}
	kgo := listed{ImportPath: "github.com/twmb/franz-go/pkg/kgo"}
	packages := map[string]listed{"fmt": std, kgo.ImportPath: kgo}
	cases := []struct {
		name string
		p    listed
		want int
	}{
		{"model with the standard library", listed{ImportPath: "sharetop/model", Imports: []string{"fmt"}}, 0},
		{"model with a client", listed{ImportPath: "sharetop/model", Imports: []string{kgo.ImportPath}}, 1},
		{"ui with kafka", listed{ImportPath: "sharetop/ui", Imports: []string{"sharetop/kafka"}}, 1},
		{"ui with a client behind another package", listed{ImportPath: "sharetop/ui", Deps: []string{kgo.ImportPath}}, 1},
		{"a name that only begins alike", listed{ImportPath: "sharetop/ui", Imports: []string{"charm.landing/x"}}, 1},
		{"kafka with ui", listed{ImportPath: "sharetop/kafka", Imports: []string{"sharetop/ui"}}, 1},
		{"the codec with a client", listed{ImportPath: "sharetop/kafka/statetopic", Imports: []string{kgo.ImportPath}}, 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			rule, ok := ruleFor(c.p.ImportPath)
			if !ok {
				t.Fatalf("no rule for %s", c.p.ImportPath)
			}
			if got := breaches(rule, c.p, packages); len(got) != c.want {
				t.Errorf("got %q, want %d of them", got, c.want)
			}
		})
	}
}

func ruleFor(path string) (direction, bool) {
	for _, d := range directions() {
		if under(path, "sharetop/"+d.folder) {
			return d, true
		}
	}
	return direction{}, false
}

// breaches says how p breaks the rule, one sentence each.
func breaches(rule direction, p listed, all map[string]listed) []string {
	var out []string
	for _, imported := range p.Imports {
		if all[imported].Standard || slices.ContainsFunc(rule.imports, func(ok string) bool { return under(imported, ok) }) {
			continue
		}
		out = append(out, "imports "+imported+", which "+rule.folder+"/ may not")
	}
	for _, dep := range p.Deps {
		if slices.ContainsFunc(rule.never, func(no string) bool { return under(dep, no) }) {
			out = append(out, "is linked with "+dep+", which must never reach "+rule.folder+"/")
		}
	}
	return out
}

// under tells whether path is prefix or inside it.
func under(path, prefix string) bool {
	return path == prefix || strings.HasPrefix(path, prefix+"/")
}

func goList(t *testing.T) map[string]listed {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=ImportPath,Standard,Imports,Deps", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	packages := map[string]listed{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatalf("go list's answer: %v", err)
		}
		packages[p.ImportPath] = p
	}
}
