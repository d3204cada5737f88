package main

import (
	"html"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// The picture in the README is a frame that the screen really draws.
func TestPictureIsTheGoldenFrame(t *testing.T) {
	tags := regexp.MustCompile(`<[^>]*>`)
	picture := html.UnescapeString(tags.ReplaceAllString(read(t, "docs/screen.svg"), ""))
	frame := ansi.Strip(read(t, "ui/testdata/TestGroupsInColourGolden.golden"))
	for line := range strings.Lines(frame) {
		if line = strings.TrimRight(line, " \r\n"); !strings.Contains(picture, line) {
			t.Errorf("docs/screen.svg lacks the line %q: docs/screen.sh makes it anew", line)
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
