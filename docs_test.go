package main

import (
	"html"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// The pictures in the README are frames that the screen really draws.
func TestPicturesAreGoldenFrames(t *testing.T) {
	tags := regexp.MustCompile(`<[^>]*>`)
	makes := regexp.MustCompile(`(?m)^picture (\w+) (\w+)$`)
	all := makes.FindAllStringSubmatch(read(t, "docs/screen.sh"), -1)
	if len(all) != 5 {
		t.Fatalf("docs/screen.sh makes %d pictures, want 5", len(all))
	}
	for _, m := range all {
		picture := html.UnescapeString(tags.ReplaceAllString(read(t, "docs/"+m[2]+".svg"), ""))
		frame := ansi.Strip(read(t, "ui/testdata/"+m[1]+".golden"))
		for line := range strings.Lines(frame) {
			if line = strings.TrimRight(line, " \r\n"); !strings.Contains(picture, line) {
				t.Errorf("docs/%s.svg lacks the line %q: docs/screen.sh makes it anew", m[2], line)
			}
		}
	}
}

// Every file that the documents point to is there.
func TestDocumentsPointToFiles(t *testing.T) {
	links := regexp.MustCompile(`\]\(([^)#:]+)\)`)
	for _, document := range []string{"README.md", "CHANGELOG.md"} {
		for _, link := range links.FindAllStringSubmatch(read(t, document), -1) {
			if _, err := os.Stat(link[1]); err != nil {
				t.Errorf("%s: %v", document, err)
			}
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
