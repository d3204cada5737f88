package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"sharetop/model"
)

// TestOutputIsDocumented holds that docs/output.md names every field of JSON,
// every column of CSV and of the table.
func TestOutputIsDocumented(t *testing.T) {
	doc, err := os.ReadFile("../docs/output.md")
	if err != nil {
		t.Fatal(err)
	}
	sample, err := os.ReadFile("../model/testdata/export.json")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range regexp.MustCompile(`"(\w+)":`).FindAllSubmatch(sample, -1) {
		names = append(names, string(m[1]))
	}
	columns, _, _ := strings.Cut(string(model.ExportCSV(&model.Board{}, nil, model.TextRaw)), "\r\n")
	names = append(names, strings.Split(columns, ",")...)
	if len(names) < 50 {
		t.Fatalf("only %d names found", len(names))
	}
	for _, name := range names {
		if !regexp.MustCompile("`[.\\w]*\\b" + name + `\b`).Match(doc) {
			t.Errorf("%s is not documented", name)
		}
	}
	for _, column := range strings.Fields("GROUP STATE MEMB PARTS LAG IN/s DONE/s DRAIN WHY") {
		if !strings.Contains(string(doc), "| "+column+" |") {
			t.Errorf("the column %s is not documented", column)
		}
	}
}
