package keymap

import (
	"flag"
	"os"
	"strings"
	"testing"
)

// together are the scopes whose keys are live at the same time.
func together() map[string][]Scope {
	return map[string][]Scope{
		"groups":     {ScopeEverywhere, ScopeLists, ScopeGroups},
		"partitions": {ScopeEverywhere, ScopeLists, ScopeGroup, ScopePartitions},
		"config":     {ScopeEverywhere, ScopeLists, ScopeGroup, ScopeConfig},
		"state":      {ScopeEverywhere, ScopeLists, ScopeGroup, ScopeState},
		"radar":      {ScopeEverywhere, ScopeLists, ScopeRadar},
		"records":    {ScopeEverywhere, ScopeLists, ScopeGroup, ScopeRecords},
		"letters":    {ScopeEverywhere, ScopeLists, ScopeGroup, ScopeLetters},
		"consume":    {ScopeEverywhere, ScopeLists, ScopeConsume},
		"plan":       {ScopeEverywhere, ScopeLists, ScopePlan},
		"deleted":    {ScopeEverywhere, ScopeLists, ScopeDeleted},
		"text":       {ScopeText},
		"dialogs":    {ScopeDialogs},
		"typed":      {ScopeTyped},
		"questions":  {ScopeConfirm},
		"clusters":   {ScopeEverywhere, ScopeLists, ScopeClusters},
	}
}

func TestNoTwoBindingsCollide(t *testing.T) {
	sections := make(map[Scope][]Binding)
	for _, s := range Default().All() {
		sections[s.Scope] = s.Bindings
	}
	for name, scopes := range together() {
		taken := make(map[string]string)
		for _, scope := range scopes {
			for _, b := range sections[scope] {
				for _, k := range b.Keys() {
					if other, ok := taken[k]; ok {
						t.Errorf("%s: %q is %q and %q", name, k, other, b.Help().Desc)
					}
					taken[k] = b.Help().Desc
				}
			}
		}
	}
}

func TestEveryScopeIsCheckedForCollisions(t *testing.T) {
	checked := make(map[Scope]bool)
	for _, scopes := range together() {
		for _, s := range scopes {
			checked[s] = true
		}
	}
	for _, s := range Default().All() {
		if !checked[s.Scope] {
			t.Errorf("no test for collisions covers %q", s.Scope)
		}
	}
}

func TestEveryBindingCanBePressedAndRead(t *testing.T) {
	for _, s := range Default().All() {
		for _, b := range s.Bindings {
			if len(b.Keys()) == 0 || b.Help().Key == "" || b.Help().Desc == "" {
				t.Errorf("%s: %+v has no key or no help", s.Scope, b)
			}
			for _, k := range b.Keys() {
				if strings.ContainsAny(k, " ") {
					t.Errorf("%s: Bubble Tea calls no key %q; the space bar is \"space\"", s.Scope, k)
				}
			}
			if b.IsOff() == b.Enabled() {
				t.Errorf("%s: %s is enabled and off at once, or neither", s.Scope, b.Help().Key)
			}
		}
	}
}

// Nothing that changes a group lies beside a harmless key.
func TestNoDestructiveKeyOnControlD(t *testing.T) {
	for _, s := range Default().All() {
		for _, b := range s.Bindings {
			if b.Pressed(pressed("ctrl+d")) && b.Help().Desc != "page down" {
				t.Errorf("%s: ctrl-d does %q", s.Scope, b.Help().Desc)
			}
		}
	}
}

type pressed string

func (p pressed) String() string { return string(p) }

func TestKeyThatIsOffIsStillRecognised(t *testing.T) {
	b := bind("v", "peek", "v").Off("not built yet")
	if !b.Pressed(pressed("v")) {
		t.Error("a key that is off must answer with its reason")
	}
	if b.Pressed(pressed("x")) || b.Reason != "not built yet" {
		t.Errorf("got %+v", b)
	}
}

var update = flag.Bool("update", false, "write the key table into the README")

const (
	readme     = "../README.md"
	keysBegin  = "<!-- keys -->\n"
	keysFinish = "<!-- /keys -->"
)

func TestREADMEHasTheKeys(t *testing.T) {
	raw, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(raw), keysBegin)
	_, after, closed := strings.Cut(rest, keysFinish)
	if !found || !closed {
		t.Fatalf("%s lacks the lines %q and %q", readme, keysBegin, keysFinish)
	}
	want := before + keysBegin + Markdown(Default().All()) + keysFinish + after
	if want == string(raw) {
		return
	}
	if *update {
		if err := os.WriteFile(readme, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("the key table of %s is stale: go test ./keymap -update writes it", readme)
}
