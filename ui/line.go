package ui

import (
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"sharetop/model"
)

// lineEdit is a line of text that a person types: a filter, a command. It is
// kept as grapheme clusters, so that one press of backspace takes away what
// looks like one character.
type lineEdit struct {
	clusters []string
	// at is the place of the cursor, 0 before the first cluster.
	at int
}

// maxLine bounds a typed or pasted line, in characters; more is dropped.
const maxLine = 512

// newLineEdit starts with that text and the cursor behind it.
func newLineEdit(text string) lineEdit {
	var l lineEdit
	l.insert(text)
	return l
}

// String is the text as typed.
func (l *lineEdit) String() string { return strings.Join(l.clusters, "") }

// update handles a key or a paste and tells whether the text has changed.
func (l *lineEdit) update(msg tea.Msg) (changed bool) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		return l.insert(msg.Content)
	case tea.KeyPressMsg:
		return l.key(msg)
	}
	return false
}

func (l *lineEdit) key(k tea.KeyPressMsg) (changed bool) {
	switch k.String() {
	case "left", "ctrl+b":
		l.at = max(0, l.at-1)
	case "right", "ctrl+f":
		l.at = min(len(l.clusters), l.at+1)
	case "home", "ctrl+a":
		l.at = 0
	case "end", "ctrl+e":
		l.at = len(l.clusters)
	case "backspace", "ctrl+h":
		return l.remove(l.at-1, l.at)
	case "delete", "ctrl+d":
		return l.remove(l.at, l.at+1)
	case "ctrl+u":
		return l.remove(0, l.at)
	case "ctrl+k":
		return l.remove(l.at, len(l.clusters))
	case "ctrl+w", "alt+backspace":
		return l.remove(l.wordStart(), l.at)
	default:
		return l.insert(k.Text)
	}
	return false
}

// insert puts text at the cursor, without its control characters: a paste may
// hold anything, and a line break in it is no enter.
func (l *lineEdit) insert(text string) bool {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
	var added []string
	for len(text) > 0 && len(l.clusters)+len(added) < maxLine {
		cluster, _ := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
		if cluster == "" {
			break
		}
		added = append(added, cluster)
		text = text[len(cluster):]
	}
	l.clusters = slices.Insert(l.clusters, l.at, added...)
	l.at += len(added)
	return len(added) > 0
}

func (l *lineEdit) remove(from, to int) bool {
	from, to = max(0, from), min(len(l.clusters), to)
	if from >= to {
		return false
	}
	l.clusters = slices.Delete(l.clusters, from, to)
	l.at = from
	return true
}

// wordStart is where the word before the cursor begins.
func (l *lineEdit) wordStart() int {
	i := l.at
	for i > 0 && l.clusters[i-1] == " " {
		i--
	}
	for i > 0 && l.clusters[i-1] != " " {
		i--
	}
	return i
}

// view draws the part of the text that has the cursor in it, in width cells at
// most; the cursor is the cell in reverse. The text itself stays as typed, what
// is drawn is safe.
func (l *lineEdit) view(width int) string {
	safe := func(clusters []string) string {
		return plain(model.Sanitize(strings.Join(clusters, "")))
	}
	before, under, after := safe(l.clusters[:l.at]), " ", ""
	if l.at < len(l.clusters) {
		under, after = safe(l.clusters[l.at:l.at+1]), safe(l.clusters[l.at+1:])
	}
	// What is shown of one character may be a long escape.
	under = cut(under, max(1, width), "")
	room := max(0, width-cellWidth(under))
	before = cutLeft(before, room, "<")
	after = cut(after, room-cellWidth(before), "")
	return before + newStyle(ansi.Style{}.Reverse(true)).render(under) + after
}
