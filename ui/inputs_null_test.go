package ui

import (
	"testing"

	"github.com/charmbracelet/x/ansi"

	"sharetop/model"
)

// Case 2 of the inputs that broke other tools: null, empty and the word are told
// apart in every cell that a key or a value is shown in, without colour, and
// records with odd headers or none are drawn like others.
func TestNullEmptyAndTheWordDifferInEveryCell(t *testing.T) {
	e := paneEnv()
	l := e.look()
	stateless := func(*model.Record) (model.RecordState, int16) { return model.RecordUnknown, 0 }
	listed, held := recordColumns(e, stateless), consumeColumns(newConsumePage(e, 1, startConsume{}))
	places := map[string]func(*model.Record) string{
		"list, key":   func(r *model.Record) string { return titled(listed, "KEY").cell(r, l, 30).text },
		"list, value": func(r *model.Record) string { return titled(listed, "VALUE").cell(r, l, 30).text },
		"held, key": func(r *model.Record) string {
			return titled(held, "KEY").cell(&model.HeldRecord{Record: r}, l, 30).text
		},
		"held, value": func(r *model.Record) string {
			return titled(held, "VALUE").cell(&model.HeldRecord{Record: r}, l, 30).text
		},
		"pane": func(r *model.Record) string { return ansi.Strip(showRecord(e, r, 60, 20).drawn(e)) },
	}
	for place, text := range places {
		seen := make(map[string]string)
		for name, b := range map[string][]byte{
			"null": nil, "empty": {}, "null as text": []byte("null"), "null in quotes": []byte(`"null"`), "what null is shown as": []byte(nullText),
		} {
			shown := text(fixtureRecord(1, b, b))
			if other, taken := seen[shown]; taken {
				t.Errorf("%s: %s and %s both look like %q", place, name, other, shown)
			}
			seen[shown] = name
		}
	}
}

func titled[T any](columns []column[T], title string) column[T] {
	for _, c := range columns {
		if c.title == title {
			return c
		}
	}
	panic("no column " + title)
}

// Header names can repeat, values can be null or empty, and there may be none.
func TestOddHeadersAreAllShown(t *testing.T) {
	e := paneEnv()
	seen := make(map[string]string)
	for name, headers := range map[string][]model.Header{
		"none": nil, "one": {header("h", []byte("1"))}, "the same twice": {header("h", []byte("1")), header("h", []byte("1"))},
		"null": {header("h", nil)}, "empty": {header("h", []byte{})}, "the word": {header("h", []byte("null"))}, "no name": {header("", []byte("1"))},
	} {
		r := fixtureRecord(1, []byte("k"), []byte("v"), headers...)
		shown := ansi.Strip(showRecord(e, r, 60, 20).drawn(e))
		if other, taken := seen[shown]; taken {
			t.Errorf("%s looks like %s:\n%s", name, other, shown)
		}
		seen[shown] = name
	}
}
